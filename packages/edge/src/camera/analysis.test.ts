import { once } from 'node:events'
import { AV_PIX_FMT_YUV420P, Frame } from 'node-av'
import { afterEach, expect, test } from 'vitest'
import { createAnalysisFeed } from './analysis.ts'
import { frameTicket, listenForFrames } from './frames.ts'

const size = { width: 1280, height: 720 }
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** One grey all over. */
function frameOf(level: number): Frame {
  const frame = new Frame()
  frame.alloc()
  frame.format = AV_PIX_FMT_YUV420P
  Object.assign(frame, size)
  frame.getBuffer(0)
  for (const [i, plane] of (frame.data ?? []).entries()) plane.fill(i === 0 ? level : 128)
  return frame
}

/** A worker that takes its time, and what it got: by how much the levels of each picture differ. */
async function feeding(workMs: number) {
  const got: { index: number; spread: number }[] = []
  const arrived = new EventTarget()
  const { socket, close } = await listenForFrames(
    async ({ at, data }) => {
      const levels = [...new Set(data)]
      got.push({ index: at, spread: Math.max(...levels) - Math.min(...levels) })
      await new Promise((done) => setTimeout(done, workMs))
      arrived.dispatchEvent(new Event('picture'))
      return true
    },
    (error) => {
      throw error
    },
  )
  closers.push(close)
  const feed = createAnalysisFeed(() => undefined)
  closers.push(feed.close)
  const ticket = frameTicket(socket, '01890000-0000-7000-8000-0000000000a1')
  feed.set({ fps: 5, width: 640, height: 480, on_demand: true, ticket })
  const take = (index: number, isLate: boolean) => {
    const frame = frameOf(20 + index * 10)
    feed.consumer.take({ frame, pts: index * 18_000, at: index, isLate })
    frame.free()
  }
  const isIdle = () => feed.consumer.mayRest()
  return { got, take, isIdle, next: () => once(arrived, 'picture') }
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
