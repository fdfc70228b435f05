import type { ChannelState, EventRecord, LinkChannel } from '@sightline/contract/edge'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { type Analyzer, createAnalyzer } from './analyzer.ts'
import { type Cv, loadOpenCv, type Mat } from './opencv.ts'
import { newDetector } from './perception.ts'
import { channelOf, countingBytes, sourceId, wholePicture } from './testing/run.ts'

const start = Date.UTC(2026, 4, 4, 12)
const width = 320
const height = 180

let cv: Cv
let analyzer: Analyzer
beforeAll(async () => {
  cv = await loadOpenCv()
})
afterEach(() => analyzer.stop(start, 'disabled'))

const newAnalyzer = (channels: LinkChannel[]) => {
  analyzer = createAnalyzer({ cv, random: countingBytes() })
  return analyzer.setChannels(channels, start)
}
type Paint = (x: number, y: number) => number
const room: Paint = (x, y) => 90 + ((x >> 4) % 3) * 30 + ((y >> 4) % 2) * 20

const size = width * height * 3
/** Camera noise, different in each of seven pictures. */
const grains = Array.from({ length: 7 }, (_, i) => {
  let seed = i + 1
  return Uint8Array.from({ length: size }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return (seed >> 16) % 5
  })
})
const painted = new Map<Paint, Uint8Array>()
function still(paint: Paint): Uint8Array {
  const known = painted.get(paint)
  if (known) return known
  const made = Uint8Array.from({ length: size }, (_, i) => paint(Math.floor(i / 3) % width, Math.floor(i / 3 / width)))
  painted.set(paint, made)
  return made
}
/** A dark block in front of the room: x, y, width, height. */
type Block = [x: number, y: number, w: number, h: number]

/** A picture with noise of a still scene and perhaps a block in front of it. */
function frame(ms: number, paint: Paint = room, block: Block | null = null) {
  const data = still(paint).slice()
  if (block) {
    const [x, y, w, h] = block
    for (let row = y; row < y + h; row++) data.fill(10, (row * width + x) * 3, (row * width + x + w) * 3)
  }
  const grain = grains[(ms / 200) % grains.length]!
  for (let i = 0; i < size; i++) data[i]! += grain[i]!
  return { source_id: sourceId, at: start + ms, pts_ms: ms, width, height, data }
}
function run(fromMs: number, untilMs: number, paint?: Paint, block: (ms: number) => Block | null = () => null) {
  const all: { records: EventRecord[]; states: ChannelState[]; boxes: number[] } = {
    records: [],
    states: [],
    boxes: [],
  }
  for (let ms = fromMs; ms < untilMs; ms += 200) {
    const { records, states, overlay } = analyzer.frame(frame(ms, paint, block(ms)))
    all.records.push(...records)
    all.states.push(...states)
    if (overlay) all.boxes.push(overlay.boxes.length)
  }
  return all
}
const brief = (states: ChannelState[]) => states.map((one) => [one.state, one.detector_state, one.cause])
const motion = (zones: Parameters<typeof channelOf>[1], elements = {}) =>
  channelOf('pplcnt', zones, { 'detector.kind': 'motion', ...elements })

test('a channel is applied, warms up, then runs; each change is told once', () => {
  const { states } = newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }])])
  expect(brief(states)).toEqual([['applied', 'ok', null]])
  const { states: then, records } = run(0, 7200)
  expect(brief(then)).toEqual([
    ['running', 'degraded', 'degraded:warm_up'],
    ['running', 'ok', null],
  ])
  // Watched from the picture at 2.6 s on.
  expect(records).toMatchObject([{ kind: 'window', observed_ms: 2400, metrics: { total: 0 } }])
  expect(analyzer.states()[0]?.fps).toBe(5)
})

test('a channel that joins others on their camera runs at once, and says how many pictures it sees when that is known', () => {
  const first = channelOf('pplcnt', [{ points: wholePicture }])
  newAnalyzer([first])
  run(0, 7200)
  const { states } = analyzer.setChannels([first, channelOf('ppltrk', [{ points: wholePicture }])], start + 7200)
  expect(brief(states)).toEqual([['applied', 'ok', null]])
  const { states: then } = run(7200, 14_400)
  expect(then.map((one) => [one.state, one.fps])).toEqual([
    ['running', null],
    ['running', 5],
  ])
})

