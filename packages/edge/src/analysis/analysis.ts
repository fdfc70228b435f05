/**
 * The analysis as the nimble's main thread sees it: channels in, records, overlays and states out. The work is done by
 * worker threads; a camera stays with its worker, and a worker that dies or hangs is replaced.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { ChannelState, EventRecord, Overlay } from '@sightline/contract/edge'
import { type Backoff, countsOccupancy, createBackoff, uuidv7 } from '@sightline/domain'
import * as z from 'zod'
import type { FrameSocket } from '../camera/frames.ts'
import type { AnalysisSize } from '../camera/messages.ts'
import { Failed } from '../engine.ts'
import { keptFile, seldomFile } from '../kept-file.ts'
import type { Log } from '../log.ts'
import type { ChannelWork } from '../model/attached.ts'
import { createSilence, type Silence } from '../silence.ts'
import type { FramePace } from './analyzer.ts'
import { refusalOf } from './channel.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { settingsOf } from './settings.ts'
import type { Carried } from './usecase/usecase.ts'

export type AnalysisOptions = {
  /** Threads; two are enough for the cameras that one machine decodes. */
  workers?: number
  /** Where levels and open occasions are kept over a restart. */
  file: string
  /** How often it is written at most. */
  fileEveryMs?: number
  log: Log
}

/** Which pictures of a camera are wanted, and where they are taken: for `Camera.setAnalysis`. */
export type Feed = AnalysisSize & { socket: FrameSocket }

export type AnalysisHooks = {
  /** On every change, also after a worker was replaced; null: no pictures. */
  onFeed(sourceId: string, feed: Feed | null): void
  /** `pts_ms`: the picture they come from, on the live view's time line; null when they come from no picture. */
  onRecords(records: EventRecord[], about: { source_id: string | null; at: number; pts_ms: number | null }): void
  onOverlay(overlay: Overlay): void
  /** Only when state, detector state or cause changed. */
  onState(state: ChannelState): void
}

export type Analysis = {
  /** The whole desired set, of all cameras. */
  setChannels(channels: readonly ChannelWork[]): void
  /** As the camera's process measures it. */
  setPace(sourceId: string, pace: FramePace): void
  feedOf(sourceId: string): Feed | null
  /** Somebody says how many are inside. Answers how many were counted until then, null while nobody could. @throws Failed */
  setOccupancy(channelId: string, occupancy: number): Promise<number | null>
  states(): ChannelState[]
  /** Of the last seconds; null while nothing is analysed. */
  figures(): { fps: number; inference_ms: number | null }
  /** Closes what is open and ends the workers. */
  stop(): Promise<void>
}

const silenceMs = 10_000
const lookEveryMs = 1000
/** Other cameras than the one at fault wait for the worker too. */
const mostAwayMs = 10_000
const stopMs = 3000
/** Of an occupancy that does not change, so that it is known to be of today. */
const sameEveryMs = 60_000
const figuresBeats = 10

/** What outlives a restart: the channels' last levels, and the records of occasions that are open. */
const memorySchema = z.object({
  carried: z.record(z.string(), z.object({ at: z.number(), levels: z.record(z.string(), z.number()) })),
  open: z.record(
    z.string(),
    z.custom<EventRecord>((value) => typeof value === 'object' && value !== null),
  ),
})

type Bench = {
  worker: Worker | null
  socket: FrameSocket | null
  silence: Silence
  backoff: Backoff
  beats: { frames: number; busyMs: number }[]
}

