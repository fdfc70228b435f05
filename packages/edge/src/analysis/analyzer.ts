import { readFileSync } from 'node:fs'
import type { ChannelState, EventRecord, Overlay } from '@sightline/contract/edge'
import { type Enrolled, iou, readGallery } from '@sightline/domain'
import type { AnalysisPace } from '../camera/messages.ts'
import type { ChannelWork } from '../model/attached.ts'
import { asOneOpening, asOnePicture, type Inference, openInference } from '../model/inference.ts'
import { ModelTrouble } from '../model/runtime.ts'
import { type Channel, createChannel, type Refusal, refusalOf, type Settings } from './channel.ts'
import { createMask, type Mask } from './mask.ts'
import { allOrNone, type Cv, type Mat } from './opencv.ts'
import { createPerception, type NewDetector, newDetector, type Perception, type Seen } from './perception.ts'
import { type PerceptionSettings, settingsOf } from './settings.ts'
import type { Carried } from './usecase/usecase.ts'

/** A decoded picture: BGR24, `width * height * 3` bytes; `at` ms since the epoch, `pts_ms` on the live view's time line. */
export type Frame = {
  source_id: string
  at: number
  pts_ms: number
  width: number
  height: number
  data: Uint8Array
}
/** How the camera's pictures come in, as its process measures it. */
export type FramePace = Pick<AnalysisPace, 'is_reduced' | 'left_out' | 'drops'>

export type Analysed = {
  records: EventRecord[]
  overlay: Overlay | null
  states: ChannelState[]
  /** No channel of the camera sees anything that moves or must be followed. */
  isStill: boolean
}

export type AnalyzerOptions = {
  cv: Cv
  /** 10 random bytes, for ids. */
  random(): Uint8Array
  /** What earlier runs left behind for a channel. */
  carried?(channelId: string): Carried | null
  detectorOf?: NewDetector
}

/** A camera that sends nothing for this long is stalled; whoever was followed there is lost. */
const stalledMs = 10_000
/** Pictures from further back than this mean that the clock was set back. */
const clockStepMs = 1000
const overlayEveryMs = 200
const rateOverMs = 5000

type Running = {
  config: ChannelWork
  settings: Settings
  channel: Channel
  state: ChannelState
  /** When its pictures came, of the last seconds. */
  seenAt: number[]
  /** Keep its models loaded while the channel runs. */
  inferences: readonly Inference[]
  /** Why it looks at no picture until that has come, as a cause: another gallery. Null while it does. */
  awaits: string | null
}
/** Channels of one camera that look at its pictures in the same way. */
type Group = { settings: PerceptionSettings; perception: Perception; dueAt: number; isStill: boolean }
type Source = {
  size: string
  picture: Mat
  mask: Mask
  groups: Map<string, Group>
  lastAt: number
  pace: FramePace
  overlayDue: number
}

/**
 * The analysis of some cameras' channels, apart from threads and sockets: configuration and pictures in, records, overlays
 * and states out. Reads no clock: time comes with the pictures and with `pass`.
 */
