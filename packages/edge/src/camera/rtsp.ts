/**
 * A look at the camera before FFmpeg opens it: OPTIONS and DESCRIBE (RFC 2326), with Basic or Digest credentials
 * (RFC 7616). FFmpeg follows an RTSP redirect to any host in spite of its protocol white list; this refuses it first, and
 * gives the plain causes (wrong password, no such stream, H.265) without starting a process.
 */
import { createHash, randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Target } from './address.ts'
import type { CameraCause } from './cause.ts'

export type Credentials = { username: string | null; password: string | null }

const answerTimeoutMs = 5000
const longestAnswer = 65_536

/** `{codec}` (FFmpeg's name, e.g. `h264`) of the first video stream, or the cause why there will be no picture. */
export async function preflight(
  target: Target,
  credentials: Credentials,
  timeoutMs = answerTimeoutMs,
): Promise<{ codec: string } | { cause: CameraCause }> {
  const uri = rtspUri(target)
  let line: Line | null = null
  try {
    line = await openLine(target, timeoutMs)
    const options = await line.ask('OPTIONS', uri)
    if (isRedirect(options)) return { cause: 'redirected' }
    let answer = await line.ask('DESCRIBE', uri, { Accept: 'application/sdp' })
    if (answer.status === 401 && credentials.username !== null) {
      const authorization = authorize('DESCRIBE', uri, answer.challenges, credentials)
      if (authorization === null) return { cause: 'bad_credentials' }
      // Some cameras hang up after a refusal.
      if (line.closed()) line = await openLine(target, timeoutMs)
      answer = await line.ask('DESCRIBE', uri, { Accept: 'application/sdp', Authorization: authorization })
    }
    if (isRedirect(answer)) return { cause: 'redirected' }
    if (answer.status === 401 || answer.status === 403) return { cause: 'bad_credentials' }
    if (answer.status !== 200) return { cause: 'no_stream' }
    const codec = videoCodec(answer.body)
    if (codec === null) return { cause: 'no_stream' }
    return codec === 'h264' ? { codec } : { cause: `not_h264:${codec}` }
  } catch (error) {
    if (error instanceof LineError) return { cause: error.message as CameraCause }
    throw error
  } finally {
    line?.close()
  }
}

/** The address as it stands in requests: the checked IP, never the name, never credentials. */
export const rtspUri = ({ ip, port, path }: Pick<Target, 'ip' | 'port' | 'path'>): string =>
  `rtsp://${ip.includes(':') ? `[${ip}]` : ip}:${port}${path}`

const isRedirect = ({ status }: Answer) => status >= 300 && status < 400

/* ── one connection, one question after the other ────────────────────────────────────── */

type Answer = { status: number; challenges: string[]; body: string }
type Line = {
  ask(method: string, uri: string, headers?: Record<string, string>): Promise<Answer>
  closed(): boolean
  close(): void
}
/** Its message is a cause. */
class LineError extends Error {}

function openLine({ ip, port }: Target, timeoutMs: number): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: ip, port, noDelay: true })
    const late = setTimeout(() => socket.destroy(new LineError('unreachable')), timeoutMs)
    const failed = () => {
      clearTimeout(late)
      reject(new LineError('unreachable'))
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      clearTimeout(late)
      socket.off('error', failed)
      resolve(lineOf(socket, timeoutMs))
    })
  })
}

function lineOf(socket: Socket, timeoutMs: number): Line {
  let received = Buffer.alloc(0)
  let ended = false
  let sequence = 0
  let look: () => void = () => undefined
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    look()
  })
  const end = () => {
    ended = true
    look()
  }
  socket.on('close', end)
  socket.on('end', end)
  // The reason does not matter: 'close' follows and ends the question that waits.
  socket.on('error', () => undefined)

  return {
    closed: () => ended,
    close: () => socket.destroy(),
    ask: (method, uri, headers = {}) =>
      new Promise((resolve, reject) => {
        const settle = (outcome: Answer | string) => {
          clearTimeout(late)
          look = () => undefined
          if (typeof outcome === 'string') reject(new LineError(outcome))
          else resolve(outcome)
        }
        const late = setTimeout(() => settle('timeout'), timeoutMs)
        look = () => {
          const taken = takeAnswer(received)
          if (taken === 'not_rtsp') settle('not_rtsp')
          else if (taken) {
            received = received.subarray(taken.length)
            settle(taken.answer)
          } else if (ended) settle('cut')
        }
        sequence += 1
        const fields = { CSeq: String(sequence), 'User-Agent': 'Sightline', ...headers }
        const text = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
        if (!ended) socket.write(`${method} ${uri} RTSP/1.0\r\n${text.join('')}\r\n`)
        look()
      }),
  }
}

