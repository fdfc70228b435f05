import type { EventRecord } from '@sightline/contract/edge'
import type { Enrolled } from '@sightline/domain'
import { expect, test } from 'vitest'
import { open, play, start, track, windows } from '../testing/made.ts'

/** A unit vector at an angle: two of them are as alike as the cosine of the difference. */
const toward = (degrees: number) =>
  Float32Array.from([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)])
const enrolled = (identity: string, ...degrees: number[]): Enrolled => ({ identity, embeddings: degrees.map(toward) })
const gallery = [enrolled('ada', 0, 10), enrolled('ben', 90)]
const face = (id: number, degrees: number | null, h = 0.2, x = 0.4) =>
  track(id, x, 0, {
    label: 'face',
    box: [x, 0.3, h / 2, h],
    embedding: () => (degrees === null ? null : toward(degrees)),
  })
const recognition = (known = gallery) => open('fcrecog', [], {}, { gallery: known })
const seenFaces = (records: EventRecord[]) =>
  records
    .filter(({ kind }) => kind === 'open')
    .map(({ observed_at, metrics, details }) => ({
      ms: observed_at - start,
      metrics,
      identity: details?.identity,
      track: details?.track_id,
    }))

test('a new face is told once, in the first picture that shows who it is', () => {
  const records = play(recognition(), 20_000, (ms) => [face(1, ms < 1000 ? 200 : 5, ms < 1000 ? 0.2 : 0.3)])
  expect(seenFaces(records)).toEqual([{ ms: 1000, metrics: { total: 1 }, identity: 'ada', track: 1 }])
  expect(records[0]?.details).toMatchObject({ instant: true, likeness: 0.996, boxes: [{ label: 'face' }] })
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 1 })
})

test('without faces nothing is told', () => {
  expect(seenFaces(play(recognition(), 10_000, () => [track(1, 0.5, 0.9)]))).toEqual([])
})

test('the best of the first pictures counts: the largest, not the last', () => {
  const records = play(recognition(), 5000, (ms) => [ms === 1000 ? face(1, 88, 0.4) : face(1, 50)])
  expect(seenFaces(records)[0]?.identity).toBe('ben')
})

test('a stranger is told as unknown', () => {
  const records = play(recognition(), 5000, () => [face(1, 200)])
  expect(seenFaces(records)).toMatchObject([{ ms: 2000, identity: null, metrics: { total: 1 } }])
})

test('a stranger is told while the face is there, with its box of that picture: it is taken then', () => {
  const hidden = (ms: number) => ms >= 1500 && ms < 2600
  const records = play(recognition(), 8000, (ms) => (hidden(ms) ? [] : [face(1, 200, 0.2, ms < 1500 ? 0.4 : 0.45)]))
  const [told] = records.filter(({ kind }) => kind === 'open')
  expect((told?.observed_at ?? 0) - start).toBe(2600)
  expect(told?.details?.boxes).toMatchObject([{ box: [0.45, 0.3, 0.1, 0.2] }])
})

test('a face that goes before two seconds is told all the same, and one without a usable picture is not', () => {
  const records = play(recognition(), 9000, (ms) => (ms < 1000 ? [face(1, 5)] : []))
  expect(seenFaces(records)).toMatchObject([{ identity: 'ada' }])
  const stranger = play(recognition(), 9000, (ms) => (ms < 1000 ? [face(1, 200)] : []))
  expect(seenFaces(stranger)).toMatchObject([{ identity: null }])
  // Nobody is there any more: nothing is pointed at.
  expect(stranger.find(({ kind }) => kind === 'open')?.details?.boxes).toEqual([])
  expect(seenFaces(play(recognition(), 9000, () => [face(1, null)]))).toEqual([])
})

test('a face lost for a moment is not told again; one that comes back after a while is', () => {
  const gap = (until: number) => (ms: number) => (ms < 4000 ? [face(1, 5)] : ms < until ? [] : [face(2, 5)])
  expect(seenFaces(play(recognition(), 12_000, gap(5000)))).toHaveLength(1)
  expect(seenFaces(play(recognition(), 12_000, gap(8000)))).toHaveLength(2)
})

test('two at once are two, and the level is how many', () => {
  const records = play(recognition(), 5200, () => [face(1, 5), face(2, 92, 0.2, 0.7)])
  expect(seenFaces(records).map(({ identity }) => identity)).toEqual(['ada', 'ben'])
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 2 })
})
