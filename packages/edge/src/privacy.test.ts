import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventRecord, LinkChannel, LinkConfig, LinkSource } from '@sightline/contract/edge'
import { pipelineDefaults } from '@sightline/domain'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoCamera } from './camera/testing/demo-camera.ts'
import { brightness, ffmpegMissing, sizeOfJpeg } from './camera/testing/probe-video.ts'
import { local } from './camera/testing/watch.ts'
import { createCameras } from './cameras.ts'
import { Failed } from './engine.ts'
import { clipFiles } from './live/clip.ts'
import type { LiveMode } from './live/live.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { keepingLog, testChannelId, testRecord } from './testing/records.ts'

type Outline = [number, number][]

const masked = '01890000-0000-7000-8000-0000000000a1'
const plain = '01890000-0000-7000-8000-0000000000a2'
const mask: Outline = [
  [0.25, 0.25],
  [0.75, 0.3],
  [0.7, 0.8],
]
const grey = 114

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-privacy-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const mostBytes = 1e8
  const [one, two] = [await startDemoCamera(), await startDemoCamera({ scene: 'lobby' })]
  const cameras = createCameras({
    pictures: await openMediaStore(join(folder, 'pictures'), pictureFiles, mostBytes, () => undefined),
    clips: await openMediaStore(join(folder, 'clips'), clipFiles, mostBytes, () => undefined),
    analysisFile: join(folder, 'analysis.json'),
    modelFolder: join(folder, 'models'),
    allow: () => local(one.port, two.port).simulated,
    tell: () => undefined,
    onRecords: () => undefined,
    log: keepingLog(),
  })
  onTestFinished(() => cameras.stop())
  const source = (source_id: string, address: string, masks: Outline[]): LinkSource => ({
    ...{ source_id, device_id: source_id, version: 1, name: 'Camera', address, masks },
    ...{ username: null, password: null, proxy: null, rate: 25, role: 'both', endpoint_uuid: null },
  })
  const channel: LinkChannel = {
    ...{ channel_id: testChannelId, source_id: masked, version: 1, name: 'Room', usecase_key: 'intrdtec' },
    ...{ pipeline_elements: pipelineDefaults('intrdtec'), zones: [], auto_recovery: false },
  }
  const config = (version: number, masks: Outline[]): LinkConfig => ({
    ...{ version, channels: [channel], models: [], embedders: [], media_days: 7, portal_ips: [] },
    sources: [source(masked, one.address, masks), source(plain, two.address, [])],
  })
  const stateOf = (id: string) => cameras.state().sources.find(({ source_id }) => source_id === id)
  cameras.apply(config(1, []))
  for (const id of [masked, plain]) await expect.poll(() => stateOf(id)).toMatchObject({ state: 'streaming' })
  return { cameras, config, stateOf, address: one.address }
}

type Cameras = Awaited<ReturnType<typeof setUp>>['cameras']

function view(cameras: Cameras, sourceId: string, mode: LiveMode) {
  const seen = { fragments: 0, jpegs: [] as Uint8Array[], ended: null as string | null }
  cameras.live(sourceId, mode, {
    init: () => undefined,
    fragment: () => {
      seen.fragments += 1
    },
    jpeg: (bytes) => void seen.jpegs.push(bytes),
    ended: (cause) => {
      seen.ended = cause
    },
  })
  return seen
}

/**
 * Of the pixels inside the mask the brightest and darkest, and how many values there are outside. Blocks of JPEG that its
 * edge goes through waver: those are left to the test of what is painted.
 */
async function look(jpeg: Uint8Array) {
  const [width = 0, height = 0] = sizeOfJpeg(Buffer.from(jpeg)) ?? []
  const pixels = await brightness(jpeg)
  expect(pixels.length).toBe(width * height)
  const within: number[] = []
  const without = new Set<number>()
  for (const [i, value] of pixels.entries()) {
    const [x, y] = [(i % width) / width, Math.floor(i / width) / height]
    if (isWellInside(x, y)) within.push(value)
    else if (x < 0.2 || x > 0.8) without.add(value)
  }
  return { darkest: Math.min(...within), brightest: Math.max(...within), valuesOutside: without.size }
}
const middle = [0, 1].map((axis) => mask.reduce((sum, point) => sum + (point[axis] as number) / mask.length, 0))
const inner = mask.map((point) => point.map((value, axis) => 0.8 * value + 0.2 * (middle[axis] as number)))
const isWellInside = (x: number, y: number) =>
  inner.every(([x1 = 0, y1 = 0], i) => {
    const [x2 = 0, y2 = 0] = inner[(i + 1) % inner.length] ?? []
    return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) >= 0
  })

const opening = (): EventRecord =>
  testRecord({ kind: 'open', observed_at: Date.now(), metrics: { total: 1, violation: 1 }, clip_id: null })

describe.skipIf(ffmpegMissing)('a camera with privacy masks', () => {
  test('shows nothing of what they hide in any picture, has neither video nor clips, and leaves other cameras as they are', async () => {
    const { cameras, config, stateOf, address } = await setUp()
    const before = await look((await cameras.snapshot(masked)).jpeg)
    expect(before.brightest - before.darkest).toBeGreaterThan(30)
    const video = view(cameras, masked, 'fmp4')
    const pictures = view(cameras, masked, 'mjpeg')
    const other = view(cameras, plain, 'fmp4')
    await expect.poll(() => video.fragments).toBeGreaterThan(3)
    const { clip_id } = cameras.evidence(opening(), masked)
    expect(clip_id).toMatch(/^[0-9a-f-]{36}$/)

    cameras.apply(config(2, [mask]))
    expect(video.ended).toBe('privacy_masks')
    expect(pictures.ended).toBe(null)
    const last = { mine: video.fragments, others: other.fragments }
    const taken = pictures.jpegs.length
    const kept = async () => cameras.media(clip_id as string).catch((error: Failed) => error.message)
    await expect.poll(kept).toBe('media_gone')
    expect(() => view(cameras, masked, 'fmp4')).toThrow(new Failed('privacy_masks'))
    const { clip_id: none, details } = cameras.evidence(opening(), masked)
    expect({ none, details }).toMatchObject({ none: null, details: { clip_cause: 'privacy_masks' } })

    await expect.poll(() => pictures.jpegs.length).toBeGreaterThan(taken + 3)
    const still = (await cameras.snapshot(masked)).jpeg
    const signal = AbortSignal.timeout(15_000)
    const probed = await cameras.probe({ address, username: null, password: null }, () => undefined, signal)
    const shown = [still, pictures.jpegs.at(-1) as Uint8Array, Buffer.from(probed.snapshot ?? '', 'base64')]
    for (const jpeg of shown) {
      const { darkest, brightest, valuesOutside } = await look(jpeg)
      expect(darkest).toBeGreaterThanOrEqual(grey - 2)
      expect(brightest).toBeLessThanOrEqual(grey + 2)
      expect(valuesOutside).toBeGreaterThan(30)
    }
    expect(video.fragments).toBe(last.mine)
    expect(other).toMatchObject({ ended: null })
    expect(other.fragments).toBeGreaterThan(last.others)
    expect(stateOf(masked)).toMatchObject({ state: 'streaming', reconnects: 0 })

    cameras.apply(config(3, []))
    const again = view(cameras, masked, 'fmp4')
    await expect.poll(() => again.fragments).toBeGreaterThan(3)
    const { darkest, brightest } = await look((await cameras.snapshot(masked)).jpeg)
    expect(brightest - darkest).toBeGreaterThan(30)
  })
})