export function createAnalyzer({ cv, random, carried = () => null, detectorOf = newDetector }: AnalyzerOptions) {
  const channels = new Map<string, Running>()
  const refused = new Map<string, ChannelWork>()
  const sources = new Map<string, Source>()
  /** Records of the picture that is being analysed: told also when it fails half-way, since its channels go on from them. */
  const made: EventRecord[] = []
  let tracks = 0
  /** Of a track: never again that of another one, also when a camera is begun anew, since occasions go by it. */
  const trackNumber = () => ++tracks

  const ofSource = (sourceId: string) => [...channels.values()].filter(({ config }) => config.source_id === sourceId)

  function start(config: ChannelWork, before: Carried | null): ChannelState {
    const settings = settingsOf(config)
    const { refusal, inferences, gallery } = engage(config, settings)
    settings.analytic.gallery = gallery
    const state: ChannelState = {
      channel_id: config.channel_id,
      version: config.version,
      fps: null,
      expected_fps: refusal ? null : settings.perception.fps,
      drops: 0,
      ...(refusal ?? { state: 'applied', detector_state: 'ok', cause: null }),
    }
    if (refusal) refused.set(config.channel_id, config)
    else {
      const channel = createChannel(config, settings, random, before ?? carried(config.channel_id))
      channels.set(config.channel_id, { config, settings, channel, state, seenAt: [], inferences, awaits: null })
    }
    return state
  }

  /** Another version of what runs, that is analysed in the same way: whom it knows is swapped while it runs. */
  function goOn(running: Running, config: ChannelWork): ChannelState[] {
    const { faces } = running.config
    const hasWaited = running.awaits !== null
    const version = running.state.version !== config.version
    running.state = { ...running.state, version: config.version }
    running.config = isAwaited(config) ? { ...config, ...(faces && { faces }) } : config
    if (isAwaited(config)) running.awaits = galleryLoading
    else if (running.awaits || galleryFile(faces) !== galleryFile(config.faces))
      try {
        running.settings.analytic.gallery = galleryOf(config)
        running.awaits = null
      } catch (error) {
        if (!(error instanceof ModelTrouble)) throw error
        running.awaits = error.message
      }
    const { awaits } = running
    const news =
      awaits || hasWaited
        ? become(running, { state: 'applied', detector_state: awaits ? 'needs_model' : 'ok', cause: awaits })
        : []
    return version ? [running.state] : news
  }

  /** A change of a channel's state, or nothing. */
  function become(running: Running, next: Partial<ChannelState>): ChannelState[] {
    const state = { ...running.state, ...next }
    const isNews =
      state.state !== running.state.state ||
      state.detector_state !== running.state.detector_state ||
      state.cause !== running.state.cause ||
      (running.state.fps === null && state.fps !== null)
    running.state = state
    return isNews ? [state] : []
  }

  function sourceOf(frame: Frame): Source {
    const known = sources.get(frame.source_id)
    const size = `${frame.width}x${frame.height}`
    if (known?.size === size) return known
    if (known) forget(frame.source_id, known)
    const source: Source = {
      size,
      ...allOrNone((keep) => ({
        picture: keep(new cv.Mat(frame.height, frame.width, cv.CV_8UC3)),
        mask: keep(createMask(cv, masksOf(frame.source_id), frame.width, frame.height)),
      })),
      groups: new Map(),
      lastAt: known?.lastAt ?? Number.NEGATIVE_INFINITY,
      pace: known?.pace ?? { is_reduced: false, left_out: 0, drops: 0 },
      overlayDue: Number.NEGATIVE_INFINITY,
    }
    sources.set(frame.source_id, source)
    return source
  }
  function forget(sourceId: string, source: Source): void {
    sources.delete(sourceId)
    release(source)
  }
  function release({ picture, mask, groups }: Source): void {
    for (const { perception } of groups.values()) perception.delete()
    groups.clear()
    picture.delete()
    mask.delete()
  }
  /** Blanked for all channels of the camera, whoever drew them. */
  const masksOf = (sourceId: string) =>
    [...ofSource(sourceId).map(({ config }) => config), ...refused.values()]
      .filter((config) => config.source_id === sourceId)
      .flatMap(({ zones }) => zones.filter((zone) => zone.kind === 'mask' && zone.is_active))
      .map((zone) => zone.points)

  function groupOf(source: Source, frame: Frame, settings: PerceptionSettings): Group {
    const key = JSON.stringify(settings)
    const known = source.groups.get(key)
    if (known) return known
    const perception = createPerception(cv, settings, frame.width, frame.height, trackNumber, detectorOf)
    const group = { settings, perception, dueAt: frame.at, isStill: false }
    source.groups.set(key, group)
    return group
  }

  function see(running: Running, seen: Seen, { is_reduced, left_out, drops }: FramePace) {
    const { channel } = running
    const cause = seen.cause ?? (is_reduced ? `analysis_behind:${left_out}` : null)
    running.seenAt = [...running.seenAt.filter((at) => at > seen.at - rateOverMs && at <= seen.at), seen.at]
    const records = channel.see({ ...seen, cause })
    const told = channel.cause()
    const fps = rateOf(running.seenAt) ?? running.state.fps
    const { perception, picture } = running.settings
    const states = become(running, {
      state: 'running',
      detector_state: told === null ? 'ok' : told.startsWith('model_') ? 'needs_model' : 'degraded',
      cause: told,
      fps,
      // While nothing moves, those that come are all that are wanted.
      expected_fps: seen.still && picture.on_demand ? fps : perception.fps,
      drops,
    })
    return { records, states }
  }

  /** Its channels get no pictures that they could count in. */
  const halt = (sourceId: string, cause: string): ChannelState[] =>
    ofSource(sourceId)
      .filter(({ awaits }) => awaits === null)
      .flatMap((running) => become(running, { state: 'stopped', cause, fps: 0 }))

  /** The pictures of a camera no longer follow on one another: its tracks are lost and its background is learned anew. */
  function interrupt(sourceId: string, at: number): EventRecord[] {
    const source = sources.get(sourceId)
    if (source) forget(sourceId, source)
    return ofSource(sourceId).flatMap(({ channel }) => [...channel.pass(Number.POSITIVE_INFINITY), ...channel.lose(at)])
  }

  function analyse(frame: Frame): Analysed {
    const all = nothing()
    const last = sources.get(frame.source_id)?.lastAt ?? Number.NEGATIVE_INFINITY
    if (frame.at < last - clockStepMs) made.push(...interrupt(frame.source_id, last))
    else if (frame.at <= last) return all
    const running = ofSource(frame.source_id).filter(({ awaits }) => awaits === null)
    if (running.length === 0) return { ...all, records: made.splice(0) }

    const before = sources.get(frame.source_id)
    const source = sourceOf(frame)
    // Of another size: whoever was followed in the pictures before is lost.
    if (before && before !== source) for (const { channel } of running) made.push(...channel.lose(last))
    source.lastAt = frame.at
    source.picture.data.set(frame.data)
    source.mask.blank(source.picture)
    const seenBy = new Map<Group, Seen>()
    for (const one of running) {
      const group = groupOf(source, frame, one.settings.perception)
      if (!seenBy.has(group) && isDue(group, frame.at)) {
        group.dueAt = nextDue(group, frame.at)
        const seen = group.perception.see(source.picture, frame.at)
        group.isStill = seen.still
        seenBy.set(group, seen)
      }
      const seen = seenBy.get(group)
      if (!seen) continue
      const { records, states } = see(one, seen, source.pace)
      made.push(...records)
      all.states.push(...states)
    }
    all.overlay = overlayOf(frame, source, running, [...seenBy.values()])
    all.isStill = [...source.groups.values()].every((group) => group.isStill)
    return { ...all, records: made.splice(0) }
  }

  return {
    /** The whole desired set. Channels that are analysed as before go on; the others' occasions end as disabled. */
    setChannels(wanted: readonly ChannelWork[], at: number): Analysed {
      const records: EventRecord[] = []
      const states: ChannelState[] = []
      const byId = new Map(wanted.map((config) => [config.channel_id, config]))
      const touched = new Set<string>()
      const before = new Map<string, Carried | null>()
      for (const [id, running] of channels) {
        const { config, channel, inferences } = running
        const next = byId.get(id)
        if (next && isSameWork(config, next)) {
          states.push(...goOn(running, next))
          continue
        }
        records.push(...channel.close(at, 'disabled'))
        before.set(id, channel.carried())
        touched.add(config.source_id)
        channels.delete(id)
        for (const inference of inferences) inference.close()
      }
      for (const [id, config] of refused)
        if (JSON.stringify(config) !== JSON.stringify(byId.get(id))) refused.delete(id)
      asOneOpening(() => {
        for (const config of wanted) {
          if (channels.has(config.channel_id) || refused.has(config.channel_id)) continue
          touched.add(config.source_id)
          states.push(start(config, before.get(config.channel_id) ?? null))
        }
      })
      for (const sourceId of touched) tidy(sourceId)
      return { ...nothing(), records, states }
    },
    setPace(sourceId: string, pace: FramePace): void {
      const source = sources.get(sourceId)
      if (source) source.pace = pace
    },
    /** Analyses one picture of one camera. */
    frame: (frame: Frame): Analysed => asOnePicture(() => analyse(frame)),
    /** Something failed in the middle of a picture: the camera's pictures are begun anew, and its channels stand still until one goes well. */
    reset(sourceId: string, at: number): Analysed {
      const records = [...made.splice(0), ...interrupt(sourceId, at)]
      return { ...nothing(), records, states: halt(sourceId, 'analysis_failed') }
    },
    /** Time passed: closes windows of cameras that send nothing, and says so. */
    pass(at: number): Analysed {
      const all = nothing()
      for (const { channel } of channels.values()) all.records.push(...channel.pass(at))
      for (const [id, source] of sources) {
        if (at - source.lastAt < stalledMs) continue
        all.records.push(...interrupt(id, source.lastAt))
        all.states.push(...halt(id, 'stalled'))
      }
      return all
    },
    /** Somebody says how many are inside. Null when the channel does not run; else also what it counted until then. */
    setOccupancy(channelId: string, occupancy: number, at: number): (Analysed & { before: number | null }) | null {
      const running = channels.get(channelId)
      if (running?.state.state !== 'running') return null
      const before = running.channel.levels()?.occupancy ?? null
      return { ...nothing(), records: running.channel.setOccupancy(occupancy, at), before }
    },
    /** Closes everything; the analyzer is not to be used afterwards. */
    stop(at: number, cause: 'restart' | 'disabled'): EventRecord[] {
      const records = [...channels.values()].flatMap(({ channel }) => channel.close(at, cause))
      for (const source of sources.values()) release(source)
      for (const { inferences } of channels.values()) for (const inference of inferences) inference.close()
      channels.clear()
      sources.clear()
      return records
    },
    states: (): ChannelState[] => [...channels.values()].map(({ state }) => state),
    carried: () => new Map([...channels].map(([id, { channel }]) => [id, channel.carried()])),
  }

  /** After a change of channels: a new mask, and no perception that nobody asks for. */
  function tidy(sourceId: string): void {
    const source = sources.get(sourceId)
    if (!source) return
    const running = ofSource(sourceId)
    if (running.length === 0) {
      forget(sourceId, source)
      return
    }
    const [width, height] = source.size.split('x').map(Number) as [number, number]
    const mask = createMask(cv, masksOf(sourceId), width, height)
    source.mask.delete()
    source.mask = mask
    const wanted = new Set(running.map(({ settings }) => JSON.stringify(settings.perception)))
    for (const [key, { perception }] of source.groups)
      if (!wanted.has(key)) {
        perception.delete()
        source.groups.delete(key)
      }
  }
}

