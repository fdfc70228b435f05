import { expect, test } from 'vitest'
import { createZones, type Placed, type Shape, sidesCrossed, type ZoneSettings } from './zones.ts'

const settings: ZoneSettings = { enterHits: 3, leaveMs: 1000, lineMargin: 0.03 }

/** From left to right: side b, to the right of the walk, is below. */
const line: Shape = {
  name: 'line1',
  kind: 'line',
  direction: 'both',
  points: [
    [0.2, 0.5],
    [0.8, 0.5],
  ],
}
const zone: Shape = {
  name: 'zone1',
  kind: 'zone',
  direction: 'both',
  points: [
    [0.4, 0.4],
    [0.6, 0.4],
    [0.6, 0.6],
    [0.4, 0.6],
  ],
}

/** A body a fifth of the picture tall, its feet at x, y. */
const at = (x: number, y: number, id = 1): Placed => ({ id, box: [x - 0.02, y - 0.2, 0.04, 0.2], observed: true })

function crossings(feet: readonly (readonly [number, number])[], shape: Shape = line): string[] {
  const zones = createZones([shape], settings, 16 / 9)
  return feet.flatMap(([x, y], i) => zones.update([at(x, y)], i * 200).crossings.map((one) => one.direction))
}
const walk = (x: number, from: number, to: number, steps = 12) =>
  Array.from({ length: steps + 1 }, (_, i) => [x, from + ((to - from) * i) / steps] as const)

test('from side a to side b counts up, back counts down, once each', () => {
  expect(crossings(walk(0.5, 0.3, 0.7))).toEqual(['up'])
  expect(crossings(walk(0.5, 0.7, 0.3))).toEqual(['down'])
  expect(crossings([...walk(0.5, 0.3, 0.7), ...walk(0.5, 0.7, 0.3)])).toEqual(['up', 'down'])
})

test('drawn the other way round the same walk counts the other way', () => {
  expect(crossings(walk(0.5, 0.3, 0.7), { ...line, points: [...line.points].reverse() })).toEqual(['down'])
})

test.each<[Shape['direction'], string[]]>([
  ['a_to_b', ['up']],
  ['b_to_a', ['down']],
  ['both', ['up', 'down']],
])('direction %s', (direction, expected) => {
  expect(crossings([...walk(0.5, 0.3, 0.7), ...walk(0.5, 0.7, 0.3)], { ...line, direction })).toEqual(expected)
})

test('jitter on the line counts nothing, however long', () => {
  // 3 % of a body of 0.2 is 0.006.
  const jitter = Array.from({ length: 200 }, (_, i) => [0.5, 0.5 + (i % 2 === 0 ? 0.005 : -0.005)] as const)
  expect(crossings([...walk(0.5, 0.3, 0.48), ...jitter])).toEqual([])
  expect(crossings([...walk(0.5, 0.3, 0.48), ...jitter, ...walk(0.5, 0.52, 0.7)])).toEqual(['up'])
})

test('a single box on the other side counts nothing', () => {
  expect(crossings([...walk(0.5, 0.3, 0.45), [0.5, 0.6], ...walk(0.5, 0.45, 0.3)])).toEqual([])
  // Nor does a first box that was on the wrong side.
  expect(crossings([[0.5, 0.7], ...walk(0.5, 0.45, 0.3)])).toEqual([])
})

test('past the end of the line counts nothing', () => {
  expect(crossings(walk(0.85, 0.3, 0.7))).toEqual([])
  expect(crossings(walk(0.1, 0.7, 0.3))).toEqual([])
  expect(crossings(walk(0.79, 0.3, 0.7))).toEqual(['up'])
})

test('around the end and back through the line is one crossing', () => {
  const around = [...walk(0.9, 0.3, 0.7), [0.8, 0.7], [0.7, 0.7], [0.6, 0.7]] as const
  expect(crossings([...around, ...walk(0.5, 0.7, 0.3)])).toEqual(['down'])
})

test('who turns along the line just after its end has crossed it, and who steps back around the end has not', () => {
  const door: Shape = { ...line, points: [line.points[0]!, [0.5, 0.5]] }
  // From the last place before the line straight to the last one after it there is no line any more.
  const turning = [...walk(0.48, 0.2, 0.4), [0.49, 0.6], [0.56, 0.62]] as const
  expect(crossings(turning, door)).toEqual(['up'])
  expect(crossings([...turning, ...walk(0.48, 0.62, 0.3)], door)).toEqual(['up', 'down'])
  expect(crossings([...walk(0.48, 0.2, 0.4), [0.49, 0.6], [0.52, 0.4], ...walk(0.52, 0.4, 0.3)], door)).toEqual([])
})

test('somebody first seen on the far side has not crossed', () => {
  expect(crossings(walk(0.5, 0.55, 0.7))).toEqual([])
})