/** A worker starts when it gets its first channel, and loads in about half a second; its cameras are told then. */
export function startAnalysis({ workers, file, fileEveryMs, log }: AnalysisOptions, hooks: AnalysisHooks): Analysis {
  const kept = seldomFile(keptFile(file, memorySchema, log), fileEveryMs)
  const memory = kept.load() ?? { carried: {}, open: {} }
  /** What the file says of each channel, or is about to. */
  const written = new Map<string, Carried>(Object.entries(memory.carried))
  const benches: Bench[] = Array.from({ length: workers ?? Math.min(2, availableParallelism()) }, () => ({
    worker: null,
    socket: null,
    silence: createSilence(silenceMs),
    backoff: createBackoff(Math.random),
    beats: [],
  }))
  /** Where each camera's pictures go: for as long as it has channels. */
  const seats = new Map<string, Bench>()
  const feeds = new Map<string, Feed>()
  /** Workers that were told an occupancy, by the number of the message. */
  const told = new Map<number, { bench: Bench; done(before: number | null): void; fail(): void }>()
  let lastTold = 0
  let channels: readonly ChannelWork[] = []
  let states = new Map<string, ChannelState>()
  let stopped: Promise<void> | null = null

  /* ── what comes from the workers ── */

  const heard = (bench: Bench, message: FromWorker) => {
    bench.silence.heard()
    switch (message.type) {
      case 'ready':
        bench.socket = message.socket
        send(bench)
        offerFeeds()
        break
      case 'records':
        // Before the records, which reach the journal a moment later: an occupancy older than its crossings would stay wrong.
        carry(message.carried)
        remember(message.records)
        hooks.onRecords(message.records, message)
        break
      case 'overlay':
        hooks.onOverlay(message.overlay)
        break
      case 'states':
        for (const state of message.states) {
          states.set(state.channel_id, state)
          hooks.onState(state)
        }
        break
      case 'beat':
        for (const state of message.states) states.set(state.channel_id, state)
        carry(message.carried)
        bench.beats = [...bench.beats.slice(1 - figuresBeats), message.work]
        break
      case 'occupancy.done': {
        const { id, isSet, before } = message
        if (isSet) told.get(id)?.done(before)
        else told.get(id)?.fail()
        break
      }
      case 'log':
        log.warn(message.text)
        break
    }
  }

  /** Only an occupancy is of use to a later run. */
  const carry = (news: readonly [string, Carried][]) => {
    let isNews = false
    for (const [id, one] of news) {
      memory.carried[id] = one
      const { occupancy } = one.levels
      if (occupancy === undefined) continue
      const last = written.get(id)
      if (last?.levels.occupancy === occupancy && Math.abs(one.at - last.at) < sameEveryMs) continue
      written.set(id, one)
      isNews = true
    }
    if (isNews) save()
  }
  /** Open occasions are known here, so that they can be closed when their worker is no longer there to do it. */
  const remember = (records: readonly EventRecord[]) => {
    const lasting = records.filter(({ occasion_id, details }) => occasion_id !== null && !details?.instant)
    for (const record of lasting) {
      const id = record.occasion_id as string
      if (record.kind === 'close') delete memory.open[id]
      else memory.open[id] = record
    }
    if (lasting.length > 0) save()
    // Known before it is journalled: what is open there and not here would never be closed after a power cut.
    if (lasting.some(({ kind }) => kind !== 'update')) kept.flush()
  }
  const save = () => {
    const known = new Set(channels.map((channel) => channel.channel_id))
    // Before the configuration is known nothing can be told to be superfluous.
    const isKept = (id: string) => known.size === 0 || known.has(id)
    const carried = Object.fromEntries(Object.entries(memory.carried).filter(([id]) => isKept(id)))
    kept.save({ ...memory, carried })
  }
  const closeOpen = (isTheirs: (channelId: string) => boolean) => {
    const at = Date.now()
    const closed = Object.values(memory.open)
      .filter((record) => isTheirs(record.channel_id))
      .map((record) => closing(record, at))
    if (closed.length === 0) return
    remember(closed)
    hooks.onRecords(closed, { source_id: null, at, pts_ms: null })
  }

  /* ── what goes to them ── */

  const channelsOf = (bench: Bench) => channels.filter((channel) => seats.get(channel.source_id) === bench)
  const send = (bench: Bench) => {
    if (!bench.socket) return
    const theirs = channelsOf(bench)
    const carried = theirs.flatMap(({ channel_id }) => {
      const known = memory.carried[channel_id]
      return known ? [[channel_id, known] satisfies [string, unknown]] : []
    })
    post(bench, { type: 'channels', channels: theirs, carried })
  }
  const post = ({ worker }: Bench, message: ToWorker) => worker?.postMessage(message)
  const offerFeeds = () => {
    const wanted = new Map<string, Feed>()
    for (const [sourceId, { socket }] of seats) {
      const size = sizeOf(channels.filter((channel) => channel.source_id === sourceId))
      if (size && socket) wanted.set(sourceId, { ...size, socket })
    }
    for (const sourceId of new Set([...feeds.keys(), ...wanted.keys()])) {
      const feed = wanted.get(sourceId) ?? null
      if (JSON.stringify(feed) === JSON.stringify(feeds.get(sourceId) ?? null)) continue
      if (feed) feeds.set(sourceId, feed)
      else feeds.delete(sourceId)
      hooks.onFeed(sourceId, feed)
    }
  }

  /* ── keeping them going ── */

  const begin = (bench: Bench) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: 'analysis' })
    const begunAt = performance.now()
    bench.worker = worker
    bench.silence = createSilence(silenceMs)
    worker.on('message', (message: FromWorker) => heard(bench, message))
    worker.on('error', (error) => log.error('An analysis worker failed', error))
    worker.on('exit', () => {
      if (bench.worker !== worker || stopped) return
      bench.worker = null
      bench.socket = null
      bench.beats = []
      for (const { bench: asked, fail } of [...told.values()]) if (asked === bench) fail()
      const theirs = new Set(channelsOf(bench).map((channel) => channel.channel_id))
      closeOpen((id) => theirs.has(id))
      for (const state of states.values()) {
        if (!theirs.has(state.channel_id) || state.state !== 'running') continue
        const stopped: ChannelState = { ...state, state: 'stopped', cause: 'analysis_failed', fps: 0 }
        states.set(state.channel_id, stopped)
        hooks.onState(stopped)
      }
      offerFeeds()
      log.warn('An analysis worker ended and is started again')
      bench.backoff.ran(performance.now() - begunAt)
      setTimeout(() => wake(bench), Math.min(bench.backoff.next(), mostAwayMs)).unref()
    })
  }
  const wake = (bench: Bench) => {
    if (!bench.worker && !stopped && channelsOf(bench).length > 0) begin(bench)
  }
  const watching = setInterval(() => {
    for (const bench of benches)
      if (bench.worker && bench.silence.isTooLong()) {
        log.error('An analysis worker does not answer')
        void bench.worker.terminate()
      }
  }, lookEveryMs)

  // A run that was killed left these open.
  closeOpen(() => true)

  return {
    setChannels(wanted) {
      channels = wanted
      const sourceIds = new Set(wanted.map((channel) => channel.source_id))
      for (const sourceId of [...seats.keys()]) if (!sourceIds.has(sourceId)) seats.delete(sourceId)
      for (const sourceId of sourceIds) if (!seats.has(sourceId)) seats.set(sourceId, emptiest(benches, seats))
      const known = new Set(wanted.map((channel) => channel.channel_id))
      states = new Map([...states].filter(([id]) => known.has(id)))
      for (const bench of benches) {
        wake(bench)
        send(bench)
      }
      offerFeeds()
    },
    setPace(sourceId, pace) {
      const bench = seats.get(sourceId)
      if (bench) post(bench, { type: 'pace', source_id: sourceId, pace })
    },
    feedOf: (sourceId) => feeds.get(sourceId) ?? null,
    async setOccupancy(channelId, occupancy) {
      const channel = channels.find((one) => one.channel_id === channelId)
      if (!channel) throw new Failed('channel_unknown')
      if (!countsOccupancy(channel.usecase_key)) throw new Failed('no_occupancy')
      const bench = seats.get(channel.source_id)
      if (!bench?.worker) throw new Failed('channel_not_running')
      const id = ++lastTold
      const before = await new Promise<number | null>((done, reject) => {
        told.set(id, { bench, done, fail: () => reject(new Failed('channel_not_running')) })
        post(bench, { type: 'occupancy.set', id, channel_id: channelId, occupancy })
      }).finally(() => told.delete(id))
      // At once: who set it does not do so again after a power cut.
      carry([[channelId, { at: Date.now(), levels: { occupancy } }]])
      kept.flush()
      return before
    },
    states: () => [...states.values()],
    figures() {
      const beats = benches.flatMap((bench) => bench.beats)
      const frames = beats.reduce((sum, beat) => sum + beat.frames, 0)
      const busyMs = beats.reduce((sum, beat) => sum + beat.busyMs, 0)
      const seconds = Math.max(1, ...benches.map((bench) => bench.beats.length)) * (lookEveryMs / 1000)
      return { fps: frames / seconds, inference_ms: frames > 0 ? busyMs / frames : null }
    },
    stop: () => (stopped ??= stop()),
  }

  async function stop(): Promise<void> {
    clearInterval(watching)
    await Promise.all(benches.map(({ worker }) => worker && ended(worker)))
    closeOpen(() => true)
    save()
    kept.flush()
  }
}