const nothing = (): Analysed => ({ records: [], overlay: null, states: [], isStill: false })

export type Analyzer = ReturnType<typeof createAnalyzer>

type Engaged = { refusal: Refusal | null; inferences: Inference[]; gallery: readonly Enrolled[] }

/** What keeps a channel from running, or the models that it runs with and the faces that it knows. */
function engage(config: ChannelWork, settings: Settings): Engaged {
  const refusal = refusalOf(config, settings)
  const inferences: Inference[] = []
  if (refusal) return { refusal, inferences, gallery: [] }
  const { model, embedder } = settings.perception
  try {
    if (model) inferences.push(openInference({ file: model.file, head: model.head, size: model.size }))
    if (embedder) inferences.push(openInference({ ...embedder, head: 'embedding' }))
    return { refusal, inferences, gallery: galleryOf(config) }
  } catch (error) {
    for (const inference of inferences) inference.close()
    if (!(error instanceof ModelTrouble)) throw error
    const needs = { state: 'applied', detector_state: 'needs_model', cause: error.message } as const
    return { refusal: needs, inferences: [], gallery: [] }
  }
}

/** @throws ModelTrouble when its file went, or was made with another model: a newer one is on its way then */
function galleryOf({ faces }: ChannelWork): readonly Enrolled[] {
  if (!faces || 'cause' in faces || faces.gallery === null) return []
  try {
    return readGallery(readFileSync(faces.gallery), faces.embedder.vector_length)
  } catch (error) {
    throw new ModelTrouble(galleryLoading, { cause: error })
  }
}

