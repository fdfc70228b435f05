import { describe, expect, test } from 'vitest'
import { occasionsIn, open, play, room, start, track, windows } from '../testing/made.ts'

const hall = {
  points: [
    [0.1, 0.4],
    [0.3, 0.4],
    [0.3, 0.8],
    [0.1, 0.8],
  ] satisfies [number, number][],
}
const inRoom = (id: number) => track(id, 0.5, 0.7)
const inHall = (id: number) => track(id, 0.2, 0.7)

/** When somebody stayed too long where, in ms since the start. */
const opened = (records: ReturnType<typeof play>) =>
  records
    .filter(({ kind }) => kind === 'open')
    .map(({ observed_at, details }) => [details?.zone, details?.track_id, observed_at - start])

describe.each([
  ['loiterdtec', 'analytic.dwell_s'],
  ['intrdtec', 'zones.min_dwell_s'],
] as const)('%s', (usecase, element) => {
  const staying = (...zones: Parameters<typeof open>[1]) => open(usecase, zones, { [element]: 10 })

  test.each([
    ['shorter', 4],
    ['longer', 14],
  ])('a zone with a %s dwell of its own goes by that, the other by the analytic’s', (_, seconds) => {
    const records = play(staying(room, { ...hall, dwell_s: seconds }), 20_200, () => [inRoom(1), inHall(2)])
    const expected = [
      ['zone1', 1, 10_000],
      ['zone2', 2, seconds * 1000],
    ].toSorted((a, b) => Number(a[2]) - Number(b[2]))
    expect(opened(records)).toEqual(expected)
    // By windows of five seconds: how many stayed too long at its end.
    const counts = windows(records).map(({ observed_at, metrics }) => [observed_at - start, metrics.violation_max])
    const tooLong = (ms: number) => expected.filter(([, , at]) => Number(at) < ms).length
    expect(counts).toEqual([5000, 10_000, 15_000, 20_000].map((ms) => [ms, tooLong(ms)]))
  })

  test('who goes from one to the other stays by the dwell of each', () => {
    const channel = staying({ ...room, dwell_s: 3 }, { ...hall, dwell_s: 6 })
    const records = play(channel, 20_000, (ms) => [ms < 8000 ? inRoom(1) : inHall(1)])
    expect(opened(records)).toEqual([
      ['zone1', 1, 3000],
      ['zone2', 1, 14_000],
    ])
  })

  test('where zones lie over each other each tells by its own, and the person is one', () => {
    const records = play(staying({ ...room, dwell_s: 3 }, { ...room, dwell_s: 6 }), 10_200, () => [inRoom(1)])
    expect(opened(records)).toEqual([
      ['zone1', 1, 3000],
      ['zone2', 1, 6000],
    ])
    expect(occasionsIn(records)).toBe(2)
    expect(windows(records).at(-1)?.metrics).toMatchObject({ violation: 1, violation_max: 1 })
  })
})

test('no dwell at all is an intrusion as soon as somebody is in', () => {
  const records = play(open('intrdtec', [{ ...room, dwell_s: 0 }], { 'zones.min_dwell_s': 10 }), 2000, () => [
    inRoom(1),
  ])
  // Three pictures make somebody be in.
  expect(opened(records)).toEqual([['zone1', 1, 400]])
})
