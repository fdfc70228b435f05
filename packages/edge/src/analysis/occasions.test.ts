import { expect, test } from 'vitest'
import { createOccasions, type OccasionChange, type Situation } from './occasions.ts'

const inside = (trackId: number, more: Partial<Situation> = {}): Situation => ({
  key: `zone1/${trackId}`,
  metric: 'violation',
  trackId,
  place: 'zone1',
  appeared: false,
  values: { violation: 1 },
  details: {},
  ...more,
})
const brief = (changes: OccasionChange[]) =>
  changes.map(({ kind, id, cause }) => `${kind} ${id}${cause ? ` ${cause}` : ''}`)
const alive = (...ids: number[]) => new Set(ids)

test('a situation opens once, goes on in silence, and closes', () => {
  const occasions = createOccasions(30_000)
  expect(brief(occasions.advance([inside(1)], alive(1), 0))).toEqual(['open 1'])
  for (let at = 200; at < 10_000; at += 200) expect(occasions.advance([inside(1)], alive(1), at)).toEqual([])
  expect(brief(occasions.advance([], alive(1), 10_000))).toEqual(['close 1 ended'])
  expect(occasions.advance([], alive(1), 10_200)).toEqual([])
})

test('two people in one zone are two occasions', () => {
  const occasions = createOccasions(30_000)
  expect(brief(occasions.advance([inside(1), inside(2)], alive(1, 2), 0))).toEqual(['open 1', 'open 2'])
  expect(brief(occasions.advance([inside(2)], alive(2), 1000))).toEqual(['close 1 lost'])
})

test('within the cooldown the same situation goes on under its id, after it it is a new one', () => {
  const occasions = createOccasions(30_000)
  occasions.advance([inside(1)], alive(1), 0)
  occasions.advance([], alive(1), 1000)
  expect(brief(occasions.advance([inside(1)], alive(1), 31_000))).toEqual(['update 1 resumed'])
  expect(brief(occasions.advance([], alive(1), 40_000))).toEqual(['close 1 ended'])
  expect(brief(occasions.advance([inside(1)], alive(1), 70_001))).toEqual(['open 2'])
})

test('somebody who appears where somebody was lost is the same occasion', () => {
  const occasions = createOccasions(30_000)
  occasions.advance([inside(1)], alive(1), 0)
  occasions.advance([], alive(), 1000)
  expect(brief(occasions.advance([inside(2, { appeared: true })], alive(2), 3000))).toEqual(['update 1 resumed'])
  expect(brief(occasions.advance([], alive(), 9000))).toEqual(['close 1 lost'])
})

test('somebody who walks in is a new occasion, and so is who appears where somebody walked out', () => {
  const lost = createOccasions(30_000)
  lost.advance([inside(1)], alive(1), 0)
  lost.advance([], alive(), 1000)
  expect(brief(lost.advance([inside(2)], alive(2), 3000))).toEqual(['open 2'])
  const left = createOccasions(30_000)
  left.advance([inside(1)], alive(1), 0)
  left.advance([], alive(1), 1000)
  expect(brief(left.advance([inside(2, { appeared: true })], alive(2), 3000))).toEqual(['open 2'])
})

test('a change of its own values is told at most once a second', () => {
  const occasions = createOccasions(30_000)
  const told: string[] = []
  for (let at = 0; at <= 3000; at += 200)
    told.push(...brief(occasions.advance([inside(1, { values: { dwell_time: at / 1000 } })], alive(1), at)))
  expect(told).toEqual(['open 1', 'update 1', 'update 1', 'update 1'])
})

test('a stop closes what is open and nothing else', () => {
  const occasions = createOccasions(30_000)
  occasions.advance([inside(1), inside(2)], alive(1, 2), 0)
  occasions.advance([inside(2)], alive(1, 2), 1000)
  expect(brief(occasions.closeAll(2000, 'restart'))).toEqual(['close 2 restart'])
  expect(occasions.closeAll(2100, 'restart')).toEqual([])
})
