/** The use cases that need a model, through the real runtime: a detector of colours looks at painted pictures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventRecord } from '@sightline/contract/edge'
import type { DetectionLabel, PipelineElements, UsecaseKey } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellSide, colourDetector, colourEmbedder } from '../../../domain/src/testing/onnx-file.ts'
import type { AttachedFaces } from '../model/attached.ts'
import { createAnalyzer } from './analyzer.ts'
import { type Cv, loadOpenCv } from './opencv.ts'
import { fromAbove, occasionsIn, told, windows } from './testing/made.ts'
import { newPaint, paintOn } from './testing/paint.ts'
import { channelOf, countingBytes, sourceId, wholePicture } from './testing/run.ts'

const start = Date.UTC(2026, 4, 4, 12)
const [width, height] = [640, 360]
/** In the picture a cell of the model is twice as large, and the picture begins 140 pixels below the first. */
const cell = cellSide * 2
const above = 140
const folder = mkdtempSync(join(tmpdir(), 'by-model-'))
const feetRow = 6

let cv: Cv
beforeAll(async () => {
  cv = await loadOpenCv()
  writeFileSync(join(folder, 'colours.onnx'), colourEmbedder())
  writeFileSync(join(folder, 'cells.onnx'), colourDetector('yolov8'))
  // Who stands in the sixth row is three cells tall, so that a cell can be worn on the head.
  writeFileSync(join(folder, 'standing.onnx'), colourDetector('yolov8', 320, undefined, { row: feetRow, cells: 3 }))
})
afterAll(() => rmSync(folder, { recursive: true }))

const colours = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] } as const
type Patch = [colour: keyof typeof colours, x: number, y: number, wide?: number, high?: number]

/** Tiles of grey: a colour is none to the detector unless it is pure. */
const tiles = newPaint(width, height, [100, 100, 100]).data.map((value, i) => {
  const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)]
  return value + ((x >> 4) % 3) * 30 + ((y >> 4) % 2) * 20
})
const pictures = new Map<string, Uint8Array>()
function painted(patches: readonly Patch[]): Uint8Array {
  const key = JSON.stringify(patches)
  const known = pictures.get(key)
  if (known) return known
  const canvas = paintOn(tiles.slice(), width, height)
  for (const [colour, x, y, wide = 1, high = 1] of patches)
    for (let row = 0; row < high * cell; row++)
      for (let column = 0; column < wide * cell; column++)
        canvas.put(x * cell + column, y * cell - above + row, colours[colour])
  pictures.set(key, canvas.data)
  return canvas.data
}

type Case = {
  file?: 'cells' | 'standing'
  labels: DetectionLabel[]
  elements?: PipelineElements
  seconds?: number
  /** By the second: whoever can be recognised. */
  faces?: (seconds: number) => AttachedFaces
}

/** Four seconds of nothing for the background, then what `shown` paints by the second. */
function watch(usecase: UsecaseKey, about: Case, shown: (seconds: number) => Patch[]): EventRecord[] {
  const { file = 'cells', labels, elements, seconds = 12, faces } = about
  const analyzer = createAnalyzer({ cv, random: countingBytes() })
  const channel = channelOf(usecase, [{ points: wholePicture }], { 'tracker.dist_gate': 3, ...elements })
  const model = {
    sha256: 'ab'.repeat(32),
    file: join(folder, `${file}.onnx`),
    head: 'yolov8' as const,
    input: { width: 320, height: 320, is_open: false },
    labels: Object.fromEntries(labels.map((label, i) => [i, label])),
  }
  let known = faces?.(0)
  const apply = (ms: number) =>
    analyzer.setChannels([{ ...channel, version: 1 + ms, model, ...(known && { faces: known }) }], start + ms)
  const { states } = apply(0)
  expect(states).toMatchObject([{ state: 'applied', detector_state: 'ok' }])
  const records: EventRecord[] = []
  for (let ms = 0; ms < seconds * 1000; ms += 100) {
    const now = faces?.(ms / 1000)
    if (JSON.stringify(now) !== JSON.stringify(known)) {
      known = now
      records.push(...apply(ms).records)
    }
    const data = painted(ms < 4000 ? [] : shown(ms / 1000 - 4))
    records.push(...analyzer.frame({ source_id: sourceId, at: start + ms, pts_ms: ms, width, height, data }).records)
  }
  records.push(...analyzer.stop(start + seconds * 1000, 'disabled'))
  for (const record of records) expect(record).toMatchObject({ detector: 'onnx', model_version: 'ab'.repeat(32) })
  return records
}
const opened = (records: EventRecord[]) => told(records).filter(([kind]) => kind === 'open')
const most = (records: EventRecord[], metric: string) =>
  Math.max(...windows(records).map(({ metrics }) => metrics[metric] ?? 0))

