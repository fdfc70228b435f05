/**
 * The only way from FFmpeg to a camera (camera process only). FFmpeg follows RTSP redirects to any host, sends UDP to
 * whatever `source` an answer names, and reads answers of any length; nothing of that can be switched off. So it talks to
 * a port of this process, which holds the one connection to the checked address. FFmpeg also reads answers more leniently
 * than RFC 2326, so that two readers may disagree where one ends: no byte of an answer's head passes as it came. Answers
 * are read strictly and written anew from what was understood; packets of pictures pass between answers, joined to larger
 * ones where a unit came in fragments (`fragments.ts`).
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { CameraCause } from './cause.ts'
import { createFragmentJoiner } from './fragments.ts'
import type { Transport } from './messages.ts'

export type Relay = {
  /** Of 127.0.0.1, for one connection. */
  port: number
  /** Why it hung up; null while it did not. */
  refusal(): CameraCause | null
  close(): void
}

type To = { ip: string; port: number; transport: Transport }

/** As much as an answer may be long in all, as in the look before (`rtsp.ts`). */
const longestAnswer = 65_536
const connectMs = 5000
const readBytes = 65_536
/** The longest packet within the connection; an answer that is longer is refused. */
const longestThing = 4 + 0xffff
/** Received and not passed on yet; beyond it the camera is not read from. */
const mostWaiting = 1024 * 1024

/** Connects to the camera first: whether it is there is known before FFmpeg is asked. */
export async function openRelay({ ip, port, transport }: To): Promise<Relay | { cause: CameraCause }> {
  let take: ((bytes: Buffer) => void) | null = null
  const camera = await reached(ip, port, (bytes) => take?.(bytes))
  if (!camera) return { cause: 'unreachable' }
  let cause: CameraCause | null = null
  let player: Socket | null = null
  const close = () => {
    camera.destroy()
    player?.destroy()
    server.close()
  }
  const refuse = (why: CameraCause) => {
    cause ??= why
    close()
  }
  const server = createServer({ noDelay: true }, (socket) => {
    if (player) return socket.destroy()
    player = socket
    server.close()
    socket.on('error', close)
    socket.on('close', close)
    take = join(camera, socket, { ip, transport, refuse })
  })
  camera.on('error', close)
  camera.on('close', () => player?.end())
  try {
    return { port: await listening(server), refusal: () => cause, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Reads into the same memory each time: Node would take 64 KB anew for each few packets. */
function reached(ip: string, port: number, onBytes: (bytes: Buffer) => void): Promise<Socket | null> {
  const memory = Buffer.allocUnsafeSlow(readBytes)
  const callback = (count: number) => {
    onBytes(memory.subarray(0, count))
    return true
  }
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port, noDelay: true, onread: { buffer: memory, callback } })
    const settle = (found: Socket | null) => {
      clearTimeout(late)
      socket.off('error', failed)
      if (!found) socket.on('error', () => undefined).destroy()
      resolve(found)
    }
    const failed = () => settle(null)
    const late = setTimeout(failed, connectMs)
    socket.once('error', failed)
    socket.once('connect', () => settle(socket))
  })
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
      else reject(new Error('The relay got no port.'))
    })
  })
}

type Terms = { ip: string; transport: Transport; refuse: (cause: CameraCause) => void }

/** Answers what takes the camera's bytes, which are of use until it returns. */
function join(camera: Socket, player: Socket, { ip, transport, refuse }: Terms): (bytes: Buffer) => void {
  let received: Buffer = Buffer.alloc(0)
  /** What came of a thing that is not whole, filled as it comes in: copied once, in however many pieces that is. */
  const memory = Buffer.allocUnsafeSlow(longestThing + readBytes)
  let kept = 0
  /** The camera has said that it sends pictures over this connection. */
  let isInterleaved = false
  let havePicturesCome = false
  let passed: Buffer[] = []
  const fragments = createFragmentJoiner((packet) => void passed.push(packet))

  const pass = (to: Socket, from: Socket, bytes: Buffer) => {
    if (to.write(bytes) || to.writableLength < mostWaiting) return
    from.pause()
    to.once('drain', () => from.resume())
  }
  /** What is for FFmpeg of the next thing received, and how long that thing is; null while more must come. */
  const take = (): Taken | { cause: CameraCause } | null => {
    if (!isInterleaved || received[0] !== dollar) {
      const taken = takeAnswer(received, ip, transport)
      if (taken && 'cause' in taken && taken.cause === 'not_rtsp' && havePicturesCome) return { cause: 'bad_stream' }
      if (taken && 'text' in taken) isInterleaved ||= transport === 'tcp' && taken.isSetUp
      return taken
    }
    const length = received.length < 4 ? Number.POSITIVE_INFINITY : 4 + received.readUInt16BE(2)
    if (received.length < length) return null
    havePicturesCome = true
    // FFmpeg skips the head of such a packet only, and reads the rest as text.
    return { text: received.subarray(0, length < shortestPacket ? 0 : length), length }
  }
  player.on('data', (bytes) => pass(camera, player, bytes))
  return (bytes) => {
    if (kept > 0) bytes.copy(memory, kept)
    received = kept > 0 ? memory.subarray(0, kept + bytes.length) : bytes
    const before = received
    while (received.length > 0) {
      const taken = take()
      if (taken === null) break
      if ('cause' in taken) return refuse(taken.cause)
      received = received.subarray(taken.length)
      if (taken.text[0] === dollar) fragments.take(taken.text)
      else if (taken.text.length > 0) {
        fragments.flush()
        passed.push(taken.text)
      }
    }
    // What is left stands in memory that is read into again, or behind what was taken.
    if (kept === 0 || received !== before) received.copy(memory)
    kept = received.length
    const [first] = passed
    if (first) pass(player, camera, passed.length === 1 ? first : Buffer.concat(passed))
    passed = []
  }
}

