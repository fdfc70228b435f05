import type { Box } from '@sightline/domain'
import { expect, test } from 'vitest'
import type { Blob } from './motion.ts'
import { createRest } from './rest.ts'
import type { Track } from './track.ts'

const box: Box = [100, 100, 40, 100]
const track = (seenAt: number): Track => ({
  id: 1,
  bornAt: 0,
  label: 'person',
  box,
  score: 0.9,
  hits: 9,
  confirmed: true,
  detectedAt: seenAt,
  seenAt,
  heldAt: seenAt,
})

/** Runs pictures every 200 ms from 0 to `untilMs`; answers when the detector was asked to look. */
function looks(
  untilMs: number,
  at: { found?: (ms: number) => boolean; standsOut?: boolean; blobs?: Blob[] },
): number[] {
  const { found = () => true, standsOut = true, blobs = [] } = at
  const rest = createRest(10_000)
  const asked: number[] = []
  for (let ms = 0; ms <= untilMs; ms += 200) {
    const tracks = [track(found(ms) ? ms : 0)]
    const { look, believed } = rest.plan(tracks, blobs, () => standsOut, ms)
    if (look.length > 0) asked.push(ms)
    rest.note(tracks, believed, ms)
  }
  return asked
}

test('somebody who stands still is looked for in every picture, then every recheck_s', () => {
  const asked = looks(30_000, {})
  expect(asked.filter((ms) => ms < 5000)).toHaveLength(25)
  expect(asked.filter((ms) => ms >= 5000)).toEqual([14_800, 24_800])
})

test('when the recheck fails they are looked for in every picture again', () => {
  const asked = looks(17_000, { found: (ms) => ms < 10_000 })
  expect(asked.filter((ms) => ms > 5000)).toEqual(Array.from({ length: 12 }, (_, i) => 14_800 + i * 200))
})

test('whoever moves is found by motion, not looked for', () => {
  expect(looks(2000, { blobs: [{ box: [95, 95, 50, 110], fill: 0.6 }] })).toEqual([])
})

test('where the empty backdrop shows again nobody is looked for', () => {
  expect(looks(2000, { standsOut: false })).toEqual([])
})
