import { expect, test } from 'vitest'
import { createGate, type Gate, glanceSize, showsChange, type Verdict } from './gate.ts'
import { ticksPerSecond } from './timeline.ts'

const fps = 10

/** Plays packets: sizes by second, a key frame at the beginning of every `gop` seconds. */
function play(gate: Gate, from: number, sizes: readonly number[], { gop = 2, mayRest = true } = {}): Verdict[] {
  return sizes.map((bytes, i) => {
    const index = from + i
    const key = index % (gop * fps) === 0
    return gate.next({ key, bytes: key ? 30_000 : bytes, pts: (index * ticksPerSecond) / fps }, mayRest)
  })
}
/** Sizes of a quiet scene: noise and a pattern that repeats, as encoders make them. */
const quiet = (seconds: number) =>
  Array.from({ length: seconds * fps }, (_, i) => 800 + ((i * 37) % 100) + (i % 4) * 60)
const count = (verdicts: readonly Verdict[], which: Verdict) => verdicts.filter((one) => one === which).length

test('a quiet scene is looked at once in each group of pictures, all else is kept undecoded', () => {
  const gate = createGate()
  play(gate, 0, quiet(10))
  expect(gate.isResting()).toBe(true)
  const verdicts = play(gate, 100, quiet(20))
  expect(count(verdicts, 'glance')).toBe(10)
  expect(count(verdicts, 'keep')).toBe(190)
})

test('key frames that come more often are looked at every two seconds', () => {
  const gate = createGate()
  const everyPicture = (from: number, pictures: number) =>
    Array.from({ length: pictures }, (_, i) =>
      gate.next({ key: true, bytes: 30_000, pts: ((from + i) * ticksPerSecond) / fps }, true),
    )
  everyPicture(0, 50)
  const verdicts = everyPicture(50, 100)
  expect(count(verdicts, 'glance')).toBe(5)
  expect(count(verdicts, 'decode')).toBe(0)
})

test.each([
  ['half as large again for some pictures', Array(4).fill(1500), 4],
  ['one far larger', [4000], 1],
  ['far smaller than ever: the picture froze or went black', Array(4).fill(60), 4],
])('packets of other sizes wake it: %s', (_, sizes, within) => {
  const gate = createGate()
  play(gate, 0, quiet(30))
  const verdicts = play(gate, 305, sizes)
  expect(verdicts.indexOf('decode')).toBeGreaterThanOrEqual(0)
  expect(verdicts.indexOf('decode')).toBeLessThan(within)
  expect(gate.isResting()).toBe(false)
})

test('it wakes when whoever looks sees something, and rests again after some calm, wherever in a group of pictures', () => {
  const gate = createGate()
  play(gate, 0, quiet(10))
  expect(play(gate, 100, quiet(1.3), { mayRest: false })[0]).toBe('decode')
  const verdicts = play(gate, 113, quiet(1))
  expect(verdicts.slice(0, 7)).toEqual(Array(7).fill('decode'))
  expect(verdicts.slice(8)).toEqual(Array(2).fill('keep'))
})

test('where a glance shows a change everything is decoded', () => {
  const gate = createGate()
  play(gate, 0, quiet(10))
  expect(play(gate, 100, quiet(2))[0]).toBe('glance')
  gate.wake()
  expect(gate.isResting()).toBe(false)
  expect(play(gate, 121, quiet(1))[0]).toBe('decode')
})

test('key frames more than three seconds apart leave no rest: nothing goes unseen for longer, and nothing would be saved', () => {
  const verdicts = play(createGate(), 0, quiet(60), { gop: 4 })
  expect(count(verdicts, 'decode')).toBe(600)
  const gate = createGate()
  play(gate, 0, quiet(10))
  // They come no more.
  const late = play(gate, 101, quiet(10), { gop: 1000 })
  expect(late.lastIndexOf('keep')).toBeLessThanOrEqual(3 * fps)
})

test('other sizes that stay, as after a change of the camera’s settings, are learnt', () => {
  const gate = createGate()
  play(gate, 0, quiet(10))
  const larger = quiet(20).map((bytes) => bytes * 3)
  expect(play(gate, 105, larger.slice(0, 5))).toContain('decode')
  play(gate, 110, larger)
  expect(gate.isResting()).toBe(true)
})

test('never rests while it may not', () => {
  const verdicts = play(createGate(), 0, quiet(60), { mayRest: false })
  expect(count(verdicts, 'decode')).toBe(600)
})

test('glances: noise and a cloud are no change, a small dark figure and a light that is switched are', () => {
  const cells = (value: (i: number) => number) =>
    Uint8Array.from({ length: glanceSize.width * glanceSize.height }, (_, i) => value(i))
  const wall = cells((i) => 90 + (i % 64))
  expect(
    showsChange(
      wall,
      cells((i) => 90 + (i % 64) + ((i * 7) % 3) - 1),
    ),
  ).toBe(false)
  expect(
    showsChange(
      wall,
      cells((i) => 94 + (i % 64)),
    ),
  ).toBe(false)
  expect(
    showsChange(
      wall,
      cells((i) => (i === 700 || i === 764 ? 80 : 90) + (i % 64)),
    ),
  ).toBe(true)
  expect(
    showsChange(
      wall,
      cells((i) => 110 + (i % 64)),
    ),
  ).toBe(true)
})
