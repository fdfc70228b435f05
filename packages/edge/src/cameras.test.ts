import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Elements, LinkConfig, LinkSource, Overlay } from '@sightline/contract/edge'
import { pipelineDefaults } from '@sightline/domain'
import { expect, onTestFinished, test } from 'vitest'
import { startDemoCamera } from './camera/testing/demo-camera.ts'
import { local } from './camera/testing/watch.ts'
import { createCameras } from './cameras.ts'
import type { EngineNews } from './engine.ts'
import { clipFiles } from './live/clip.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { keepingLog, testChannelId, until } from './testing/records.ts'

const analysed = '01890000-0000-7000-8000-0000000000a1'
const shown = '01890000-0000-7000-8000-0000000000a2'
const elsewhere = '01890000-0000-7000-8000-0000000000a3'

/** The cameras of an edge server, one simulated one that they may read, and what they tell. */
async function started() {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-cameras-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const demo = await startDemoCamera({ scene: 'lobby' })
  const news: EngineNews[] = []
  const overlays: Overlay[] = []
  const cameras = createCameras({
    pictures: await openMediaStore(join(folder, 'pictures'), pictureFiles, 1e8, () => undefined),
    clips: await openMediaStore(join(folder, 'clips'), clipFiles, 1e8, () => undefined),
    analysisFile: join(folder, 'analysis.json'),
    modelFolder: join(folder, 'models'),
    allow: () => local(demo.port).simulated,
    tell: (item) => {
      if (item.type === 'overlay') overlays.push(item)
      else news.push(item)
    },
    onRecords: () => undefined,
    log: keepingLog(),
  })
  onTestFinished(() => cameras.stop())
  return { cameras, demo, news, overlays }
}
const stream = (address: string, source_id: string, device_id: string): LinkSource => ({
  ...{ source_id, device_id, version: 1, name: 'Camera', address, masks: [] },
  ...{ username: null, password: null, proxy: null, rate: 25, role: 'both', endpoint_uuid: null },
})
const config = (version: number, sources: LinkSource[], elements: Elements = {}): LinkConfig => ({
  ...{ version, sources, models: [], embedders: [], media_days: 7, portal_ips: [] },
  channels: [
    {
      ...{ channel_id: testChannelId, source_id: analysed, version: 1, name: 'Door', usecase_key: 'pplcnt' },
      ...{ pipeline_elements: { ...pipelineDefaults('pplcnt'), ...elements }, zones: [], auto_recovery: false },
    },
  ],
})

test('what is seen in the analysed stream is drawn over the other stream of the camera, when its pictures show it, and over no other camera', async () => {
  const { cameras, demo, overlays } = await started()
  const apply = (version: number, sources: LinkSource[]) => cameras.apply(config(version, sources))
  const source = (source_id: string, device_id: string) => stream(demo.address, source_id, device_id)
  const streams = (count: number) => () =>
    cameras.state().sources.filter(({ state }) => state === 'streaming').length === count
  const watch = (id: string) => {
    const nothing = () => undefined
    cameras.live(id, 'fmp4', { init: nothing, fragment: nothing, jpeg: nothing, ended: nothing })
  }
  apply(1, [source(analysed, analysed)])
  await until(streams(1), 'the analysed stream is there')
  // Its time line is ahead by so much.
  const newest = () => cameras.state().sources.find(({ source_id }) => source_id === analysed)?.last_frame_at ?? null
  await until(() => newest() !== null, 'the analysed stream has a picture')
  const first = newest() as number
  await until(() => (newest() ?? 0) > first + 2000, 'the analysed stream has two seconds of pictures')
  apply(2, [source(analysed, analysed), source(shown, analysed), source(elsewhere, elsewhere)])
  await until(streams(3), 'all streams are there')
  for (const id of [shown, elsewhere]) watch(id)
  const of = (id: string) => overlays.filter(({ source_id, boxes }) => source_id === id && boxes.length > 0)
  await expect.poll(() => of(shown).length).toBeGreaterThan(3)
  expect(of(analysed)).toEqual([])
  watch(analysed)
  await expect.poll(() => of(analysed).length).toBeGreaterThan(3)
  const pairs = of(analysed).flatMap((own) => {
    const other = of(shown).find(({ at }) => at === own.at)
    return other ? [{ own, other }] : []
  })
  expect(pairs.length).toBeGreaterThan(3)
  for (const { own, other } of pairs) expect(other).toMatchObject({ boxes: own.boxes, levels: own.levels })
  // By when pictures arrived, which jitters on a busy machine.
  const ahead = pairs.map(({ own, other }) => own.pts_ms - other.pts_ms).sort((a, b) => a - b)
  expect(ahead[Math.floor(ahead.length / 2)]).toBeGreaterThan(1000)
  expect(overlays.filter(({ source_id }) => source_id === elsewhere)).toEqual([])
})

test('no more pictures of a stream are analysed than its rate says; neither that nor a proxy opens the camera anew', async () => {
  const { cameras, demo, news } = await started()
  const source = stream(demo.address, analysed, analysed)
  // Each picture that is wanted, also while nothing moves.
  const apply = (version: number, change: Partial<LinkSource>) =>
    cameras.apply(config(version, [{ ...source, version, ...change }], { 'decode.on_demand': false, 'decode.fps': 8 }))
  const channel = () => cameras.state().channels[0]
  const measured = (least: number, most: number) =>
    expect.poll(() => channel()?.fps ?? 0).toSatisfy((fps: number) => fps > least && fps < most)
  apply(1, {})
  await measured(5, 10)
  expect(channel()).toMatchObject({ state: 'running', expected_fps: 8 })
  const [before] = cameras.state().sources

  const heard = news.length
  apply(2, { rate: 2 })
  await measured(1, 2.6)
  expect(channel()).toMatchObject({ state: 'running', expected_fps: 2 })
  apply(3, { rate: 2, proxy: 'proxy.example:3128' })
  await expect.poll(() => cameras.state().sources[0]).toMatchObject({ version: 3 })
  await measured(1, 2.6)
  // It never was anything else meanwhile.
  const told = news.slice(heard).flatMap((item) => (item.type === 'source.state' ? [item.state] : []))
  expect(new Set(told)).toEqual(new Set(['streaming']))
  expect(cameras.state().sources[0]).toMatchObject({ state: 'streaming', reconnects: before?.reconnects })
  // Without an analytic nothing is wanted of it any more.
  await expect.poll(() => cameras.figures().expected_fps).toBe(2)
  cameras.apply({ ...config(4, [source], {}), channels: [] })
  expect(cameras.figures().expected_fps).toBe(0)
})
