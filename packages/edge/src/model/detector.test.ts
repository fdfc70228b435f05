import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelState, EventRecord } from '@sightline/contract/edge'
import { type DetectionLabel, type Head, heads } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cellSide, colourDetector } from '../../../domain/src/testing/onnx-file.ts'
import { createAnalyzer } from '../analysis/analyzer.ts'
import { type Cv, loadOpenCv, type Mat } from '../analysis/opencv.ts'
import { channelOf, countingBytes, sourceId, wholePicture } from '../analysis/testing/run.ts'
import type { AttachedModel } from './attached.ts'
import { createModelDetector } from './detector.ts'

const folder = mkdtempSync(join(tmpdir(), 'models-'))
let cv: Cv
beforeAll(async () => {
  cv = await loadOpenCv()
})
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (head: Head, size = 320): string => {
  const file = join(folder, `${head}-${size}.onnx`)
  writeFileSync(file, colourDetector(head, size))
  return file
}
const labels: Record<string, DetectionLabel> = { 0: 'person', 1: 'helmet', 2: 'vehicle' }

/** A picture of 640 × 360: each cell of the model's input is 64 pixels here, and 52 from the top one begins. */
const width = 640
const height = 360
/** Grey tiles: a colour is none to the detector unless it is pure. */
const backdrop = Uint8Array.from({ length: width * height * 3 }, (_, i) => {
  const x = Math.floor(i / 3) % width
  return 90 + ((x >> 4) % 3) * 30 + ((Math.floor(i / 3 / width) >> 4) % 2) * 20
})
type Patch = [cellX: number, cellY: number, colour: 'red' | 'green' | 'blue', filled?: number]
function paint(patches: readonly Patch[]): Uint8Array {
  const data = backdrop.slice()
  for (const [cellX, cellY, colour, filled = 1] of patches) {
    const top = cellY * cellSide * 2 - 140
    for (let y = top; y < top + Math.round(cellSide * 2 * filled); y++)
      for (let x = cellX * cellSide * 2; x < (cellX + 1) * cellSide * 2; x++)
        data.set(colour === 'red' ? [0, 0, 255] : colour === 'green' ? [0, 255, 0] : [255, 0, 0], (y * width + x) * 3)
  }
  return data
}
function onMat<T>(data: Uint8Array, use: (mat: Mat) => T): T {
  const mat = new cv.Mat(height, width, cv.CV_8UC3)
  mat.data.set(data)
  try {
    return use(mat)
  } finally {
    mat.delete()
  }
}
const settings = (head: Head) => ({
  ...{ sha256: '', file: fileOf(head), head, size: { width: 320, height: 320 }, labels },
  ...{ minScore: 0.5, nms: 0.45, isGated: false },
})

test.each(heads)('a %s model finds what is painted, exact to the pixel', (head) => {
  const detector = createModelDetector(cv, settings(head), width, height)
  const painted = paint([
    [3, 3, 'red'],
    [4, 3, 'red'],
    [6, 5, 'blue'],
    [1, 6, 'green', 0.625],
  ])
  const found = onMat(painted, (mat) => detector.find(mat, [], []))
  const inPixels = (detector.parts?.() ?? []).map(({ label, box: [x, y, w, h] }) => [
    label,
    ...[x * width, y * height, w * width, h * height].map((value) => Math.round(value * 100) / 100),
  ])
  detector.delete()
  expect(inPixels.sort()).toEqual([
    ['helmet', 64, 244, 64, 64],
    ['person', 192, 52, 64, 64],
    ['person', 256, 52, 64, 64],
    ['vehicle', 384, 180, 64, 64],
  ])
  // A helmet is worn, not followed.
  expect(found.map(({ kind }) => kind).sort()).toEqual(['person', 'person', 'vehicle'])
  if (head === 'yolov8') expect(found[0]?.score).toBeCloseTo(1, 3)
})