const equipment: Case = {
  file: 'standing',
  labels: ['person', 'helmet', 'no_helmet'],
  elements: { 'analytic.required_items': 'helmet' },
}
test('ppedtec: a bare head is one violation, a helmet is none', () => {
  const dressed = (hat: 'green' | 'blue') => (): Patch[] => [
    ['red', 3, feetRow],
    [hat, 3, feetRow - 2],
  ]
  const bare = watch('ppedtec', equipment, dressed('blue'))
  expect(opened(bare).map(([, , metrics]) => metrics)).toEqual([{ violation: 1 }])
  expect(bare.find(({ kind }) => kind === 'open')?.details).toMatchObject({
    item: 'helmet',
    boxes: [{ label: 'person' }],
  })
  const safe = watch('ppedtec', equipment, dressed('green'))
  expect(opened(safe)).toEqual([])
  expect([most(safe, 'total_max'), most(safe, 'non_violation_max')]).toEqual([1, 1])
})

/** A model that says by finding no helmet that none is worn. */
const plain: Case = { ...equipment, labels: ['person', 'helmet'], seconds: 40 }
test.each<[string, (s: number) => Patch[]]>([
  // Never anywhere for long: what comes again and again is taken for background.
  ['something moves beside', (s) => [['blue', 6.7 + (Math.floor(s * 2) % 11) * 0.3, 4, 0.3]]],
  [
    'a hand of theirs moves',
    (s) => [['blue', 3 + (Math.floor(s * 2) % 3) / 3, 5 + (Math.floor((s * 2) / 3) % 3) / 3, 1 / 3, 1 / 3]],
  ],
])('ppedtec: who stands there at work in a helmet is in no violation while %s', (_, moving) => {
  const worker =
    (hat: Patch[]) =>
    (s: number): Patch[] => [['red', 3, feetRow], ...hat, ...(s < 8 || Math.floor(s * 4) % 2 ? [] : moving(s))]
  const safe = watch('ppedtec', plain, worker([['green', 3, feetRow - 2]]))
  expect(opened(safe)).toEqual([])
  expect(windows(safe).at(-2)?.metrics).toMatchObject({ non_violation: 1 })
  expect(opened(watch('ppedtec', plain, worker([])))).toHaveLength(1)
})

test('fcmsk: a face without a mask is one violation, one with a mask is none', () => {
  const faces: Case = { labels: ['mask', 'no_mask', 'face'] }
  const bare = watch('fcmsk', faces, () => [
    ['green', 3, 4],
    ['red', 7, 4],
  ])
  expect(opened(bare).map(([, , metrics]) => metrics)).toEqual([{ violation: 1 }])
  expect([most(bare, 'total_max'), most(bare, 'non_violation_max')]).toEqual([2, 1])
  expect(opened(watch('fcmsk', faces, () => [['red', 7, 4]]))).toEqual([])
})

const [redOne, greenOne] = ['01', '02'].map((last) => `0190a0b0-0000-7000-8000-0000000000${last}`)
/** As it comes over the link: who is as red as can be, and who is green. */
const gallery = (many = 2) => {
  const file = join(folder, `gallery-${many}`)
  const people = [
    ['01', [1, 0, 0]],
    ['02', [0, 1, 0]],
  ] as const
  const records = people
    .slice(0, many)
    .map(([last, vector]) =>
      Buffer.concat([
        Buffer.from(`0190a0b00000700080000000000000${last}`, 'hex'),
        Buffer.from(Float32Array.from(vector).buffer),
      ]),
    )
  writeFileSync(file, Buffer.concat(records))
  return file
}
const recognition = (known: string | null, then?: (seconds: number) => AttachedFaces | null): Case => ({
  labels: ['face', 'face', 'face'],
  elements: { 'detector.embedding': 'any', 'detector.every_n': 1 },
  faces: (seconds) =>
    then?.(seconds) ?? {
      embedder: {
        ...{ file: join(folder, 'colours.onnx'), input: { width: 32, height: 32 }, range: 'signed', vector_length: 3 },
      },
      gallery: known,
    },
  seconds: 14,
})
test('fcrecog: each new face is told once, with who it is; a stranger is unknown, and so is everybody without a gallery', () => {
  const came = () =>
    [
      ['red', 3, 4],
      ['blue', 7, 4],
    ] satisfies Patch[]
  const seen = (records: EventRecord[]) =>
    records.filter(({ kind }) => kind === 'open').map(({ details }) => details?.identity)
  const known = watch('fcrecog', recognition(gallery()), came)
  expect(seen(known).toSorted()).toEqual([redOne, null])
  expect(most(known, 'total_max')).toBe(2)
  expect(seen(watch('fcrecog', recognition(null), came))).toEqual([null, null])
  expect(seen(watch('fcrecog', recognition(gallery()), () => []))).toEqual([])
})

