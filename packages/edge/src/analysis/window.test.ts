import { expect, test } from 'vitest'
import { createWindow, type WindowSummary } from './window.ts'

const start = Date.UTC(2026, 4, 4, 12)
const settings = {
  windowMs: 5000,
  nominalMs: 200,
  longestMs: 1000,
  kinds: { total: 'gauge', occupancy: 'last', dwell_time: 'peak' },
} as const

const relative = (windows: WindowSummary[]) =>
  windows.map(({ endedAt, ...rest }) => ({ ...rest, endedAt: endedAt - start }))

/** Pictures every 200 ms with the count that `count` says, from 0 until before `untilMs`. */
function watch(untilMs: number, count: (ms: number) => number | null, skip: (ms: number) => boolean = () => false) {
  const window = createWindow(settings)
  const windows: WindowSummary[] = []
  for (let ms = 0; ms < untilMs; ms += 200) {
    if (skip(ms)) continue
    const total = count(ms)
    windows.push(...window.see(start + ms, total === null ? null : { total }, null))
  }
  return { window, windows: relative(windows) }
}

test('every five seconds there is a window, also when all is zero, and its end is a multiple of its length', () => {
  const { windows } = watch(10_400, () => 0)
  expect(windows).toEqual([
    { endedAt: 5000, observedMs: 5000, metrics: { total: 0, total_min: 0, total_max: 0 }, cause: null },
    { endedAt: 10_000, observedMs: 5000, metrics: { total: 0, total_min: 0, total_max: 0 }, cause: null },
  ])
})

test('a gauge is the mean over time with two decimals, least and greatest beside it', () => {
  // 2 for 1 s, 1 for 0.8 s, else 0: (2 + 0.8) / 5.
  const { windows } = watch(5200, (ms) => (ms < 1000 ? 2 : ms < 1800 ? 1 : 0))
  expect(windows[0]?.metrics).toEqual({ total: 0.56, total_min: 0, total_max: 2 })
})

test('a mean is weighted by time, not by pictures', () => {
  const window = createWindow(settings)
  window.see(start, { total: 4 }, null)
  for (const ms of [1000, 1100, 1200, 1300, 1400, 1500]) window.see(start + ms, { total: 0 }, null)
  window.see(start + 2500, { total: 0 }, null)
  window.see(start + 3500, { total: 0 }, null)
  window.see(start + 4500, { total: 0 }, null)
  const [first] = window.see(start + 5000, { total: 0 }, null)
  expect(first).toMatchObject({ observedMs: 5000, metrics: { total: 0.8 } })
})

test('last is the newest, peak the greatest, neither with companions', () => {
  const window = createWindow(settings)
  for (let ms = 0; ms < 5000; ms += 200)
    window.see(start + ms, { occupancy: ms < 3000 ? 7 : 3, dwell_time: ms < 1000 ? 12.345 : 2 }, null)
  const [first] = window.see(start + 5000, { occupancy: 9, dwell_time: 0 }, null)
  expect(first?.metrics).toEqual({ occupancy: 3, dwell_time: 12.35 })
})

test('what is absent was not measured', () => {
  const window = createWindow(settings)
  for (let ms = 0; ms < 5000; ms += 200) window.see(start + ms, ms < 1000 ? { dwell_time: 4 } : {}, null)
  expect(window.see(start + 5000, {}, null)[0]?.metrics).toEqual({ dwell_time: 4 })
  for (let ms = 5200; ms < 10_000; ms += 200) window.see(start + ms, {}, null)
  expect(window.see(start + 10_000, {}, null)[0]).toMatchObject({ observedMs: 5000, metrics: {} })
})

test('time between pictures that are too far apart was not watched', () => {
  const { windows } = watch(
    10_200,
    () => 3,
    (ms) => ms > 2000 && ms < 4000,
  )
  // From 2000 to 2200 the last picture stands; from there to 4000 nobody watched.
  expect(windows[0]).toMatchObject({ observedMs: 5000 - 1800, metrics: { total: 3 } })
  expect(windows[1]?.observedMs).toBe(5000)
})

test('a slower rate within a second is still watched throughout', () => {
  const { windows } = watch(
    5200,
    () => 1,
    (ms) => ms % 800 !== 0 && ms !== 5000,
  )
  expect(windows[0]?.observedMs).toBe(5000)
})

test('pictures without levels are not watched time, and their cause is told', () => {
  const window = createWindow(settings)
  for (let ms = 0; ms < 5000; ms += 200)
    window.see(start + ms, ms < 2000 ? null : { total: 1 }, ms < 2000 ? 'degraded:warm_up' : null)
  expect(window.see(start + 5000, { total: 1 }, null)[0]).toMatchObject({
    observedMs: 3000,
    metrics: { total: 1 },
    cause: 'degraded:warm_up',
  })
})

test('a window in which nothing could be counted has no metrics', () => {
  const { windows } = watch(5200, () => null)
  expect(windows[0]).toMatchObject({ observedMs: 0, metrics: {} })
})

test('after the pictures end the window is closed in time, and there are no more', () => {
  const { window } = watch(3200, () => 2)
  expect(window.pass(start + 5500)).toEqual([])
  expect(relative(window.pass(start + 6000))).toEqual([
    { endedAt: 5000, observedMs: 3200, metrics: { total: 2, total_min: 2, total_max: 2 }, cause: null },
  ])
  expect(window.pass(start + 60_000)).toEqual([])
})

test('pictures that come back after minutes begin a window of their own', () => {
  const { window } = watch(3200, () => 2)
  const closed = relative(window.see(start + 182_000, { total: 0 }, null))
  expect(closed).toMatchObject([{ endedAt: 5000, observedMs: 3200 }])
  expect(relative(window.cut(start + 182_400))).toMatchObject([
    { endedAt: 182_400, observedMs: 400, metrics: { total: 0 } },
  ])
})

test('a stop cuts the window short', () => {
  const { window } = watch(7200, () => 1)
  expect(relative(window.cut(start + 7200))).toMatchObject([{ endedAt: 7200, observedMs: 2200 }])
  expect(window.cut(start + 7300)).toEqual([])
})

test('windows never watch more time than passed, whatever the pictures do', () => {
  const window = createWindow(settings)
  let at = start
  let observed = 0
  let seed = 7
  for (let i = 0; i < 2000; i++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    at += seed % 2500
    const closed = seed % 5 === 0 ? window.pass(at) : window.see(at, seed % 7 === 0 ? null : { total: seed % 3 }, null)
    for (const one of closed) {
      expect(one.observedMs).toBeLessThanOrEqual(5000)
      expect(one.endedAt % 5000).toBe(0)
      observed += one.observedMs
    }
  }
  expect(observed).toBeLessThanOrEqual(at - start)
})
