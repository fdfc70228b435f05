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
import { connect, createServer, type Socket } from 'node:net'
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

  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // A camera process may be killed at any moment; 'close' follows.
    socket.on('error', () => socket.destroy())
    readGreeting(socket, (greeting, rest) => {
      const sourceId = verified(greeting, key, used)
      if (sourceId === null) return socket.destroy()
      // The camera process was started again: its older connection is dead or about to die.
      bySource.get(sourceId)?.destroy()
      bySource.set(sourceId, socket)
      socket.on('close', () => {
        if (bySource.get(sourceId) === socket) bySource.delete(sourceId)
      })
      readFrames(socket, rest, sourceId, onFrame, (error) => {
        socket.destroy()
        onError(error, sourceId)
      })
    })
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

function readGreeting(socket: Socket, onGreeting: (line: string, rest: Buffer) => void): void {
  let received = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const end = received.indexOf('\n')
    if (end < 0) {
      if (received.length > longestGreeting) socket.destroy()
      return
    }
    socket.off('data', onData)
    onGreeting(received.subarray(0, end).toString('utf8'), received.subarray(end + 1))
  }
  socket.on('data', onData)
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

function readFrames(
  socket: Socket,
  rest: Buffer,
  sourceId: string,
  onFrame: OnFrame,
  fail: (error: Error) => void,
): void {
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
  const take = (chunk: Buffer) => {
    // A frame without a credit would overwrite the one in work.
    if (working) return fail(new Error('A frame came in without being asked for.'))
    let offset = 0
    while (offset < chunk.length) {
      if (filled < headerBytes) {
        const count = chunk.copy(header, filled, offset)
        offset += count
        filled += count
        if (filled < headerBytes) return
        const size = header.readUInt32LE(0)
        if (size > largestFrame || size !== header.readUInt16LE(4) * header.readUInt16LE(6) * 3)
          return fail(new Error('A frame of an impossible size came in.'))
        if (data.length !== size) data = Buffer.allocUnsafeSlow(size)
      }
      const count = chunk.copy(data, filled - headerBytes, offset)
      offset += count
      filled += count
      if (filled < headerBytes + data.length) return
      filled = 0
      if (offset < chunk.length) return fail(new Error('A frame came in without being asked for.'))
      deliver().catch(fail)
    }
  }
  socket.on('data', take)
  take(rest)
  credit(credits.frame)
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
