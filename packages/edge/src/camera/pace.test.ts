import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

/** A worker that has been at it for a minute. */
const settled = (wanted: number) => createPace(wanted, -60_000)

test('as fast as asked for while the worker keeps up', () => {
  const pace = settled(5)
  for (let now = 0; now < 60_000; now += 200) pace.finished(120, now)
  expect(pace.fps()).toBe(5)
  expect(pace.isReduced()).toBe(false)
})

test('5, 3, 2 pictures a second as they get late, never fewer', () => {
  const pace = settled(5)
  for (const [now, fps] of [
    [0, 5],
    [400, 3],
    [900, 3],
    [1300, 2],
    [1700, 2],
    [2100, 2],
    [2500, 2],
  ] as const) {
    pace.finished(700, now)
    expect(pace.fps()).toBe(fps)
  }
  expect(pace.isReduced()).toBe(true)
})

test('pictures left out slow it down too', () => {
  const pace = settled(5)
  pace.dropped(0)
  pace.dropped(200)
  expect(pace.fps()).toBe(3)
})

test('single late or lost pictures are hiccups', () => {
  const pace = settled(5)
  for (let now = 0; now < 60_000; now += 200) {
    if (now % 8000 === 0) pace.dropped(now)
    else pace.finished(now % 4000 === 0 ? 900 : 50, now)
  }
  expect(pace.fps()).toBe(5)
})

test('a worker may take three seconds to begin', () => {
  const pace = createPace(5, 0)
  for (let now = 0; now < 2900; now += 200) pace.dropped(now)
  pace.finished(2900, 2900)
  expect(pace.fps()).toBe(5)
})

test('faster again after ten calm seconds, more carefully each time that was too early', () => {
  const pace = settled(5)
  let now = 0
  const calm = (seconds: number) => {
    for (const end = now + seconds * 1000; now < end; now += 200) pace.finished(50, now)
  }
  const stumble = () => {
    pace.dropped(now)
    pace.dropped(now)
  }
  stumble()
  calm(9)
  expect(pace.fps()).toBe(3)
  calm(2)
  expect(pace.fps()).toBe(5)
  stumble()
  calm(15)
  expect(pace.fps()).toBe(3)
  calm(6)
  expect(pace.fps()).toBe(5)
})

test('who asks for one picture a second gets it', () => {
  const pace = settled(1)
  for (let now = 0; now < 10_000; now += 500) pace.finished(2000, now)
  expect(pace.fps()).toBe(1)
  expect(pace.isReduced()).toBe(false)
})
