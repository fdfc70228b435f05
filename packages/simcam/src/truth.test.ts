import { describe, expect, test } from 'vitest'
import { eventsIn } from '../scene/events.ts'
import { sceneNames } from './scene.ts'
import { type TruthPerson, truthOf } from './truth.ts'

describe.each(sceneNames)('the truth about %s', (name) => {
  const truth = truthOf(name)

  test('begins and ends without people, so that a loop counts nobody twice', () => {
    expect(truth.frames.length).toBe(truth.frames_total)
    expect(truth.frames[0]).toEqual([])
    expect(truth.frames.at(-1)).toEqual([])
  })

  test('names each crossing and each entry that its frames show', () => {
    const { crossings, zoneEntries } = truth
    expect(eventsIn(truth.frames, truth)).toEqual({
      ...(crossings && { crossings }),
      ...(zoneEntries && { zoneEntries }),
    })
  })

  test('has a line or a zone inside the picture', () => {
    const points = truth.line ? [truth.line.a, truth.line.b] : (truth.zone?.points ?? [])
    expect(points.length).toBeGreaterThanOrEqual(2)
    for (const [x, y] of points) {
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x).toBeLessThanOrEqual(truth.width)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y).toBeLessThanOrEqual(truth.height)
    }
  })
})

test('the scenes have the crossings and entries that tests of counting rely on', () => {
  const count = (name: 'lobby' | 'corridor', dir: string) =>
    truthOf(name).crossings?.filter((c) => c.dir === dir).length
  expect([count('lobby', 'in'), count('lobby', 'out')]).toEqual([4, 3])
  expect([count('corridor', 'in'), count('corridor', 'out')]).toEqual([1, 0])
  expect(truthOf('warehouse').zoneEntries?.length).toBe(2)
})

describe('events', () => {
  const person = (id: number, change: Partial<TruthPerson>): TruthPerson => ({
    id,
    box: [0, 0, 10, 30],
    foot: [5, 30],
    f: '',
    visible: 1,
    moving: true,
    ...change,
  })
  const line = { name: 'l', a: [0, 0], b: [1, 0], insideSign: 1 } satisfies NonNullable<
    Parameters<typeof eventsIn>[1]['line']
  >
  const zone = { name: 'z', points: [] }

  test('are a change of sides, not an appearance', () => {
    const frames = [
      [],
      [person(1, { side: 'inside' })],
      [person(1, { side: 'outside' })],
      [person(1, { side: 'inside' })],
    ]
    expect(eventsIn(frames, { line }).crossings).toEqual([
      { frame: 2, id: 1, dir: 'out' },
      { frame: 3, id: 1, dir: 'in' },
    ])
  })

  test('of a zone are each step into it, one that begins inside too', () => {
    const inZone = (is: boolean) => [person(1, { inZone: is })]
    expect(eventsIn([[], inZone(true), inZone(false), inZone(true)], { zone }).zoneEntries).toEqual([
      { frame: 1, id: 1 },
      { frame: 3, id: 1 },
    ])
  })

  test('hold across the seam of the loop', () => {
    const frames = [[person(1, { side: 'inside' })], [], [person(1, { side: 'outside' })]]
    expect(eventsIn(frames, { line }).crossings).toEqual([{ frame: 0, id: 1, dir: 'in' }])
  })
})