test('fcrecog: another gallery is known from when it is there, and tells of nobody again who is in view', () => {
  const identities = (case_: Case) =>
    watch('fcrecog', case_, (s) => [['red', 3, 4], ...(s < 6 ? [] : [['green', 7, 4] satisfies Patch])])
      .filter(({ kind }) => kind === 'open')
      .map(({ details }) => details?.identity)
  const [before, after] = [recognition(gallery(1)), recognition(gallery(2))]
  expect(identities(before)).toEqual([redOne, null])
  const swapped = recognition(null, (seconds) =>
    seconds >= 8 && seconds < 9 ? { cause: 'gallery_loading' } : (seconds < 8 ? before : after).faces!(0),
  )
  expect(identities(swapped)).toEqual([redOne, greenOne])
})

const fires: Case = { labels: ['fire', 'smoke', 'person'], seconds: 20 }
test('frdtec: fire and growing smoke are told with their levels, and a view without them is quiet', () => {
  // A cell is 1.8 % of the picture: one is low, five are intermediate, fifteen are high.
  const burning = watch('frdtec', fires, (s) => [
    ['red', 1, 6],
    ['green', 3, 3, s < 5 ? 1 : 5, s < 10 ? 1 : 3],
  ])
  const metrics = opened(burning).map(([, , told]) => Object.keys(told)[0])
  expect(metrics.toSorted()).toEqual(['fire', 'high_smoke', 'intermediate_smoke', 'low_smoke'])
  expect(metrics.filter((metric) => metric !== 'fire')).toEqual(['low_smoke', 'intermediate_smoke', 'high_smoke'])
  expect(told(burning).flatMap(([kind, , , cause]) => (kind === 'close' ? [cause] : []))).toEqual([
    'risen',
    'risen',
    'disabled',
    'disabled',
  ])
  expect(opened(watch('frdtec', fires, () => []))).toEqual([])
})

const traffic = (radius: number): Case => ({
  labels: ['person', 'vehicle', 'forklift'],
  elements: { ...fromAbove, 'analytic.radius_vehicle_m': radius },
  seconds: 14,
})
/** A cell is 1.6 m; a vehicle goes on by one every half second, toward somebody in the ninth. */
const drives =
  (last: number) =>
  (s: number): Patch[] => [
    ['red', 9, 4],
    ['green', Math.min(last, 1 + Math.floor(s * 2)), 4],
  ]
test('coldtec: a vehicle that stops just before somebody is one near miss, one whose disc touches theirs a collision, one far away neither', () => {
  const near = watch('coldtec', traffic(0.5), drives(8))
  expect(told(near).map(([kind, , metrics]) => [kind, metrics])).toEqual([['open', { total_near_miss: 1, total: 1 }]])
  expect(near.find(({ kind }) => kind === 'open')?.details).toMatchObject({ label: expect.stringContaining('vehicle') })
  const hit = watch('coldtec', traffic(1.5), drives(8))
  expect(told(hit).map(([, , metrics]) => metrics)).toEqual([{ total_collision: 1, total: 1 }])
  expect(told(watch('coldtec', traffic(0.5), drives(3)))).toEqual([])
})

test('intrdtec: a vehicle where only people are allowed is an intrusion, and a person is not', () => {
  const gate: Case = {
    labels: ['person', 'vehicle', 'forklift'],
    elements: { 'detector.kind': 'onnx', 'analytic.labels': 'vehicle' },
  }
  expect(
    occasionsIn(
      watch('intrdtec', gate, () => [
        ['green', 4, 4],
        ['red', 7, 4],
      ]),
    ),
  ).toBe(1)
  expect(occasionsIn(watch('intrdtec', gate, () => [['red', 7, 4]]))).toBe(0)
})
