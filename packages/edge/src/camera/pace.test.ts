import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

test('as fast as asked for while the worker keeps up', () => {
  const pace = createPace(5, 0)
  for (let now = 0; now < 60_000; now += 200) pace.finished(120, now)
  expect(pace.fps()).toBe(5)
  expect(pace.isReduced()).toBe(false)
})

test('5, 3, 2 pictures a second as they get late, before the lag is a second; never fewer', () => {
  const pace = createPace(5, 0)
  pace.finished(700, 0)
  expect(pace.fps()).toBe(3)
  pace.finished(700, 300)
  expect(pace.fps()).toBe(2)
  pace.finished(900, 800)
  expect(pace.fps()).toBe(2)
  expect(pace.isReduced()).toBe(true)
})

test('pictures left out slow it down too; a single one does not', () => {
  const pace = createPace(5, 0)
  pace.dropped(0)
  expect(pace.fps()).toBe(5)
  pace.dropped(200)
  expect(pace.fps()).toBe(3)
})

test('single drops far apart are hiccups', () => {
  const pace = createPace(5, 0)
  for (let now = 0; now < 60_000; now += 200) now % 4000 === 0 ? pace.dropped(now) : pace.finished(50, now)
  expect(pace.fps()).toBe(5)
})

test('faster again after ten calm seconds, more carefully each time that was too early', () => {
  const pace = createPace(5, 0)
  let now = 0
  const calm = (seconds: number) => {
    for (const end = now + seconds * 1000; now < end; now += 200) pace.finished(50, now)
  }
  pace.finished(700, now)
  calm(9)
  expect(pace.fps()).toBe(3)
  calm(2)
  expect(pace.fps()).toBe(5)
  pace.finished(700, now)
  calm(15)
  expect(pace.fps()).toBe(3)
  calm(6)
  expect(pace.fps()).toBe(5)
})

test('who asks for one picture a second gets it', () => {
  const pace = createPace(1, 0)
  for (let now = 0; now < 10_000; now += 500) pace.finished(2000, now)
  expect(pace.fps()).toBe(1)
  expect(pace.isReduced()).toBe(false)
})
