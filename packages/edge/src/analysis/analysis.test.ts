/** The analysis with its real worker threads, fed through the real frame socket. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelState, EventRecord, Overlay } from '@sightline/contract/edge'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectFrames, type FrameSender, frameTicket } from '../camera/frames.ts'
import type { Log } from '../log.ts'
import { type Analysis, type Feed, startAnalysis } from './analysis.ts'
import { pictures, scene } from './testing/clip.ts'
import { channelOf, drawnIn, flowOf, sourceId, wholePicture } from './testing/run.ts'

const timeout = 120_000
let folder: string
let analysis: Analysis
let senders: FrameSender[] = []
const heard = {
  records: [] as EventRecord[],
  states: [] as ChannelState[],
  overlays: [] as Overlay[],
  feeds: [] as (Feed | null)[],
  log: [] as string[],
  /** What the file said of occupancies when a crossing came. */
  onDisk: [] as unknown[],
  /** Whether the file knew each occasion when it opened. */
  isKnown: [] as boolean[],
}
const log: Log = {
  info: () => undefined,
  warn: (text) => heard.log.push(text),
  error: (text) => heard.log.push(text),
}

const keptFile = () => JSON.parse(readFileSync(join(folder, 'analysis.json'), 'utf8'))

function begin(fileEveryMs?: number): void {
  analysis = startAnalysis(
    { workers: 1, file: join(folder, 'analysis.json'), fileEveryMs, log },
    {
      onFeed: (_, feed) => heard.feeds.push(feed),
      onRecords(records) {
        heard.records.push(...records)
        for (const { kind, occasion_id, details } of records)
          if (kind === 'open' && !details?.instant) heard.isKnown.push((occasion_id as string) in keptFile().open)
        for (const { metrics, channel_id } of records)
          if (metrics.up) heard.onDisk.push(keptFile().carried[channel_id]?.levels.occupancy)
      },
      onOverlay: (overlay) => heard.overlays.push(overlay),
      onState: (state) => heard.states.push(state),
    },
  )
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sightline-analysis-'))
  for (const list of Object.values(heard)) list.length = 0
})
afterEach(async () => {
  for (const sender of senders) sender.close()
  senders = []
  await analysis.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function until<T>(what: string, value: () => T | null | undefined | false, ms = 30_000): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    const found = value()
    if (found) return found
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}; the log says: ${heard.log.join(' · ')}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const newestFeed = (place = 0) => until('a feed', () => heard.feeds.slice(place).at(-1))

/** Sends pictures as a camera process does: each when the worker asks for one. */
async function connect({ socket }: Feed) {
  let isReady: () => void = () => undefined
  let isClosed = false
  const sender = connectFrames(
    frameTicket(socket, sourceId),
    () => isReady(),
    () => {
      isClosed = true
      isReady()
    },
  )
  senders.push(sender)
  const ready = async () => {
    while (!sender.ready() && !isClosed) await new Promise<void>((resolve) => (isReady = resolve))
    return !isClosed
  }
  return {
    async send(frame: { at: number; width: number; height: number; data: Uint8Array }): Promise<boolean> {
      if (!(await ready())) return false
      sender.send({ pts_ms: 0, ...frame })
      return ready()
    },
  }
}
const grey = (at: number, width = 64, height = 48) => ({
  at,
  width,
  height,
  data: new Uint8Array(width * height * 3).fill(90),
})
const counting = channelOf('pplcnt', [{ points: wholePicture }])

test('a scene that comes through the socket gives overlays, windows and exact crossings', { timeout }, async () => {
  const clip = scene('corridor')
  begin(0)
  const occupancy = channelOf('pplocc', drawnIn(clip.truth))
  analysis.setChannels([channelOf('pplcnt', [{ points: wholePicture }, ...drawnIn(clip.truth)]), occupancy])
  const feed = await newestFeed()
  expect(feed).toMatchObject({ fps: 5, width: 640, height: 480 })
  const camera = await connect(feed)
  const start = Date.now()
  // The person of this scene comes after 42 s: before that a second for a picture is enough.
  for await (const picture of pictures(clip, { first: 540, step: 3 }))
    await camera.send({ ...picture, at: start + (picture.index * 1000) / 15 })
  await until('the windows', () => heard.records.filter(({ kind }) => kind === 'window').length >= 8)
  expect(
    flowOf(
      heard.records.filter(({ channel_id }) => channel_id === occupancy.channel_id),
      'up',
    ),
  ).toBe(1)
  expect(flowOf(heard.records, 'up')).toBe(2)
  expect(flowOf(heard.records, 'down')).toBe(0)
  // A power cut right after a crossing does not take it back.
  expect(heard.onDisk).toContain(1)
  const people = heard.overlays.filter(({ boxes }) => boxes.length > 0)
  expect(people.length).toBeGreaterThan(20)
  for (const { box, track_id } of people.flatMap(({ boxes }) => boxes)) {
    expect(track_id).toBeGreaterThan(0)
    expect(box[0] + box[2] / 2).toBeGreaterThan(0)
    expect(box[0] + box[2] / 2).toBeLessThan(1)
  }
  expect(people.at(-1)?.levels).toMatchObject({ [occupancy.channel_id]: { occupancy: 1 } })
  expect(await until('the measured rate', () => analysis.figures().inference_ms)).toBeGreaterThan(0)
  expect(analysis.states()).toHaveLength(2)
})

test('channels that cannot run want no pictures', { timeout }, async () => {
  begin()
  analysis.setChannels([channelOf('ppedtec', [{}])])
  expect(await until('the state', () => heard.states[0])).toMatchObject({
    state: 'applied',
    detector_state: 'needs_model',
    cause: 'needs_model',
  })
  expect(analysis.feedOf(sourceId)).toBeNull()
  expect(heard.feeds).toEqual([])
})

test('a camera whose channels are gone is told so', { timeout }, async () => {
  begin()
  analysis.setChannels([counting])
  await newestFeed()
  analysis.setChannels([])
  expect(heard.feeds.at(-1)).toBeNull()
})

test('a worker that fails is replaced, the camera is given the new place, and counting goes on', {
  timeout,
}, async () => {
  begin()
  analysis.setChannels([counting])
  const first = await newestFeed()
  const start = Date.now()
  // Pictures of a shape that cannot be scaled: OpenCV refuses each of them.
  const broken = await connect(first)
  for (let i = 0; i < 5; i++) if (!(await broken.send(grey(start + i * 200, 4000, 2)))) break
  await until('the feed to be taken back', () => heard.feeds.length > 1)
  await until('the state', () => heard.states.at(-1)?.state === 'stopped')
  expect(heard.states.at(-1)).toMatchObject({ cause: 'analysis_failed', fps: 0 })
  const second = await newestFeed(2)
  expect(second.socket.path).not.toBe(first.socket.path)
  expect(heard.log.join('\n')).toContain('An analysis worker ended')
  expect(heard.log.join('\n')).toContain('OpenCV')
  const camera = await connect(second)
  for (let i = 0; i < 40; i++) await camera.send(grey(start + 10_000 + i * 200))
  await until('a window', () => heard.records.find(({ kind }) => kind === 'window'))
})

test('an occasion is known before it is told, however soon it comes after another', { timeout }, async () => {
  begin()
  const blind = (hold: number) =>
    channelOf('emptyframecheck', [{ points: wholePicture }], { 'decode.fps': 5, 'analytic.hold_s': hold })
  analysis.setChannels([blind(2), { ...blind(4), channel_id: '00000000-0000-7000-8000-00000000b11d' }])
  const camera = await connect(await newestFeed())
  const start = Date.now()
  for (let i = 0; i < 100 && heard.isKnown.length < 2; i++) await camera.send(grey(start + i * 200))
  await until('both', () => heard.isKnown.length >= 2)
  expect(heard.isKnown).not.toContain(false)
})

test('a main thread that was held up ends no worker', { timeout }, async () => {
  begin()
  analysis.setChannels([counting])
  const camera = await connect(await newestFeed())
  // Timers come first after it, as after a callback of the network.
  await new Promise(setImmediate)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000)
  const start = Date.now()
  for (let i = 0; i < 40; i++) expect(await camera.send(grey(start + i * 200))).toBe(true)
  await until('a window', () => heard.records.find(({ kind }) => kind === 'window'))
  expect(heard.log).toEqual([])
})

