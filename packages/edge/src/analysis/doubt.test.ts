import type { Box } from '@sightline/domain'
import { expect, test } from 'vitest'
import { createDoubt } from './doubt.ts'

const pictureMs = 200

/** Looks at one thing that moves for some seconds; answers when the detector looked. */
function watched(
  seconds: number,
  {
    boxAt,
    people = [],
    finds = () => false,
  }: { boxAt(at: number): Box; people?: Box[]; finds?: (at: number) => boolean },
): number[] {
  const doubt = createDoubt()
  const looks: number[] = []
  for (let at = 0; at < seconds * 1000; at += pictureMs) {
    const box = boxAt(at)
    const searched = doubt.plan([box], people, at)
    if (searched.length > 0) looks.push(at)
    doubt.note(searched, finds(at) ? [box] : [], at)
  }
  return looks
}
const car = (at: number): Box => [at / 20, 100, 120, 80]

test('what moves and is no person is looked at less and less often, and never for more than 1.6 s not at all', () => {
  const looks = watched(10, { boxAt: car })
  expect(looks.slice(0, 6)).toEqual([0, 200, 400, 800, 1600, 3200])
  const pauses = looks.slice(1).map((at, i) => at - (looks[i] as number))
  expect(Math.max(...pauses)).toBe(1600)
})

test('somebody who is found at last is looked at in every picture again', () => {
  const looks = watched(6, { boxAt: car, finds: (at) => at >= 800 })
  expect(looks.filter((at) => at >= 800)).toEqual(Array.from({ length: 26 }, (_, i) => 800 + i * pictureMs))
})

test('where somebody is tracked every picture is looked at, found or not', () => {
  expect(watched(4, { boxAt: () => car(0), people: [[20, 90, 40, 95]] })).toHaveLength(20)
})

test('a thing of another size or at another place is a new one', () => {
  const grows = watched(4, { boxAt: (at) => (at < 2000 ? [100, 100, 60, 60] : [100, 60, 60, 120]) })
  expect(grows).toContain(2000)
  expect(grows).toContain(2200)
  const leaps = watched(4, { boxAt: (at) => (at < 2000 ? [100, 100, 60, 60] : [300, 100, 60, 60]) })
  expect(leaps).toContain(2000)
})