test('channels that cannot run say so and send nothing', () => {
  const { states } = newAnalyzer([channelOf('ppedtec', [{}]), channelOf('phydist', [{}]), channelOf('intrdtec', [])])
  expect(brief(states)).toEqual([
    ['applied', 'needs_model', 'needs_model'],
    ['applied', 'needs_calibration', 'needs_calibration'],
    ['refused', 'ok', 'no_zone'],
  ])
  expect(run(0, 12_000, undefined, () => [100, 40, 40, 100]).records).toEqual([])
})

test('most of the picture changing at once pauses the counting', () => {
  newAnalyzer([motion([{ points: wholePicture }])])
  run(0, 5000)
  const { states, records } = run(5000, 10_200, (x, y) => room(x, y) + 70)
  expect(brief(states)).toEqual([
    ['running', 'degraded', 'degraded:scene_changed'],
    ['running', 'degraded', 'degraded:motion_only'],
  ])
  expect(records.at(-1)).toMatchObject({ state_cause: 'degraded:scene_changed' })
  expect(records.at(-1)?.observed_ms).toBeLessThan(2600)
  expect(Math.max(0, records.at(-1)?.metrics.total_max ?? 0)).toBe(0)
})

test('a picture that turns black is not an empty room', () => {
  newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }])])
  run(0, 10_000)
  const { records, states } = run(10_000, 30_200, () => 3)
  const last = records.filter(({ kind }) => kind === 'window').at(-1)
  expect(last).toMatchObject({ observed_ms: 0, metrics: {}, detector_state: 'degraded', state_cause: 'degraded:black' })
  expect(brief(states).at(-1)).toEqual(['running', 'degraded', 'degraded:black'])
})

test('the empty frame check tells a blind camera from an empty room', () => {
  newAnalyzer([channelOf('emptyframecheck', [{ points: wholePicture }], { 'decode.fps': 5, 'analytic.hold_s': 4 })])
  const empty = run(0, 12_000)
  expect(empty.records.filter(({ kind }) => kind === 'open')).toMatchObject([
    { metrics: { total: 1 }, details: { finding: 'nobody' }, detector: 'motion', detector_state: 'ok' },
  ])
  const black = run(12_000, 24_000, () => 3)
  expect(
    black.records.filter(({ kind }) => kind !== 'window').map(({ kind, details }) => [kind, details?.finding]),
  ).toEqual([
    ['close', 'nobody'],
    ['open', 'black'],
  ])
})

test('what moves behind a mask is not seen', () => {
  const walk = (ms: number): Block => [20 + ms / 50, 60, 40, 100]
  newAnalyzer([motion([{ points: wholePicture }])])
  expect(Math.max(...run(0, 8000, undefined, walk).boxes)).toBe(1)
  analyzer.stop(start, 'disabled')
  newAnalyzer([
    motion([
      { points: wholePicture },
      {
        name: 'mask1',
        kind: 'mask',
        points: [
          [0, 0.3],
          [1, 0.3],
          [1, 1],
          [0, 1],
        ],
      },
    ]),
  ])
  expect(Math.max(...run(0, 8000, undefined, walk).boxes)).toBe(0)
})

test('the occupancy of a channel that runs is set, of no other', () => {
  const door = { name: 'line1', kind: 'line' as const, points: wholePicture.slice(0, 2) }
  const channel = channelOf('pplocc', [door])
  const set = (at: number) => analyzer.setOccupancy(channel.channel_id, 12, start + at)
  newAnalyzer([channel])
  expect(set(0)).toBeNull()
  expect(analyzer.setOccupancy(sourceId, 12, start)).toBeNull()
  run(0, 6000)
  expect(set(6000)).toMatchObject({ before: 0, records: [{ levels: { occupancy: 12 } }], states: [] })
  expect(run(6000, 10_200).records).toMatchObject([{ kind: 'window', metrics: { occupancy: 12 } }])
  analyzer.pass(start + 30_000)
  expect(set(30_000)).toBeNull()
})

test('a camera that stops sending is stalled: its window is closed and it comes back by itself', () => {
  newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }])])
  run(0, 7200)
  expect(analyzer.pass(start + 9000)).toMatchObject({ records: [], states: [] })
  expect(analyzer.pass(start + 14_200).records).toMatchObject([
    { kind: 'window', observed_at: start + 10_000, observed_ms: 2200 },
  ])
  expect(brief(analyzer.pass(start + 18_000).states)).toEqual([['stopped', 'ok', 'stalled']])
  expect(analyzer.pass(start + 19_000).states).toEqual([])
  expect(brief(run(60_000, 64_000).states)).toEqual([
    ['running', 'degraded', 'degraded:warm_up'],
    ['running', 'ok', null],
  ])
})

