/**
 * The frame socket: decoded pictures from camera processes straight to the analysis worker, past the main thread.
 *
 * The worker listens on a local socket in a directory of its own (mode 0700; a named pipe on Windows). A camera process
 * connects and sends one line, `{source_id, nonce, mac}`, with which main vouched for it: the nonce serves once, the MAC
 * is keyed by the listener. Then it sends a frame for each credit (one byte) that the worker gives: one frame is under
 * way at most, so the worker never works through a backlog, and the sender knows what to drop and how late it is. The
 * byte says whether the last frame was still (2: nothing in it moves or is followed) or not (1).
 *
 * Frame, little endian: u32 size · u16 width · u16 height · f64 at · f64 pts_ms · size bytes of BGR24.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, Socket, type SocketConstructorOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type AnalysedFrame = {
  source_id: string
  /** When the picture was taken, as far as arrivals tell: ms since the epoch, edge clock. Rises evenly with `pts_ms`. */
  at: number
  /** On the time line of the live view's fragments, ms. */
  pts_ms: number
  width: number
  height: number
  /** BGR24, rows top down without padding. Valid until the listener's promise settles: the buffer is used again. */
  data: Uint8Array
}

/** Where frames are taken. Plain data: a worker posts it to main, main hands it to `Camera.setAnalysis`. */
export type FrameSocket = { path: string; key: string }

/** What a camera process needs to connect once. */
export type FrameTicket = { path: string; source_id: string; nonce: string; mac: string }

const credits = { frame: 1, still: 2 } as const
const headerBytes = 24
const longestGreeting = 512
const largestFrame = 4096 * 2304 * 3

/** Main vouches for one connection of one source. */
export function frameTicket({ path, key }: FrameSocket, sourceId: string): FrameTicket {
  const nonce = randomBytes(16).toString('hex')
  return { path, source_id: sourceId, nonce, mac: macOf(key, nonce, sourceId) }
}

