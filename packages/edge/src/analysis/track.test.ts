import type { Box } from '@sightline/domain'
import { expect, test } from 'vitest'
import type { Detection } from './detect.ts'
import { createTracker, isPresent, similarity, type TrackerSettings } from './track.ts'

const settings: TrackerSettings = { minSimilarity: 0.15, distanceGate: 0.9, maxLostMs: 3000, minHits: 2 }

const newTracker = () => {
  let last = 0
  return createTracker(settings, () => ++last)
}
const seen = (box: Box, kind: Detection['kind'] = 'person'): Detection => ({
  box,
  score: kind === 'blob' ? 0.45 : 0.9,
  kind,
})
/** A body 100 tall whose feet are at x, 200. */
const at = (x: number, kind?: Detection['kind']) => seen([x - 20, 100, 40, 100], kind)

test('a walker keeps one id although boxes of neighbouring pictures do not overlap', () => {
  const tracker = newTracker()
  for (let i = 0; i < 20; i++) tracker.update([at(50 + i * 45)], i * 200)
  expect(tracker.tracks.map((track) => track.id)).toEqual([1])
  expect(tracker.tracks[0]?.hits).toBe(20)
})

test('time is real: a walker is still known after dropped pictures', () => {
  const tracker = newTracker()
  for (const ms of [0, 200, 400, 600, 800, 1000, 1700, 1900, 2700]) tracker.update([at(50 + ms * 0.08)], ms)
  expect(tracker.tracks).toHaveLength(1)
  const [x, , w] = tracker.tracks[0]!.box
  expect(Math.abs(x + w / 2 - (50 + 2700 * 0.08))).toBeLessThan(5)
})

test('two people who meet and part keep their ids', () => {
  const tracker = newTracker()
  for (let i = 0; i <= 20; i++)
    tracker.update([seen([100 + i * 12, 100, 40, 100]), seen([340 - i * 12, 130, 40, 100])], i * 200)
  const ends = tracker.tracks.map((track) => [track.id, Math.round(track.box[0] / 10) * 10])
  expect(ends).toEqual([
    [1, 340],
    [2, 100],
  ])
})

test('somebody counts from the second detection on', () => {
  const tracker = newTracker()
  tracker.update([at(100)], 0)
  expect(tracker.tracks.filter((track) => isPresent(track, 0))).toHaveLength(0)
  tracker.update([at(104)], 200)
  expect(tracker.tracks.filter((track) => isPresent(track, 200))).toHaveLength(1)
})

test('motion alone never makes a track, nor confirms one', () => {
  const tracker = newTracker()
  for (let i = 0; i < 10; i++) tracker.update([at(100 + i * 5, 'blob')], i * 200)
  expect(tracker.tracks).toHaveLength(0)
  tracker.update([at(150)], 2000)
  for (let i = 1; i < 4; i++) tracker.update([at(150 + i * 5, 'blob')], 2000 + i * 200)
  expect(tracker.tracks.some((track) => track.confirmed)).toBe(false)
})

test('motion keeps a confirmed track in place for max_lost_s after it was last detected, and no longer', () => {
  const tracker = newTracker()
  for (let i = 0; i < 6; i++) tracker.update([at(100)], i * 200)
  const present: number[] = []
  for (let ms = 1200; ms <= 6000; ms += 200) {
    tracker.update([at(100, 'blob')], ms)
    if (tracker.tracks.some((track) => isPresent(track, ms))) present.push(ms)
  }
  expect([present[0], present.at(-1)]).toEqual([1200, 1000 + 3000])
})

test('without any support a track counts for 0.6 s more and is forgotten after max_lost_s', () => {
  const tracker = newTracker()
  for (let i = 0; i < 6; i++) tracker.update([at(100)], i * 200)
  const alive: number[] = []
  const present: number[] = []
  for (let ms = 1200; ms <= 6000; ms += 200) {
    tracker.update([], ms)
    if (tracker.tracks.length > 0) alive.push(ms)
    if (tracker.tracks.some((track) => isPresent(track, ms))) present.push(ms)
  }
  expect(present).toEqual([1200, 1400, 1600])
  expect(alive.at(-1)).toBe(4000)
})

test('an area without legs does not lift the feet of the track it keeps', () => {
  const tracker = newTracker()
  for (let i = 0; i < 6; i++) tracker.update([at(100)], i * 200)
  tracker.update([seen([80, 100, 40, 65], 'blob')], 1200)
  const [, y, , h] = tracker.tracks[0]!.box
  expect(Math.abs(y + h - 200)).toBeLessThan(3)
})

test('one box of a wrong size moves the feet by less than it is wrong', () => {
  const tracker = newTracker()
  for (let i = 0; i < 6; i++) tracker.update([at(100)], i * 200)
  tracker.update([seen([85, 100, 30, 65])], 1200)
  const [, y, , h] = tracker.tracks[0]!.box
  expect(Math.abs(y + h - 200)).toBeLessThan(35 * 0.6)
})

test('a track at rest that is believed stays where it is', () => {
  const tracker = newTracker()
  for (let i = 0; i < 6; i++) tracker.update([at(100)], i * 200)
  const before = tracker.tracks[0]!.box
  for (let ms = 1200; ms <= 20_000; ms += 200) tracker.update([], ms, new Set([1]))
  expect(tracker.tracks[0]?.box).toEqual(before)
  expect(isPresent(tracker.tracks[0]!, 20_000)).toBe(true)
})

test.each<[string, Box, Box, number]>([
  ['the same box', [0, 0, 40, 100], [0, 0, 40, 100], 1],
  ['feet half a gate apart, same size', [0, 0, 40, 100], [45, 0, 40, 100], 0.5],
  ['half the size is another body', [0, 0, 40, 100], [60, 50, 20, 50], 0],
])('similarity of %s', (_, a, b, expected) => {
  expect(similarity(a, b, 0.9)).toBeCloseTo(expected, 5)
})