test('a clock set back begins anew instead of waiting for the old time', () => {
  newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }])])
  run(3_600_000, 3_607_200)
  const { states, records } = run(0, 10_200)
  expect(brief(states)).toEqual([
    ['running', 'degraded', 'degraded:warm_up'],
    ['running', 'ok', null],
  ])
  expect(records.map(({ observed_at }) => observed_at - start)).toEqual([3_610_000, 5000, 10_000])
})

test('a change of settings ends what ran and starts the new; other channels do not notice', () => {
  const counting = channelOf('pplcnt', [{ points: wholePicture }])
  const tracking = channelOf('ppltrk', [{ points: wholePicture }])
  newAnalyzer([counting, tracking])
  run(0, 7200)
  const changed = { ...counting, version: 2, zones: [] }
  const { records, states } = analyzer.setChannels([changed, tracking], start + 7200)
  expect(records).toMatchObject([{ kind: 'window', channel_id: counting.channel_id, observed_at: start + 7200 }])
  expect(states).toMatchObject([{ channel_id: counting.channel_id, version: 2, state: 'applied' }])
  // No warm-up: the background is still known.
  expect(brief(run(7200, 8000).states)).toEqual([['running', 'ok', null]])
})

const anybody = (zones: Parameters<typeof channelOf>[1], elements = {}) =>
  channelOf('intrdtec', zones, { 'detector.kind': 'motion', ...elements })
const right: [number, number][] = [
  [0.5, 0],
  [1, 0],
  [1, 1],
  [0.5, 1],
]
/** Comes in from the left and goes on through the right half. */
const passing =
  (fromMs: number) =>
  (ms: number): Block => [Math.min(270, 20 + (ms - fromMs) / 20), 60, 30, 90]
const occasions = (records: EventRecord[]) =>
  records.filter(({ kind }) => kind !== 'window').map(({ kind, details }) => [kind, details?.cause])

test('a new name, or a version with another threshold, ends nothing: what is open goes on under its id', () => {
  const channel = anybody([{ points: right }])
  newAnalyzer([channel])
  const before = run(0, 8000, undefined, (ms) => (ms < 4000 ? null : passing(4000)(ms)))
  expect(occasions(before.records)).toEqual([['open', undefined]])
  const { records, states } = analyzer.setChannels(
    [{ ...channel, name: 'Yard', version: 2, auto_recovery: false }],
    start + 8000,
  )
  expect(records).toEqual([])
  expect(states).toMatchObject([{ version: 2, state: 'running' }])
  expect(occasions(run(8000, 9000, undefined, passing(4000)).records)).toEqual([])
  expect(analyzer.states()).toMatchObject([{ version: 2, state: 'running' }])
})

/** The same without its last rows. */
const lower = (picture: ReturnType<typeof frame>) => ({
  ...picture,
  height: 160,
  data: picture.data.subarray(0, width * 160 * 3),
})
test.each<[string, (picture: ReturnType<typeof frame>) => ReturnType<typeof frame>, number]>([
  ['camera that was silent', (picture) => picture, 12_000],
  ['picture of another size', (picture) => lower(picture), 0],
])('after a %s somebody else who comes is another event, not what was before', (_, shape, pause) => {
  newAnalyzer([anybody([{ points: right }])])
  const before = run(0, 8000, undefined, (ms) => (ms < 4000 ? null : passing(4000)(ms)))
  expect(occasions(before.records)).toEqual([['open', undefined]])
  const records = pause > 0 ? analyzer.pass(start + 8000 + pause).records : []
  const from = 8000 + pause
  for (let ms = from; ms < from + 9000; ms += 200)
    records.push(
      ...analyzer.frame(shape(frame(ms, undefined, ms < from + 4000 ? null : passing(from + 4000)(ms)))).records,
    )
  expect(occasions(records).slice(0, 2)).toEqual([
    ['close', 'lost'],
    ['open', undefined],
  ])
})

test('who comes to a place has not stayed there since before the pictures changed their size', () => {
  newAnalyzer([
    channelOf('loiterdtec', [{ points: wholePicture }], { 'detector.kind': 'motion', 'analytic.dwell_s': 6 }),
  ])
  const { records } = run(0, 8000, undefined, (ms) => (ms < 3000 ? null : [20 + (ms - 3000) / 26, 60, 30, 90]))
  for (let ms = 8000; ms < 14_000; ms += 200) {
    const block: Block | null = ms < 10_400 ? null : [165 + (ms - 10_400) / 26, 60, 30, 90]
    records.push(...analyzer.frame(lower(frame(ms, undefined, block))).records)
  }
  expect(occasions(records)).toEqual([])
})

