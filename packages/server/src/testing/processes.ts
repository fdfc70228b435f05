import fs from 'node:fs'

const statOf = (pid: number): string[] | null => {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold spaces: state, parent … come after it.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It ended.
    return null
  }
}

/** Whether a process runs; one that ended and was not collected does not. */
export const isAlive = (pid: number): boolean => (statOf(pid)?.[0] ?? 'Z') !== 'Z'

export const parentOf = (pid: number): number => Number(statOf(pid)?.[1])

/** Ends a process and its children at once, without a chance to tidy up. */
export function killAtOnce(pid: number) {
  const children = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
    .map(Number)
  for (const victim of [pid, ...children]) if (isAlive(victim)) process.kill(victim, 'SIGKILL')
}
