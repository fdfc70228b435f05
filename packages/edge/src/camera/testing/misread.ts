/** Answers in which another reader sees a redirect. */

type Answer = (elsewhere: string, status: string) => string

const redirect = (elsewhere: string) => `RTSP/1.0 302 Found\r\nCSeq: 2\r\nLocation: ${elsewhere}\r\n\r\n`
/** An answer whose body, for who reads these lines as a length, is a redirect. */
const hiding =
  (lines: (length: number) => string) =>
  (elsewhere: string, status: string): string => {
    const hidden = redirect(elsewhere)
    return `RTSP/1.0 ${status}\r\n${lines(hidden.length)}\r\n\r\n${hidden}`
  }
const rows: [string, Answer][] = [
  ['a blank before the colon', hiding((length) => `Content-Length : ${length}`)],
  [
    'a line that begins as a packet does, and leaps over the next',
    hiding((length) => {
      const line = `Content-Length: ${length}`
      // 257 bytes, with both line ends.
      return `$\x01\x01\x01${'x'.repeat(0x101 - line.length - 4)}\r\n${line}`
    }),
  ],
  ['a tab before the colon', hiding((length) => `Content-Length\t: ${length}`)],
  ['a folded line', hiding((length) => `X: y\r\n Content-Length: ${length}`)],
  ['two lengths', hiding((length) => `Content-Length: ${length}\r\nContent-Length: 0`)],
  ['two lengths, in other letters', hiding((length) => `content-length: ${length}\r\nCONTENT-LENGTH: 0`)],
  ['a length with a sign', hiding((length) => `Content-Length: +${length}`)],
  ['a length with more behind it', hiding((length) => `Content-Length: 0 ${length}`)],
  ['a length that is a lie', hiding(() => 'Content-Length: 4000000000')],
  ['a line without a colon', hiding((length) => `X\r\nContent-Length: ${length}`)],
  ['a zero byte', hiding((length) => `X: \0\r\nContent-Length: ${length}`)],
  ['two ways of sending', hiding((length) => `Transport: RAW\r\ntransport: RAW\r\nContent-Length: ${length}`)],
  ['a bare line end', (elsewhere, status) => `RTSP/1.0 ${status}\r\nX: y\n\n${redirect(elsewhere)}`],
  ['bare line ends only', (elsewhere) => redirect(elsewhere).replaceAll('\r', '').replace('\n', '\r\n')],
  ['a bare carriage return', (elsewhere, status) => `RTSP/1.0 ${status}\r\nX: y\r\r\n\r\n${redirect(elsewhere)}`],
  ['another version', (elsewhere) => redirect(elsewhere).replace('1.0', '2.0')],
  ['a status after two blanks', (elsewhere) => redirect(elsewhere).replace(' ', '  ')],
  ['a status after a tab', (elsewhere) => redirect(elsewhere).replace(' ', '\t')],
  ['a status with a zero before it', (elsewhere) => redirect(elsewhere).replace('302', '0302')],
  ['a packet outside pictures', (elsewhere) => `$\x01\x00\x04\r\n\r\n${redirect(elsewhere)}`],
  ['an empty line before it', (elsewhere) => `\r\n${redirect(elsewhere)}`],
  ['a request', (elsewhere) => `REDIRECT ${elsewhere} RTSP/1.0\r\nLocation: ${elsewhere}\r\n\r\n`],
  ['no end', (_, status) => `RTSP/1.0 ${status}\r\n${'X: y\r\n'.repeat(20_000)}`],
]

/** `answer` names `elsewhere` where a redirect may be seen in it. The first two were seen to lead FFmpeg there. */
export const misread = rows.map(([what, answer]) => ({ what, answer }))