test('behind the gate a model looks only while something moves, and believes only what is there', () => {
  const detector = createModelDetector(cv, { ...settings('yolov8'), isGated: true }, width, height)
  const painted = paint([
    [3, 3, 'red'],
    [6, 5, 'blue'],
  ])
  const find = (moving: [number, number, number, number][]) =>
    onMat(painted, (mat) =>
      detector.find(
        mat,
        moving.map((box) => ({ box, fill: 1 })),
        [],
      ),
    )
  expect([find([]), detector.parts?.()]).toEqual([[], null])
  expect(find([[200, 60, 40, 40]]).map(({ kind }) => kind)).toEqual(['person'])
  detector.delete()
})

const start = Date.UTC(2026, 4, 4, 12)
const modelOf = (file: string): AttachedModel => ({
  sha256: 'ab'.repeat(32),
  file,
  head: 'yolov8',
  input: { width: 320, height: 320, is_open: false },
  labels,
})
/** A channel that counts people with a model, over some seconds of a red cell walking across the picture. */
function run(model: AttachedModel | undefined, usecase: 'pplcnt' | 'frdtec' = 'pplcnt') {
  const analyzer = createAnalyzer({ cv, random: countingBytes() })
  const channel = channelOf(usecase, [{ points: wholePicture }], {
    'detector.kind': 'onnx',
    'detector.model': '00000000-0000-7000-8000-0000000000aa',
    'decode.fps': 5,
    // It goes from cell to cell, its own height at a time.
    'tracker.dist_gate': 3,
  })
  const { states } = analyzer.setChannels([{ ...channel, ...(model && { model }) }], start)
  const all: { states: ChannelState[]; records: EventRecord[] } = { states, records: [] }
  for (let ms = 0; ms < 12_000; ms += 200) {
    const cell = Math.floor((ms - 4000) / 1000)
    const data = paint(ms >= 4000 && cell < 8 ? [[cell + 1, 4, 'red']] : [])
    const { records, states } = analyzer.frame({ source_id: sourceId, at: start + ms, pts_ms: ms, width, height, data })
    all.states.push(...states)
    all.records.push(...records)
  }
  all.records.push(...analyzer.stop(start + 12_000, 'disabled'))
  return all
}

test('a channel counts with the model of its pipeline, and its records name the model', () => {
  const { states, records } = run(modelOf(fileOf('yolov8')))
  expect(states.at(-1)).toMatchObject({ state: 'running', detector_state: 'ok', cause: null })
  expect(records.length).toBeGreaterThan(0)
  for (const record of records) expect(record).toMatchObject({ detector: 'onnx', model_version: 'ab'.repeat(32) })
  expect(Math.max(...records.map((record) => record.metrics.total_max ?? 0))).toBe(1)
})

test.each<[string, AttachedModel | undefined, Partial<ChannelState>]>([
  ['without its model', undefined, { state: 'applied', detector_state: 'needs_model', cause: 'needs_model' }],
  [
    'while the model is on its way',
    { cause: 'model_loading:40' },
    { state: 'applied', detector_state: 'needs_model', cause: 'model_loading:40' },
  ],
  [
    'whose model is gone',
    { cause: 'model_missing' },
    { state: 'applied', detector_state: 'needs_model', cause: 'model_missing' },
  ],
])('a channel %s says so and sends nothing', (_, model, state) => {
  const { states, records } = run(model)
  expect([states, records]).toEqual([[expect.objectContaining(state)], []])
})

test('a channel whose model lacks what it needs, or cannot be run, says so and sends nothing', () => {
  expect(run(modelOf(fileOf('yolov8')), 'frdtec').states).toEqual([
    expect.objectContaining({ detector_state: 'needs_model', cause: 'needs_model' }),
  ])
  const broken = join(folder, 'broken.onnx')
  writeFileSync(broken, createHash('sha256').digest())
  const { states, records } = run(modelOf(broken))
  expect(states).toEqual([
    expect.objectContaining({ state: 'applied', cause: expect.stringMatching(/^model_unrunnable:/) }),
  ])
  expect(records).toEqual([])
})