test('what ended in the picture that failed is told', () => {
  let isBroken = false
  const detectorOf: typeof newDetector = (...parts) => {
    if (isBroken) throw new Error('no detector')
    return newDetector(...parts)
  }
  analyzer = createAnalyzer({ cv, random: countingBytes(), detectorOf })
  const intrusion = channelOf('intrdtec', [{ points: wholePicture }], { 'detector.kind': 'motion' })
  analyzer.setChannels([intrusion], start)
  const { records } = run(0, 8000, undefined, (ms) => (ms < 3000 ? null : [20 + (ms - 3000) / 26, 60, 30, 90]))
  expect(occasions(records).map(([kind]) => kind)).toEqual(['open'])
  isBroken = true
  expect(() => analyzer.frame(lower(frame(8000)))).toThrow('no detector')
  const told = occasions(analyzer.reset(sourceId, start + 8000).records)
  expect(told.map(([kind]) => kind)).toEqual(['close'])
})

/** OpenCV, and which of the pictures that it was asked for are still on its heap. */
function watched(): [Cv, Set<Mat>] {
  const kept = new Set<Mat>()
  const make = (Mat: Cv['Mat'], sizes: unknown[]): Mat => {
    const mat: Mat = Reflect.construct(Mat, sizes)
    const free = mat.delete.bind(mat)
    kept.add(mat)
    mat.delete = () => {
      kept.delete(mat)
      free()
    }
    return mat
  }
  const mats = new Proxy(cv.Mat, { construct: make })
  return [new Proxy(cv, { get: (all, name) => (name === 'Mat' ? mats : Reflect.get(all, name)) }), kept]
}

test('a camera whose pictures cannot be analysed says so once, and leaves nothing on the heap', () => {
  const [cv, kept] = watched()
  let most = 0
  const detectorOf = () => {
    most = Math.max(most, kept.size)
    throw new Error('no detector')
  }
  analyzer = createAnalyzer({ cv, random: countingBytes(), detectorOf })
  analyzer.setChannels([motion([{ points: wholePicture }])], start)
  const states: ChannelState[] = []
  for (let ms = 0; ms < 2000; ms += 200) {
    expect(() => analyzer.frame(frame(ms))).toThrow('no detector')
    states.push(...analyzer.reset(sourceId, start + ms).states)
    expect(kept.size).toBe(0)
  }
  expect(most).toBeGreaterThan(3)
  expect(brief(states)).toEqual([['stopped', 'ok', 'analysis_failed']])
  expect(states[0]?.fps).toBe(0)
})

test('pictures left out because the worker is slow make the channel degraded', () => {
  newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }])])
  run(0, 3200)
  analyzer.setPace(sourceId, { is_reduced: true, left_out: 120, drops: 7 })
  expect(brief(run(3200, 3600).states)).toEqual([['running', 'degraded', 'analysis_behind:120']])
  expect(analyzer.states()[0]?.drops).toBe(7)
})

test('a channel that wants fewer pictures takes fewer', () => {
  const slow = channelOf('emptyframecheck', [{ points: wholePicture }])
  newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }]), slow])
  run(0, 7200)
  expect(analyzer.states().map((state) => state.fps)).toEqual([5, 1])
})

test('a picture of another size begins anew', () => {
  newAnalyzer([channelOf('pplcnt', [{ points: wholePicture }])])
  run(0, 4000)
  const small = { ...frame(4000), width: 160, height: 90, data: new Uint8Array(160 * 90 * 3) }
  expect(brief(analyzer.frame(small).states)).toEqual([['running', 'degraded', 'degraded:warm_up']])
})

test('the heap does not grow', () => {
  newAnalyzer([
    channelOf('pplcnt', [
      { points: wholePicture },
      {
        name: 'mask1',
        kind: 'mask',
        points: [
          [0, 0],
          [0.1, 0],
          [0.1, 0.1],
        ],
      },
    ]),
    channelOf('emptyframecheck', [{ points: wholePicture }], { 'decode.fps': 5 }),
  ])
  // A new block of memory lies where the last one was given back, unless something was kept in between.
  const probe = () => {
    const mat = new cv.Mat(1, 50_000, cv.CV_8UC1)
    const place = mat.data.byteOffset
    mat.delete()
    return place
  }
  const walk = (ms: number): Block => [20 + ((ms / 40) % 260), 100, 16, 40]
  run(0, 30_000, undefined, walk)
  const length = cv.HEAPU8.length
  const place = probe()
  run(30_000, 150_000, undefined, walk)
  expect(cv.HEAPU8.length).toBe(length)
  expect(probe() - place).toBeLessThan(16 * 1024)
})
