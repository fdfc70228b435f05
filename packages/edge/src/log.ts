/** One line per fact on the standard streams; warnings and errors also go to whoever listens (the portal). */
export type Log = {
  info(text: string): void
  warn(text: string, detail?: unknown): void
  error(text: string, detail?: unknown): void
}
export type LogLine = { level: 'info' | 'warn' | 'error'; text: string; at: number }

/** Credentials in addresses never reach a log. */
const redact = (text: string): string => text.replace(/\/\/[^\s/@]+@/g, '//***@')

export function createLog(onLine: (line: LogLine) => void = () => undefined): Log {
  const write = (level: LogLine['level'], text: string, detail?: unknown) => {
    const why = detail === undefined ? '' : `: ${detail instanceof Error ? detail.message : JSON.stringify(detail)}`
    // One line, whatever a camera or a peer put into the text.
    const line = redact(`${text}${why}`)
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, 1000)
    const at = Date.now()
    const stream = level === 'info' ? process.stdout : process.stderr
    stream.write(`${new Date(at).toISOString()} ${level} ${line}\n`)
    onLine({ level, text: line, at })
  }
  return {
    info: (text) => write('info', text),
    warn: (text, detail) => write('warn', text, detail),
    error: (text, detail) => write('error', text, detail),
  }
}
