/**
 * The only way from FFmpeg to a camera (camera process only). FFmpeg follows RTSP redirects to any host, sends UDP to
 * whatever `source` an answer names, and reads answers of any length; nothing of that can be switched off. So it talks to
 * a port of this process, which holds the one connection to the checked address and lets whole, short answers through
 * that send it nowhere else. Once pictures flow over the connection itself, bytes pass as they are.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { CameraCause } from './cause.ts'
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
/** Received and not passed on yet; beyond it the camera is not read from. */
const mostWaiting = 1024 * 1024

/** Connects to the camera first: whether it is there is known before FFmpeg is asked. */
export async function openRelay({ ip, port, transport }: To): Promise<Relay | { cause: CameraCause }> {
  const camera = await reached(ip, port)
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
    join(camera, socket, { ip, transport, refuse })
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

function reached(ip: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port, noDelay: true })
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

function join(camera: Socket, player: Socket, { ip, transport, refuse }: Terms): void {
  let isPlaying = false
  let answers: Buffer = Buffer.alloc(0)

  const pass = (to: Socket, from: Socket, bytes: Buffer) => {
    if (to.write(bytes) || to.writableLength < mostWaiting) return
    from.pause()
    to.once('drain', () => from.resume())
  }
  player.on('data', (bytes) => {
    // With pictures on this connection FFmpeg takes no answer for a redirect any more.
    if (transport === 'tcp' && bytes.subarray(0, 5).toString('latin1') === 'PLAY ') isPlaying = true
    pass(camera, player, bytes)
  })
  camera.on('data', (bytes) => {
    if (isPlaying && answers.length === 0) return pass(player, camera, bytes)
    answers = answers.length === 0 ? bytes : Buffer.concat([answers, bytes])
    while (answers.length > 0) {
      const taken = isPlaying ? { text: answers, length: answers.length } : takeAnswer(answers, ip)
      if (taken === null) return
      if ('cause' in taken) return refuse(taken.cause)
      answers = answers.subarray(taken.length)
      pass(player, camera, taken.text)
    }
  })
}

/** The first whole answer as FFmpeg may see it; null while more must come. */
export function takeAnswer(
  bytes: Buffer,
  ip: string,
): { text: Buffer; length: number } | { cause: CameraCause } | null {
  // Requests of a camera (RFC 2326 allows REDIRECT and others) and anything else that is no answer end it.
  if (!'RTSP/1.0 '.startsWith(bytes.subarray(0, 9).toString('latin1'))) return { cause: 'not_rtsp' }
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return bytes.length > longestAnswer ? { cause: 'not_rtsp' } : null
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = /^RTSP\/1\.0 ([1-5]\d\d)(?: |$)/.exec(statusLine)?.[1]
  // FFmpeg ends lines at a bare \n as well: it could read other fields than these.
  if (!status || lines.some((line) => /[\r\n\0]/.test(line))) return { cause: 'not_rtsp' }
  if (status.startsWith('3')) return { cause: 'redirected' }
  const lengths = lines.filter((line) => /^content-length\s*:/i.test(line)).map((line) => line.split(':')[1]?.trim())
  if (lengths.length > 1 || (lengths[0] !== undefined && !/^\d{1,5}$/.test(lengths[0]))) return { cause: 'not_rtsp' }
  const length = headEnd + 4 + Number(lengths[0] ?? 0)
  if (length > longestAnswer) return { cause: 'not_rtsp' }
  if (bytes.length < length) return null
  const head = [statusLine, ...lines.map((line) => (/^transport\s*:/i.test(line) ? ownTransport(line, ip) : line))]
  return {
    text: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes.subarray(headEnd + 4, length)]),
    length,
  }
}

/** Pictures by UDP come from the camera and nowhere else: whatever the answer said, and since FFmpeg sees only the relay. */
function ownTransport(line: string, ip: string): string {
  const kept = line.split(';').filter((part) => !/^\s*(source|destination)\s*=/i.test(part))
  const isUdp = !kept.some((part) => /interleaved|\/tcp/i.test(part))
  return [...kept, ...(isUdp ? [`source=${ip}`] : [])].join(';')
}
