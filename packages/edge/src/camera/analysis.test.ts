import { once } from 'node:events'
import { AV_PIX_FMT_YUV420P, Frame } from 'node-av'
import { afterEach, expect, test } from 'vitest'
import { createAnalysisFeed } from './analysis.ts'
import { frameTicket, listenForFrames } from './frames.ts'
import type { AnalysisPace } from './messages.ts'

const size = { width: 1280, height: 720 }
const fullHd = { width: 1920, height: 1080 }
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** One grey all over. */
function frameOf(level: number, size: { width: number; height: number }): Frame {
  const frame = new Frame()
  frame.alloc()
  frame.format = AV_PIX_FMT_YUV420P
  Object.assign(frame, size)
  frame.getBuffer(0)
  for (const [i, plane] of (frame.data ?? []).entries()) plane.fill(i === 0 ? level : 128)
  return frame
}

/** A worker that takes its time, and what it got: by how much the levels of each picture differ. */
async function feeding(workMs: number, wanted = { fps: 5, width: 640, height: 480 }, sent = size) {
  const got: { index: number; spread: number; bytes: number }[] = []
  const paces: AnalysisPace[] = []
  const arrived = new EventTarget()
  const { socket, close } = await listenForFrames(
    async ({ at, data }) => {
      const levels = [...new Set(data)]
      got.push({ index: at, spread: Math.max(...levels) - Math.min(...levels), bytes: data.length })
      await new Promise((done) => setTimeout(done, workMs))
      arrived.dispatchEvent(new Event('picture'))
      return true
    },
    (error) => {
      throw error
    },
  )
  closers.push(close)
  const feed = createAnalysisFeed((message) => message.type === 'pace' && paces.push(message.pace))
  closers.push(feed.close)
  const ticket = frameTicket(socket, '01890000-0000-7000-8000-0000000000a1')
  feed.set({ ...wanted, on_demand: true, ticket })
  const take = (index: number, isLate: boolean) => {
    const frame = frameOf((20 + index * 10) % 200, sent)
    feed.consumer.take({ frame, pts: index * 18_000, at: index, isLate })
    frame.free()
  }
  const isIdle = () => feed.consumer.mayRest()
  return { got, paces, take, isIdle, next: () => once(arrived, 'picture') }
}

test('the past is handed over whole and in order, and nothing of the present is left out behind it', async () => {
  const { got, take, isIdle, next } = await feeding(20)
  take(0, false)
  await expect.poll(isIdle).toBe(true)
  // All of a rest at once, as fast as they are decoded, and what comes while they are worked off.
  for (let index = 1; index <= 15; index++) take(index, true)
  await next()
  take(16, false)
  take(17, false)
  while (got.length < 18) await next()
  expect(got.map(({ index }) => index)).toEqual(Array.from({ length: 18 }, (_, i) => i))
  // Scaling rounds; the next picture is eleven levels lighter.
  expect(Math.max(...got.map(({ spread }) => spread))).toBeLessThan(8)
})

test('the first picture of the present leaves the past of large pictures as it is', async () => {
  const { got, take, isIdle, next } = await feeding(1, { fps: 25, ...fullHd }, fullHd)
  take(0, false)
  await expect.poll(isIdle).toBe(true)
  // As many as memory bears, and one that the worker has.
  for (let index = 1; index <= 17; index++) take(index, true)
  take(18, false)
  while (got.at(-1)?.index !== 18) await next()
  expect(got.slice(0, 3).map(({ index }) => index)).toEqual([0, 1, 2])
  expect(got.length).toBeGreaterThan(8)
})

test('of large pictures no more of the past is held than memory bears: from its beginning to its end, and what is left out is said', async () => {
  const { got, paces, take, isIdle, next } = await feeding(1, { fps: 25, ...fullHd }, fullHd)
  take(0, false)
  await expect.poll(isIdle).toBe(true)
  for (let index = 1; index <= 75; index++) take(index, true)
  while (got.at(-1)?.index !== 75) await next()
  const late = got.slice(1)
  expect(late.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual((96 + 2 * 6) * 1024 * 1024)
  expect(late.length).toBeGreaterThan(7)
  expect(late.map(({ index }) => index)).toEqual(late.map(({ index }) => index).toSorted((a, b) => a - b))
  expect(late[1]?.index).toBeLessThan(20)
  await expect.poll(() => paces.at(-1)?.drops, { timeout: 60_000 }).toBe(76 - got.length)
})