const galleryLoading = 'gallery_loading'
const isAwaited = ({ faces }: ChannelWork): boolean =>
  faces !== undefined && 'cause' in faces && faces.cause === galleryLoading
const galleryFile = (faces: ChannelWork['faces']) => (faces && 'gallery' in faces ? faces.gallery : null)

/** What a channel's analysis goes by. A new name, version or threshold is no reason to begin anew, nor whose faces it knows. */
function isSameWork(a: ChannelWork, b: ChannelWork): boolean {
  const faces = (one: ChannelWork) =>
    isAwaited(b) ? null : one.faces && 'embedder' in one.faces ? one.faces.embedder : one.faces
  const essence = (one: ChannelWork) => {
    const { source_id, usecase_key, pipeline_elements, zones, refusal, model } = one
    return JSON.stringify([source_id, usecase_key, pipeline_elements, zones, refusal, model, faces(one)])
  }
  return essence(a) === essence(b)
}

/** Whether a group that wants fewer pictures than the camera sends takes this one; a tenth is left to jitter. */
const isDue = ({ settings, dueAt }: Group, at: number): boolean => at >= dueAt - 100 / settings.fps

/** On a steady grid while pictures come in time, on a new one after a gap. */
const nextDue = ({ settings, dueAt }: Group, at: number): number =>
  Math.max(dueAt + 1000 / settings.fps, at + 500 / settings.fps)