/* ── reading strictly, writing anew ──────────────────────────────────────────────────── */

type Taken = { text: Buffer; length: number }

const dollar = 0x24
/** With its head of four bytes: RTCP has eight at least. */
const shortestPacket = 12
/**
 * All that FFmpeg needs to know. Left out of what it understands: `Location`, and what makes it take the camera for a
 * RealMedia or Windows Media server (`Server`, `RealChallenge1`, `Notice`, `x-Accept-Dynamic-Rate`).
 */
const passedOn = new Set([
  'cseq',
  'session',
  'public',
  'range',
  'rtp-info',
  'content-base',
  'content-type',
  'www-authenticate',
  'authentication-info',
])
/** Some cameras ask whether anybody is still there. Other requests of a camera (RFC 2326 has REDIRECT) end it. */
const requests = ['OPTIONS', 'GET_PARAMETER', 'SET_PARAMETER']
const begins = ['RTSP/1.0', ...requests].map((word) => `${word} `)
const longestBegin = Math.max(...begins.map(({ length }) => length))

/**
 * The first whole answer as FFmpeg may see it, and its length as received; null while more must come. `isSetUp`: it says
 * how pictures will come.
 */
export function takeAnswer(
  bytes: Buffer,
  ip: string,
  transport: Transport,
): (Taken & { isSetUp: boolean }) | { cause: CameraCause } | null {
  const refused = { cause: 'not_rtsp' } as const
  const begin = bytes.subarray(0, longestBegin).toString('latin1')
  if (!begins.some((each) => each.startsWith(begin.slice(0, each.length)))) return refused
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return bytes.length > longestAnswer || hasBareLineEnd(bytes) ? refused : null
  const [firstLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const [, status] = /^RTSP\/1\.0 ([1-5]\d\d)(?: [^\r\n\0]*)?$/.exec(firstLine) ?? []
  const [, method] = /^([A-Z_]+) [^\s\0]+ RTSP\/1\.0$/.exec(firstLine) ?? []
  if (!status && !(method && requests.includes(method))) return refused
  if (status?.startsWith('3')) return { cause: 'redirected' }

  const headers: { name: string; value: string }[] = []
  for (const line of lines) {
    const [, name, value] = /^([A-Za-z0-9-]+):([^\r\n\0]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return refused
    headers.push({ name: name.toLowerCase(), value: value.trim() })
  }
  const all = (wanted: string) => headers.filter(({ name }) => name === wanted).map(({ value }) => value)
  const [contentLength = '0', ...otherLengths] = all('content-length')
  const [offered, ...otherOffers] = all('transport')
  if (otherLengths.length > 0 || otherOffers.length > 0 || !/^\d{1,5}$/.test(contentLength)) return refused
  const body = bytes.subarray(headEnd + 4, headEnd + 4 + Number(contentLength))
  const length = headEnd + 4 + Number(contentLength)
  if (length > longestAnswer) return refused
  if (bytes.length < length) return null
  const way = offered === undefined || status !== '200' ? null : ownTransport(offered, ip, transport)
  if (way === undefined) return refused

  const kept = headers.filter(({ name }) => passedOn.has(name)).map(({ name, value }) => `${name}: ${value}`)
  if (way !== null) kept.push(`transport: ${way}`)
  if (body.length > 0) kept.push(`content-length: ${body.length}`)
  const head = [method ? `${method} * RTSP/1.0` : firstLine, ...kept].join('\r\n')
  const text = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body])
  return { text, length, isSetUp: way !== null }
}

/** FFmpeg ends lines there as well. */
const hasBareLineEnd = (head: Buffer) => /(^|[^\r])\n|\r[^\n]/.test(head.toString('latin1'))

const ways = {
  tcp: {
    name: 'RTP/AVP/TCP',
    offered: /^RTP\/S?AVPF?\/TCP$/i,
    fields: /^(interleaved=\d{1,3}(-\d{1,3})?|ssrc=[\da-f]{1,8}|mode="?play"?)$/,
  },
  udp: {
    name: 'RTP/AVP',
    offered: /^RTP\/S?AVPF?(\/UDP)?$/i,
    fields: /^((client|server)_port=\d{1,5}(-\d{1,5})?|ssrc=[\da-f]{1,8}|mode="?play"?)$/,
  },
}

/**
 * One way of sending, and the one that was asked for, else undefined. Pictures by UDP come from the camera and nowhere
 * else: whatever the answer said, and since FFmpeg sees only the relay.
 */
function ownTransport(offered: string, ip: string, transport: Transport): string | undefined {
  const way = ways[transport]
  const [protocol = '', ...parts] = offered.split(';').map((part) => part.trim())
  if (!way.offered.test(protocol) || offered.includes(',')) return undefined
  const fields = parts.map((part) => part.toLowerCase()).filter((part) => way.fields.test(part))
  return [way.name, 'unicast', ...fields, ...(transport === 'udp' ? [`source=${ip}`] : [])].join(';')
}