const macOf = (key: string, nonce: string, sourceId: string) =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${nonce} ${sourceId}`).digest('hex')

/* ── the worker's end ────────────────────────────────────────────────────────────────── */

/** Looks at a frame; true when it is still, so that pictures may be left out until something moves. */
export type OnFrame = (frame: AnalysedFrame) => boolean | undefined | Promise<boolean | undefined>

/**
 * Listens for frames. The next frame of a source is asked for when `onFrame` has returned (or its promise settled), so
 * the work sets the pace; an error thrown there ends that source's connection and goes to `onError`.
 */
export async function listenForFrames(
  onFrame: OnFrame,
  onError: (error: Error, sourceId: string) => void,
): Promise<{ socket: FrameSocket; close: () => Promise<void> }> {
  const key = randomBytes(32).toString('hex')
  const directory = process.platform === 'win32' ? null : mkdtempSync(join(tmpdir(), 'sightline-'))
  const path = directory ? join(directory, 'frames') : `\\\\.\\pipe\\sightline-${randomBytes(16).toString('hex')}`
  const used = new Set<string>()
  const bySource = new Map<string, Socket>()
  const open = new Set<Socket>()

  const server = createServer({ pauseOnConnect: true }, (accepted) => {
    // Of whoever has not said yet who it is: a line.
    let receiver = greetingReceiver((greeting) => {
      const sourceId = verified(greeting, key, used)
      if (sourceId === null) return socket.destroy()
      // The camera process was started again: its older connection is dead or about to die.
      bySource.get(sourceId)?.destroy()
      bySource.set(sourceId, socket)
      socket.on('close', () => {
        if (bySource.get(sourceId) === socket) bySource.delete(sourceId)
      })
      receiver = frameReceiver(socket, sourceId, onFrame, (error) => {
        socket.destroy()
        onError(error, sourceId)
      })
    })
    const socket = intoOwnMemory(
      accepted,
      () => receiver.room(),
      (count) => receiver.took(count) || socket.destroy(),
    )
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // A camera process may be killed at any moment; 'close' follows.
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    socket: { path, key },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      if (directory) rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * The connection as a socket that reads into memory of ours. For each read of one that was accepted Node takes 64 KB anew:
 * that was most of the garbage of the analysis. Only a socket that is built may bring its memory, so one is built on the
 * same handle, as Node itself does with one that another process hands over.
 */
function intoOwnMemory(accepted: Socket, room: () => Buffer, took: (count: number) => unknown): Socket {
  const given = accepted as unknown as { _handle: unknown }
  const handle = given._handle
  given._handle = null
  accepted.destroy()
  const onread = {
    buffer: room,
    callback: (count: number) => {
      took(count)
      return true
    },
  }
  return new Socket({ handle, onread } as SocketConstructorOpts)
}

/** Where the next bytes go, and what becomes of them; `took` is false when they should not have come. */
type Receiver = { room(): Buffer; took(count: number): boolean }

function greetingReceiver(onGreeting: (line: string) => void): Receiver {
  const bytes = Buffer.alloc(longestGreeting)
  let filled = 0
  return {
    room: () => bytes.subarray(filled),
    took(count) {
      filled += count
      const end = bytes.subarray(0, filled).indexOf('\n')
      if (end < 0) return filled < longestGreeting
      // Nothing follows it before the first credit.
      if (end < filled - 1) return false
      onGreeting(bytes.toString('utf8', 0, end))
      return true
    },
  }
}

/** The source that the greeting proves; a nonce serves once. */
function verified(greeting: string, key: string, used: Set<string>): string | null {
  const match = /^\{"source_id":"([^"]{1,64})","nonce":"([0-9a-f]{32})","mac":"([0-9a-f]{64})"\}$/.exec(greeting)
  const [, sourceId = '', nonce = '', mac = ''] = match ?? []
  if (!match || used.has(nonce)) return null
  if (!timingSafeEqual(Buffer.from(mac, 'hex'), Buffer.from(macOf(key, nonce, sourceId), 'hex'))) return null
  used.add(nonce)
  return sourceId
}

function frameReceiver(socket: Socket, sourceId: string, onFrame: OnFrame, fail: (error: Error) => void): Receiver {
  const header = Buffer.alloc(headerBytes)
  let data = Buffer.alloc(0)
  /** Bytes of the current header and frame received. */
  let filled = 0
  let working = false
  const credit = (kind: number) => {
    if (!socket.destroyed) socket.write(Buffer.of(kind))
  }
  const deliver = async () => {
    working = true
    const isStill = await onFrame({
      source_id: sourceId,
      at: header.readDoubleLE(8),
      pts_ms: header.readDoubleLE(16),
      width: header.readUInt16LE(4),
      height: header.readUInt16LE(6),
      data,
    })
    working = false
    credit(isStill ? credits.still : credits.frame)
  }
  credit(credits.frame)
  return {
    room: () => (filled < headerBytes ? header.subarray(filled) : data.subarray(filled - headerBytes)),
    took(count) {
      // A frame without a credit would overwrite the one in work.
      if (working) fail(new Error('A frame came in without being asked for.'))
      filled += count
      if (filled === headerBytes) {
        const size = header.readUInt32LE(0)
        if (size === 0 || size > largestFrame || size !== header.readUInt16LE(4) * header.readUInt16LE(6) * 3)
          fail(new Error('A frame of an impossible size came in.'))
        else if (data.length !== size) data = Buffer.allocUnsafeSlow(size)
      } else if (filled === headerBytes + data.length) {
        filled = 0
        deliver().catch(fail)
      }
      return true
    },
  }
}

/* ── the camera process's end ────────────────────────────────────────────────────────── */

export type FrameSender = {
  /** True when the worker waits for a frame. */
  ready(): boolean
  /** True when the last frame that came back was still. */
  isStill(): boolean
  /** Sends one frame; to be called only when `ready()`. */
  send(frame: { at: number; pts_ms: number; width: number; height: number; data: Uint8Array }): void
  close(): void
}

/** Connects with a ticket. `onReady`: the worker waits for a frame. `onClosed`: once, whatever the reason. */
export function connectFrames(ticket: FrameTicket, onReady: () => void, onClosed: () => void): FrameSender {
  const { path, source_id, nonce, mac } = ticket
  const socket = connect(path)
  let asked = 0
  let still = false
  socket.on('connect', () => socket.write(`${JSON.stringify({ source_id, nonce, mac })}\n`))
  socket.on('data', (bytes) => {
    asked += bytes.length
    still = bytes.at(-1) === credits.still
    onReady()
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', onClosed)
  return {
    ready: () => asked > 0 && !socket.destroyed,
    isStill: () => still,
    send: ({ at, pts_ms, width, height, data }) => {
      asked -= 1
      const header = Buffer.alloc(headerBytes)
      header.writeUInt32LE(data.length, 0)
      header.writeUInt16LE(width, 4)
      header.writeUInt16LE(height, 6)
      header.writeDoubleLE(at, 8)
      header.writeDoubleLE(pts_ms, 16)
      socket.cork()
      socket.write(header)
      socket.write(data)
      socket.uncork()
    },
    close: () => socket.destroy(),
  }
}