test('what a killed run left open is closed with the cause restart, and occupancy goes on', { timeout }, async () => {
  const occupancy = channelOf('pplocc', [
    {
      name: 'line1',
      kind: 'line',
      points: [
        [0, 0.5],
        [1, 0.5],
      ],
    },
  ])
  const opened: EventRecord = {
    event_uuid: '01900000-0000-7000-8000-000000000001',
    occasion_id: '01900000-0000-7000-8000-000000000001',
    channel_id: counting.channel_id,
    kind: 'open',
    observed_at: 1_777_000_000_000,
    observed_ms: 0,
    clock_offset_ms: 0,
    detector: 'hog',
    detector_state: 'ok',
    state_cause: null,
    model_version: null,
    metrics: { violation: 1 },
    levels: { violation: 1 },
    details: { zone: 'zone1', track_id: 4 },
    snapshot_id: null,
    clip_id: null,
  }
  const file = join(folder, 'analysis.json')
  const carried = { [occupancy.channel_id]: { at: Date.now() - 1000, levels: { occupancy: 12 } } }
  writeFileSync(file, JSON.stringify({ carried, open: { [opened.event_uuid]: opened } }))
  begin()
  expect(heard.records).toMatchObject([
    { kind: 'close', occasion_id: opened.event_uuid, details: { zone: 'zone1', cause: 'restart' } },
  ])
  expect(heard.records[0]?.event_uuid).not.toBe(opened.event_uuid)

  analysis.setChannels([occupancy])
  const camera = await connect(await newestFeed())
  const start = Date.now()
  for (let i = 0; i < 45; i++) await camera.send(grey(start + i * 200))
  const window = await until('a window', () => heard.records.find(({ metrics }) => 'occupancy' in metrics))
  expect(window.metrics.occupancy).toBe(12)
  await analysis.stop()
  expect(existsSync(file)).toBe(true)
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  expect(kept.open).toEqual({})
  expect(kept.carried[occupancy.channel_id].levels.occupancy).toBe(12)
})

