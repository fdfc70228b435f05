import { expect, test } from 'vitest'
import { PictureRate } from './picture-rate.ts'

/** What is told of `seconds` of a stream whose pictures so far are `picturesAt` a time, at 60 frames of the page a second. */
function told(seconds: number, picturesAt: (ms: number) => number, rate = new PictureRate(), from = 0): number[] {
  const all: number[] = []
  for (let frame = 0; frame <= seconds * 60; frame++) {
    const ms = from + (frame * 1000) / 60
    const now = rate.count(ms, picturesAt(ms))
    if (now !== null) all.push(now)
  }
  return all
}

test('a camera of 15 pictures a second reads 15 although they are shown in bursts', () => {
  // Of every 0.7 s the first half shows them all: counted second by second that reads 10 to 20.
  const bursts = (ms: number) => Math.floor((ms - (ms % 700) + Math.min(2 * (ms % 700), 700)) * 0.015)
  const rates = told(30, bursts)
  expect(rates.length).toBeGreaterThan(20)
  expect(Math.min(...rates)).toBeGreaterThanOrEqual(14)
  expect(Math.max(...rates)).toBeLessThanOrEqual(16)
})

test('nothing is told before it was counted for four seconds, nor across a pause or a new stream', () => {
  const steady = (ms: number) => Math.floor(ms * 0.015)
  expect(told(3.9, steady)).toEqual([])
  const rate = new PictureRate()
  expect(told(6, steady, rate).every((one) => one === 15)).toBe(true)
  // Hidden for a minute, in which nothing was drawn.
  expect(told(3.9, (ms) => 90 + steady(ms - 60_000), rate, 60_000)).toEqual([])
  expect(told(3.9, (ms) => steady(ms - 64_000), rate, 64_000)).toEqual([])
})