/** The first complete answer in the bytes, null while more must come. */
function takeAnswer(bytes: Buffer): { answer: Answer; length: number } | 'not_rtsp' | null {
  const start = bytes.subarray(0, 5).toString('latin1')
  if (!'RTSP/'.startsWith(start)) return 'not_rtsp'
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return bytes.length > longestAnswer ? 'not_rtsp' : null
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('utf8').split('\r\n')
  const status = Number(/^RTSP\/\d\.\d (\d{3})\b/.exec(statusLine)?.[1])
  if (!status) return 'not_rtsp'
  const headers = lines.map((line) => /^([^:]+):\s*(.*)$/.exec(line)).filter((match) => match !== null)
  const all = (name: string) =>
    headers.filter((match) => match[1]?.toLowerCase() === name).map((match) => match[2] ?? '')
  const bodyLength = Number(all('content-length')[0] ?? 0)
  if (!(bodyLength >= 0) || bodyLength > longestAnswer) return 'not_rtsp'
  const bodyStart = headEnd + 4
  if (bytes.length < bodyStart + bodyLength) return null
  const body = bytes.subarray(bodyStart, bodyStart + bodyLength).toString('utf8')
  return { answer: { status, challenges: all('www-authenticate'), body }, length: bodyStart + bodyLength }
}

/* ── credentials ─────────────────────────────────────────────────────────────────────── */

/** The Authorization header that answers the strongest challenge understood; null when there is none. */
export function authorize(method: string, uri: string, challenges: string[], credentials: Credentials): string | null {
  const username = credentials.username ?? ''
  const password = credentials.password ?? ''
  const digests = challenges.filter((each) => /^digest\s/i.test(each)).map(challengeFields)
  const digest = digests.find((each) => hashName(each) === 'sha256') ?? digests.find((each) => hashName(each) === 'md5')
  if (digest) return digestHeader(method, uri, digest, username, password)
  if (!challenges.some((each) => /^basic\b/i.test(each))) return null
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function digestHeader(
  method: string,
  uri: string,
  challenge: Record<string, string>,
  username: string,
  password: string,
): string {
  const hash = (text: string) =>
    createHash(hashName(challenge) ?? 'md5')
      .update(text)
      .digest('hex')
  const { realm = '', nonce = '', opaque, algorithm } = challenge
  const secret = hash(`${username}:${realm}:${password}`)
  const request = hash(`${method}:${uri}`)
  const fields = [
    `username="${username.replace(/["\\]/g, '\\$&')}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
  ]
  if (challenge.qop?.split(',').some((each) => each.trim() === 'auth')) {
    const cnonce = randomBytes(8).toString('hex')
    const response = hash(`${secret}:${nonce}:00000001:${cnonce}:auth:${request}`)
    fields.push(`response="${response}"`, 'qop=auth', 'nc=00000001', `cnonce="${cnonce}"`)
  } else fields.push(`response="${hash(`${secret}:${nonce}:${request}`)}"`)
  if (opaque !== undefined) fields.push(`opaque="${opaque}"`)
  if (algorithm !== undefined) fields.push(`algorithm=${algorithm}`)
  return `Digest ${fields.join(', ')}`
}

function challengeFields(challenge: string): Record<string, string> {
  const pairs = challenge.matchAll(/([a-z]+)=(?:"([^"]*)"|([^\s,]+))/gi)
  return Object.fromEntries(Array.from(pairs, (match) => [match[1]?.toLowerCase() ?? '', match[2] ?? match[3] ?? '']))
}

function hashName({ algorithm = 'MD5' }: Record<string, string>): 'md5' | 'sha256' | null {
  if (/^md5$/i.test(algorithm)) return 'md5'
  return /^sha-256$/i.test(algorithm) ? 'sha256' : null
}

/* ── session description (RFC 8866) ──────────────────────────────────────────────────── */

const ffmpegNames: Record<string, string> = {
  h265: 'hevc',
  jpeg: 'mjpeg',
  'mp4v-es': 'mpeg4',
  mpv: 'mpeg2video',
  'h263-1998': 'h263',
  'h263-2000': 'h263',
}
const staticPayloads: Record<string, string> = { 26: 'mjpeg', 31: 'h261', 32: 'mpeg2video', 34: 'h263' }

/** Codec of the first video stream by FFmpeg's name; null when there is no video. */
export function videoCodec(sdp: string): string | null {
  const lines = sdp.split(/\r?\n/)
  const start = lines.findIndex((line) => line.startsWith('m=video '))
  if (start < 0) return null
  const payload = lines[start]?.split(' ')[3] ?? ''
  const rest = lines.slice(start + 1)
  const next = rest.findIndex((line) => line.startsWith('m='))
  const media = next < 0 ? rest : rest.slice(0, next)
  const map = media.find((line) => line.startsWith(`a=rtpmap:${payload} `))
  const name = map?.split(' ')[1]?.split('/')[0]?.toLowerCase()
  if (name === undefined) return staticPayloads[payload] ?? 'unknown'
  // It goes into a message: nothing but a name may pass.
  return ffmpegNames[name] ?? (/^[a-z0-9_.-]{1,20}$/.test(name) ? name : 'unknown')
}