test('an occupancy that somebody sets is written down before it is answered, and goes on in the next run', {
  timeout,
}, async () => {
  const points: [number, number][] = [
    [0, 0.5],
    [1, 0.5],
  ]
  const occupancy = channelOf('pplocc', [{ name: 'line1', kind: 'line', points }])
  const set = (channelId: string) => analysis.setOccupancy(channelId, 12)
  begin()
  await expect(set(occupancy.channel_id)).rejects.toThrow('channel_unknown')
  analysis.setChannels([occupancy, counting])
  await expect(set(counting.channel_id)).rejects.toThrow('no_occupancy')
  await expect(set(occupancy.channel_id)).rejects.toThrow('channel_not_running')
  const camera = await connect(await newestFeed())
  const start = Date.now()
  const send = async (from: number, to: number) => {
    // With something to see in it: a grey one is taken for a covered lens.
    for (let i = from; i < to; i++) {
      const { data, ...picture } = grey(start + i * 200)
      await camera.send({ ...picture, data: data.map((_, at) => (at % 7 < 3 ? 60 : 160)) })
    }
  }
  await send(0, 20)
  expect(await set(occupancy.channel_id)).toBe(0)
  const kept = JSON.parse(readFileSync(join(folder, 'analysis.json'), 'utf8'))
  expect(kept.carried[occupancy.channel_id].levels).toEqual({ occupancy: 12 })
  expect(heard.records.filter(({ kind }) => kind === 'open')).toMatchObject([
    { channel_id: occupancy.channel_id, levels: { occupancy: 12 }, details: { before: 0 } },
  ])
  await send(20, 45)
  expect(
    (await until('a window', () => heard.records.findLast(({ metrics }) => 'occupancy' in metrics)))?.metrics,
  ).toEqual({ occupancy: 12 })
})

test('a stop sends the window that was begun', { timeout }, async () => {
  begin()
  analysis.setChannels([counting])
  const camera = await connect(await newestFeed())
  const start = Math.ceil(Date.now() / 5000) * 5000
  for (let i = 0; i < 20; i++) await camera.send(grey(start + i * 200))
  expect(heard.records).toEqual([])
  await analysis.stop()
  expect(heard.records).toMatchObject([{ kind: 'window', channel_id: counting.channel_id }])
})
