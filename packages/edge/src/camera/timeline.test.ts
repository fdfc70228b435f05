import { describe, expect, test } from 'vitest'
import { createTimeline, type Timeline, ticksPerSecond } from './timeline.ts'

const frame = ticksPerSecond / 10
const frameMs = 100

/** Places pictures that arrive in decoding order, named by their turn in presentation. */
function place(timeline: Timeline, turns: number[], from = 0) {
  return turns.map((turn, i) => {
    const { pts, dts } = timeline.place(1_000_000 + turn * frame, (from + i) * frameMs)
    return { pts, dts }
  })
}
const steps = (times: number[]) => times.slice(1).map((time, i) => time - (times[i] as number))
/** I P b b with each P three ahead; and a pyramid in which a B is predicted from a B. */
const simple = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 12, 10, 11]
const pyramid = [0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11, 16, 14, 13, 15]

describe('decoding times', () => {
  test('without B-frames they are the presentation times', () => {
    const placed = place(createTimeline(1000, 0), [0, 1, 2, 3, 4, 5])
    expect(placed.map(({ pts, dts }) => pts - dts)).toEqual([0, 0, 0, 0, 0, 0])
    expect(placed[0]?.pts).toBe(ticksPerSecond)
  })

  test.each([
    ['one picture before its turn', 1, simple],
    ['a pyramid', 2, pyramid],
  ])('%s, as the stream says: even steps, never after presentation', (_what, reorder, turns) => {
    const timeline = createTimeline(1000, 0)
    timeline.setReorder(reorder)
    const placed = place(timeline, turns)
    expect(new Set(steps(placed.map(({ dts }) => dts)).slice(reorder))).toEqual(new Set([frame]))
    for (const { pts, dts } of placed) expect(pts).toBeGreaterThanOrEqual(dts)
  })

  test.each([
    ['simple', simple],
    ['pyramid', pyramid],
  ])('%s, where the stream says nothing: learnt within a few pictures, always rising', (_what, turns) => {
    const timeline = createTimeline(1000, 0)
    timeline.setReorder(null)
    const placed = place(timeline, turns)
    for (const step of steps(placed.map(({ dts }) => dts))) expect(step).toBeGreaterThan(0)
    for (const { pts, dts } of placed.slice(6)) expect(pts).toBeGreaterThanOrEqual(dts)
    expect(steps(placed.slice(8).map(({ dts }) => dts)).every((step) => step === frame)).toBe(true)
  })
})

describe('the time line goes on', () => {
  test('over a jump of the camera clock, back or ahead, by the time that passed here', () => {
    for (const jump of [-3600, 3600]) {
      const timeline = createTimeline(1000, 0)
      place(timeline, [0, 1, 2, 3, 4])
      const after = timeline.place(1_000_000 + jump * ticksPerSecond, 5 * frameMs)
      expect(after.pts).toBe(ticksPerSecond + 5 * frame)
      expect(timeline.place(1_000_000 + jump * ticksPerSecond + frame, 6 * frameMs).pts).toBe(after.pts + frame)
    }
  })

  test('after a reconnect, from where the caller says', () => {
    expect(createTimeline(61_000, 500).place(7, 500).pts).toBe(61 * ticksPerSecond)
  })

  test('where a time is missing, the first one too', () => {
    const timeline = createTimeline(1000, 0)
    const times = [null, frame, null, 3 * frame].map((time, i) => timeline.place(time, i * frameMs).pts)
    expect(steps(times).every((step) => step > 0)).toBe(true)
    expect((times[3] as number) - (times[0] as number)).toBe(3 * frame)
  })

  test('a network that holds pictures back and lets them go at once is no jump', () => {
    const timeline = createTimeline(1000, 0)
    place(timeline, [0, 1, 2])
    const turns = Array.from({ length: 77 }, (_, i) => i + 3)
    const late = turns.map((turn) => timeline.place(1_000_000 + turn * frame, 8000).pts)
    expect(late).toEqual(turns.map((turn) => ticksPerSecond + turn * frame))
  })
})

test('lateness is what arrival has fallen behind the camera, not the drift of its clock', () => {
  const timeline = createTimeline(1000, 0)
  // 0.02 % slow: 360 ms in half an hour.
  let late = 0
  for (let i = 0; i < 18_000; i++) late = Math.max(late, timeline.place(i * frame, i * frameMs * 1.0002).lateMs)
  expect(late).toBeLessThan(5)
  const { lateMs } = timeline.place(18_000 * frame, 18_000 * frameMs * 1.0002 + 700)
  expect(lateMs).toBeGreaterThan(650)
  expect(lateMs).toBeLessThan(750)
})