/** Pictures a second; null until they came for a while. */
function rateOf(times: readonly number[]): number | null {
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined || last - first < rateOverMs / 2) return null
  return Math.round(((times.length - 1) / (last - first)) * 10_000) / 10
}

/** Boxes that overlap so much are of the same person. */
const sameBox = 0.5

/** What is drawn over the live picture: the people present, and each channel's levels. At most five a second. */
function overlayOf(frame: Frame, source: Source, running: readonly Running[], seen: readonly Seen[]): Overlay | null {
  // The picture that looked for people says more than the one that looked for motion alone.
  const best = seen.find((one) => one.tracks.some((track) => track.label === 'person')) ?? seen[0]
  if (!best || frame.at < source.overlayDue - overlayEveryMs / 2) return null
  source.overlayDue = Math.max(source.overlayDue + overlayEveryMs, frame.at + overlayEveryMs / 2)
  return {
    source_id: frame.source_id,
    pts_ms: frame.pts_ms,
    at: frame.at,
    boxes: best.tracks
      .filter((track) => track.present)
      .map(({ id, box, label, score }) => ({
        box: [...box],
        label,
        score,
        track_id: id,
        // Channels with other settings follow the same people by other numbers.
        violates: running
          .filter(({ channel }) => channel.violators().some((one) => iou(one, box) >= sameBox))
          .map(({ config }) => config.channel_id),
      })),
    levels: Object.fromEntries(
      running.flatMap(({ config, channel }) => {
        const levels = channel.levels()
        return levels ? [[config.channel_id, levels]] : []
      }),
    ),
  }
}
