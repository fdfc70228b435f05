import { existsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import {
  type AnalysedFrame,
  connectFrames,
  type FrameSender,
  frameTicket,
  listenForFrames,
  type OnFrame,
} from './frames.ts'

const source = '01890000-0000-7000-8000-0000000000a1'
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listening(onFrame: OnFrame) {
  const errors: string[] = []
  const listener = await listenForFrames(onFrame, (error) => errors.push(error.message))
  closers.push(listener.close)
  return { ...listener, errors }
}
function sending(ticket: Parameters<typeof connectFrames>[0]) {
  const onReady = vi.fn()
  const onClosed = vi.fn()
  const sender = connectFrames(ticket, onReady, onClosed)
  closers.push(sender.close)
  return { sender, onReady, onClosed }
}
const picture = (width: number, height: number, value: number) => ({
  at: 1_700_000_000_123,
  pts_ms: 4567.25,
  width,
  height,
  data: new Uint8Array(width * height * 3).fill(value),
})
const send = (sender: FrameSender, value: number) => sender.send(picture(64, 36, value))

test('frames arrive whole, whatever their size, with their times', async () => {
  const frames: Omit<AnalysedFrame, 'data'>[] = []
  const sums: number[] = []
  const { socket } = await listening(({ data, ...frame }) => {
    frames.push(frame)
    sums.push(data.reduce((sum, value) => sum + value, 0))
  })
  const { sender, onReady } = sending(frameTicket(socket, source))
  for (const [i, [width, height]] of [
    [640, 480],
    [1280, 720],
    [2, 2],
  ].entries()) {
    await expect.poll(() => sender.ready()).toBe(true)
    sender.send(picture(width as number, height as number, i + 1))
    await expect.poll(() => frames.length).toBe(i + 1)
    expect(frames[i]).toEqual({ source_id: source, at: 1_700_000_000_123, pts_ms: 4567.25, width, height })
    expect(sums[i]).toBe((width as number) * (height as number) * 3 * (i + 1))
  }
  await expect.poll(() => onReady).toHaveBeenCalledTimes(4)
})

test('the worker sets the pace: no credit until its work on a frame has ended', async () => {
  let finish: (() => void) | undefined
  const { socket } = await listening(() => new Promise((resolve) => (finish = () => resolve(false))))
  const { sender, onReady } = sending(frameTicket(socket, source))
  await expect.poll(() => onReady).toHaveBeenCalledTimes(1)
  send(sender, 1)
  expect(sender.ready()).toBe(false)
  await expect.poll(() => finish).not.toBe(undefined)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(onReady).toHaveBeenCalledTimes(1)
  finish?.()
  await expect.poll(() => sender.ready()).toBe(true)
})

test('a frame that was not asked for ends the connection, with a reason', async () => {
  const { socket, errors } = await listening(() => new Promise(() => undefined))
  const { sender, onReady, onClosed } = sending(frameTicket(socket, source))
  await expect.poll(() => onReady).toHaveBeenCalled()
  send(sender, 1)
  send(sender, 2)
  await expect.poll(() => onClosed).toHaveBeenCalledTimes(1)
  expect(errors).toEqual(['A frame came in without being asked for.'])
})

test('an error of the work ends the connection of that source only', async () => {
  const seen: string[] = []
  const { socket, errors } = await listening(({ source_id, data }) => {
    if (data[0] === 9) throw new Error('broken')
    seen.push(source_id)
  })
  const bad = sending(frameTicket(socket, source))
  const good = sending(frameTicket(socket, 'other'))
  await expect.poll(() => bad.sender.ready() && good.sender.ready()).toBe(true)
  send(bad.sender, 9)
  await expect.poll(() => bad.onClosed).toHaveBeenCalled()
  send(good.sender, 1)
  await expect.poll(() => seen).toEqual(['other'])
  expect(errors).toEqual(['broken'])
})

test('only a ticket that main gave opens the socket, and only once', async () => {
  const { socket } = await listening(() => undefined)
  const ticket = frameTicket(socket, source)
  const first = sending(ticket)
  await expect.poll(() => first.sender.ready()).toBe(true)
  for (const forged of [
    ticket,
    { ...frameTicket(socket, source), source_id: 'other' },
    { ...frameTicket(socket, source), mac: '0'.repeat(64) },
    frameTicket({ ...socket, key: 'ff'.repeat(32) }, source),
  ]) {
    const { onReady, onClosed } = sending(forged)
    await expect.poll(() => onClosed).toHaveBeenCalledTimes(1)
    expect(onReady).not.toHaveBeenCalled()
  }
  expect(first.sender.ready()).toBe(true)
})

test('a camera process that was started again takes the place of its old connection', async () => {
  const { socket } = await listening(() => undefined)
  const old = sending(frameTicket(socket, source))
  await expect.poll(() => old.sender.ready()).toBe(true)
  const fresh = sending(frameTicket(socket, source))
  await expect.poll(() => old.onClosed).toHaveBeenCalledTimes(1)
  await expect.poll(() => fresh.sender.ready()).toBe(true)
})

test('nobody else on this machine can reach the socket, and it goes with its listener', async () => {
  const listener = await listenForFrames(
    () => undefined,
    () => undefined,
  )
  const { path } = listener.socket
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  const stranger = connect(path)
  stranger.write('x'.repeat(1000))
  // What it said is not even read to the end, so that its end may be an error.
  await new Promise((closed) => stranger.on('error', () => undefined).on('close', closed))
  await listener.close()
  expect(existsSync(dirname(path))).toBe(false)
})
