/** Requests and answers of RTSP 1.0 (RFC 2326) on one connection. */

export type RtspRequest = { method: string; uri: string; headers: Record<string, string | undefined> }

const reasons = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  454: 'Session Not Found',
  455: 'Method Not Valid in This State',
  461: 'Unsupported Transport',
  501: 'Not Implemented',
} as const
export type RtspStatus = keyof typeof reasons

const maxHeaderBytes = 16 * 1024
const maxBodyBytes = 64 * 1024
const interleavedMark = 0x24
const headerEnd = Buffer.from('\r\n\r\n')

/** Cuts what a client sends into requests; interleaved packets (the client's RTCP reports) are passed over. */
export class RequestReader {
  #pending: Buffer = Buffer.alloc(0)

  /** @throws Error when the client sends what cannot be a request */
  read(chunk: Buffer): RtspRequest[] {
    const requests: RtspRequest[] = []
    this.#pending = this.#pending.length ? Buffer.concat([this.#pending, chunk]) : chunk
    for (;;) {
      if (this.#pending[0] === interleavedMark) {
        if (this.#pending.length < 4) return requests
        const end = 4 + this.#pending.readUInt16BE(2)
        if (this.#pending.length < end) return requests
        this.#pending = this.#pending.subarray(end)
        continue
      }
      const head = this.#pending.indexOf(headerEnd)
      if (head < 0) {
        if (this.#pending.length > maxHeaderBytes) throw new Error('header too long')
        return requests
      }
      const request = parseHead(this.#pending.toString('latin1', 0, head))
      const bodyBytes = Number(request.headers['content-length'] ?? 0)
      if (!(bodyBytes >= 0 && bodyBytes <= maxBodyBytes)) throw new Error('body too long')
      const end = head + headerEnd.length + bodyBytes
      if (this.#pending.length < end) return requests
      this.#pending = this.#pending.subarray(end)
      requests.push(request)
    }
  }
}

function parseHead(text: string): RtspRequest {
  const [requestLine = '', ...lines] = text.split('\r\n')
  const [method, uri, version] = requestLine.trim().split(' ')
  if (!method || !uri || !version?.startsWith('RTSP/')) throw new Error('not an RTSP request')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { method, uri, headers }
}

export type Headers = Record<string, string | string[]>

export function formatReply(status: RtspStatus, cseq: string, headers: Headers, body = ''): string {
  const lines = [`RTSP/1.0 ${status} ${reasons[status]}`, `CSeq: ${cseq}`, 'Server: Sightline simulated camera']
  for (const [name, value] of Object.entries(headers)) for (const one of [value].flat()) lines.push(`${name}: ${one}`)
  if (body) lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