/** Asks a worker to end, and ends it when it takes too long. */
async function ended(worker: Worker): Promise<void> {
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.postMessage({ type: 'stop' } satisfies ToWorker)
  const late = setTimeout(() => void worker.terminate(), stopMs)
  await gone
  clearTimeout(late)
}

function emptiest(benches: readonly Bench[], seats: ReadonlyMap<string, Bench>): Bench {
  const taken = (bench: Bench) => [...seats.values()].filter((other) => other === bench).length
  return benches.reduce((best, bench) => (taken(bench) < taken(best) ? bench : best))
}

/** The pictures that serve all channels of a camera; null when none of them runs. */
function sizeOf(channels: readonly ChannelWork[]): AnalysisSize | null {
  const pictures = channels
    .map((config) => ({ config, settings: settingsOf(config) }))
    .filter(({ config, settings }) => refusalOf(config, settings) === null)
    .map(({ settings }) => settings.picture)
  if (pictures.length === 0) return null
  const greatest = (of: 'fps' | 'width' | 'height') => Math.max(...pictures.map((picture) => picture[of]))
  return {
    fps: greatest('fps'),
    width: greatest('width'),
    height: greatest('height'),
    on_demand: pictures.every((picture) => picture.on_demand),
  }
}

/** The closing record of an occasion whose analysis is gone. */
const closing = (record: EventRecord, at: number): EventRecord => ({
  ...record,
  event_uuid: uuidv7(at, randomBytes(10)),
  kind: 'close',
  observed_at: at,
  levels: {},
  details: { ...record.details, ended_at: new Date(at).toISOString(), cause: 'restart' },
  snapshot_id: null,
  clip_id: null,
})