test('a line with corners is crossed once, at the corner too', () => {
  const corner: Shape = {
    ...line,
    points: [
      [0.2, 0.6],
      [0.5, 0.5],
      [0.8, 0.6],
    ],
  }
  for (const x of [0.3, 0.5, 0.7]) expect(crossings(walk(x, 0.2, 0.9, 20), corner)).toEqual(['up'])
})

test('a way that cuts a folded line twice crosses nothing in sum', () => {
  const folded = [
    [0.2, 0.4],
    [0.8, 0.4],
    [0.8, 0.6],
    [0.2, 0.6],
  ] as const
  expect(sidesCrossed(folded, [0.5, 0.2], [0.5, 0.5])).toBe(1)
  expect(sidesCrossed(folded, [0.5, 0.2], [0.5, 0.8])).toBe(0)
})

test('a track that is only remembered crosses nothing', () => {
  const zones = createZones([line], settings, 1)
  const all = walk(0.5, 0.3, 0.7).flatMap(([x, y], i) => {
    const placed = { ...at(x, y), observed: y < 0.45 }
    return zones.update([placed], i * 200).crossings
  })
  expect(all).toEqual([])
})

test('two people cross each for themselves', () => {
  const zones = createZones([line], settings, 1)
  const all = Array.from({ length: 13 }, (_, i) => i / 12).flatMap(
    (t, i) => zones.update([at(0.4, 0.3 + 0.4 * t, 1), at(0.6, 0.7 - 0.4 * t, 2)], i * 200).crossings,
  )
  expect(all.map(({ trackId, direction }) => [trackId, direction]).sort()).toEqual([
    [1, 'up'],
    [2, 'down'],
  ])
})

/** Times (in pictures of 200 ms) at which the track is in the zone. */
function insideAt(feet: readonly (readonly [number, number])[], shape: Shape = zone): number[] {
  const zones = createZones([shape], settings, 16 / 9)
  return feet.flatMap(([x, y], i) => (zones.update([at(x, y)], i * 200).stays.size > 0 ? [i] : []))
}

test('in after three pictures, out after a second', () => {
  const outside = Array.from({ length: 3 }, () => [0.3, 0.5] as const)
  const inside = Array.from({ length: 5 }, () => [0.5, 0.5] as const)
  const gone = Array.from({ length: 8 }, () => [0.7, 0.5] as const)
  // Inside from picture 3 to 7: in at 5 (third), last inside at 7 (1400 ms), out at 12 (2400 ms).
  expect(insideAt([...outside, ...inside, ...gone])).toEqual([5, 6, 7, 8, 9, 10, 11])
})

test('a moment outside does not end a stay, and a moment inside does not begin one', () => {
  const inside = Array.from({ length: 4 }, () => [0.5, 0.5] as const)
  const blink = [
    [0.3, 0.5],
    [0.3, 0.5],
  ] as const
  expect(insideAt([...inside, ...blink, ...inside])).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(insideAt([...blink, [0.5, 0.5], [0.5, 0.5], ...blink])).toEqual([])
})

test('a stay tells since when, and whether it began in the zone', () => {
  const appeared = createZones([zone], settings, 1)
  const entered = createZones([zone], settings, 1)
  entered.update([at(0.3, 0.5)], 0)
  for (let i = 1; i <= 3; i++) {
    appeared.update([at(0.5, 0.5)], i * 200)
    entered.update([at(0.5, 0.5)], i * 200)
  }
  expect(appeared.update([at(0.5, 0.5)], 800).stays.get(1)).toEqual([
    { zone: 'zone1', since: 200, lastInsideAt: 800, appeared: true },
  ])
  expect(entered.update([at(0.5, 0.5)], 800).stays.get(1)).toEqual([
    { zone: 'zone1', since: 200, lastInsideAt: 800, appeared: false },
  ])
})

test('a hollow polygon holds only what is inside it', () => {
  const hollow: Shape = {
    ...zone,
    points: [
      [0.1, 0.1],
      [0.9, 0.1],
      [0.9, 0.9],
      [0.6, 0.9],
      [0.6, 0.4],
      [0.4, 0.4],
      [0.4, 0.9],
      [0.1, 0.9],
    ],
  }
  const stand = (x: number, y: number) => Array.from({ length: 4 }, () => [x, y] as const)
  expect(insideAt(stand(0.2, 0.8), hollow)).toEqual([2, 3])
  expect(insideAt(stand(0.5, 0.8), hollow)).toEqual([])
  expect(insideAt(stand(0.5, 0.3), hollow)).toEqual([2, 3])
})

test('whoever stands below the edge of the picture is in the whole picture', () => {
  const whole: Shape = {
    ...zone,
    points: [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ],
  }
  expect(
    insideAt(
      Array.from({ length: 4 }, () => [0.5, 1.15] as const),
      whole,
    ),
  ).toEqual([2, 3])
})

test('a track that is gone is forgotten', () => {
  const zones = createZones([zone], settings, 1)
  for (let i = 0; i < 4; i++) zones.update([at(0.5, 0.5)], i * 200)
  zones.update([], 800)
  expect(zones.update([at(0.5, 0.5)], 1000).stays.size).toBe(0)
})
