/** Cameras and what is done with their pictures, brought in line with the desired state. */
import type {
  ChannelState,
  EventRecord,
  LinkConfig,
  LinkSource,
  Overlay,
  SourceState,
  UnreadPiece,
} from '@sightline/contract/edge'
import { isOtherShape, isViolation, pipelineDefaults } from '@sightline/domain'
import { startAnalysis } from './analysis/analysis.ts'
import type { AllowedHost, KnownHosts } from './camera/address.ts'
import { type Camera, CameraError, startCamera } from './camera/camera.ts'
import type { CameraCause } from './camera/cause.ts'
import type { AnalysisPace } from './camera/messages.ts'
import { probeStream } from './camera/probe.ts'
import { type Engine, type EngineNews, Failed } from './engine.ts'
import { createClips } from './live/clips.ts'
import type { LiveMode } from './live/live.ts'
import type { MediaStore } from './live/media-store.ts'
import type { Log } from './log.ts'
import { filesOf, withModels } from './model/attached.ts'
import { type FetchPart, openModelStore } from './model/store.ts'
import { withNames } from './names.ts'
import { discover, scanInterfaces } from './onvif/discover.ts'
import { probe } from './onvif/probe.ts'
import type { RecorderParts } from './recorder.ts'
import type { WorkFigures } from './stats.ts'

export type CamerasOptions = {
  pictures: MediaStore
  clips: MediaStore
  /** Where the analysis keeps what must outlive a restart. */
  analysisFile: string
  /** Where files of models are kept. */
  modelFolder: string
  /** Simulated cameras of this machine. */
  allow(): readonly AllowedHost[]
  /** Something changed that the portal should hear of. */
  tell(news: EngineNews): void
  /** @param sourceId null when the camera is not known any more */
  onRecords(records: EventRecord[], sourceId: string | null): void
  log: Log
}
export type Cameras = Engine & {
  evidence: RecorderParts['evidence']
  hasStill: RecorderParts['hasStill']
  figures(): WorkFigures
  /** Other addresses are allowed than before: what was refused for its address is tried anew at once. */
  allowChanged(): void
  stop(): Promise<void>
}

type Watched = {
  source: LinkSource
  camera: Camera
  /** How the analysis keeps up; null while there is none. */
  pace: AnalysisPace | null
  viewers: Set<Viewer>
}

/** Of the live picture. */
type Viewer = { mode: LiveMode; end(cause: string): void }

export function createCameras(options: CamerasOptions): Cameras {
  const { analysisFile, modelFolder, allow, tell, onRecords, log } = options
  const clips = createClips(options.clips, log)
  const watched = new Map<string, Watched>()
  let applied: LinkConfig | null = null
  const known = (): KnownHosts => ({ simulated: allow(), portal: applied?.portal_ips ?? [] })

  const analysis = startAnalysis(
    { file: analysisFile, log },
    {
      onFeed: (sourceId, feed) => watched.get(sourceId)?.camera.setAnalysis(feed),
      onRecords: (records, { source_id }) => onRecords(records, source_id),
      onOverlay(overlay) {
        const seen = watched.get(overlay.source_id)
        if (!seen) return
        if (seen.viewers.size > 0) tell({ type: 'overlay', ...overlay })
        for (const other of shownBeside(seen)) showOver(other, seen, overlay)
      },
      onState: (state) => tellChannel(state),
    },
  )

  /** As the portal hears of it: with its pipeline, whose versions the analysis has nothing to do with; refused while its stream is. */
  function reported(state: ChannelState): ChannelState {
    const channel = applied?.channels.find(({ channel_id }) => channel_id === state.channel_id)
    const isAside = unread().sources.some(({ source_id }) => source_id === channel?.source_id)
    return {
      ...state,
      ...(channel?.pipeline && channel.version === state.version && { pipeline: channel.pipeline }),
      ...(isAside && notUnderstood),
    }
  }
  const tellChannel = (state: ChannelState) => tell({ type: 'channel.state', ...reported(state) })
  const tellSource = (state: SourceState) => tell({ type: 'source.state', ...state })
  const sourceState = ({ camera, source }: Watched): SourceState => ({ ...camera.state(), version: source.version })
  const unread = () => unreadStates(applied?.unread ?? [])

  /** Other streams of the camera that somebody looks at, and none of whose own pictures are analysed. */
  function shownBeside(seen: Watched): Watched[] {
    const isOfCamera = ({ source }: Watched) => source.device_id === seen.source.device_id
    const isAnalysed = ({ source }: Watched) => analysis.feedOf(source.source_id) !== null
    const shown = [...watched.values()].filter(
      (item) => item.viewers.size > 0 && isOfCamera(item) && item !== seen && !isAnalysed(item),
    )
    if (shown.length === 0) return []
    // Of several that are analysed one is drawn, and not each for a moment.
    return [...watched.values()].find((item) => isOfCamera(item) && isAnalysed(item)) === seen ? shown : []
  }

  /** All streams of a camera show the same at the same time: what was seen in one is drawn over another. */
  function showOver({ source, camera }: Watched, seen: Watched, { boxes, ...overlay }: Overlay) {
    const [pts_ms, aspect, analysed] = [
      camera.ptsMsAt(overlay.at),
      aspectOf(camera.state()),
      aspectOf(seen.camera.state()),
    ]
    if (pts_ms === null || !aspect || !analysed) return
    const drawn = isOtherShape(analysed, aspect) ? { boxes: [], boxes_cause: 'other_shape' } : { boxes }
    tell({ type: 'overlay', ...overlay, ...drawn, source_id: source.source_id, pts_ms })
  }

  const models = openModelStore(modelFolder, log, () => {
    if (applied) setChannels(applied.channels)
  })
  let portal: FetchPart | null = null
  const setChannels = (channels: LinkConfig['channels']) =>
    analysis.setChannels(
      withModels(withinRates(channels, applied?.sources ?? []), applied ?? { models: [], embedders: [] }, models.state),
    )

  const begin = (source: LinkSource): Watched => {
    const item: Omit<Watched, 'camera'> = { source, pace: null, viewers: new Set() }
    const { source_id, address, username, password, masks } = source
    const camera = startCamera(
      {
        ...{ source_id, address, username, password, known, masks, analysis: analysis.feedOf(source_id) },
        // The portal may know causes that this version does not.
        refusal: (source.refusal as CameraCause | undefined) ?? null,
      },
      {
        onState(state) {
          tellSource({ ...state, version: item.source.version })
          if (state.state !== 'streaming') endViewers(item.viewers, state.cause ?? 'connecting')
        },
        onPace(pace) {
          item.pace = pace
          analysis.setPace(source_id, pace)
        },
        log: (text) => log.warn(`${source.name}: ${text}`),
      },
    )
    return Object.assign(item, { camera })
  }
  const end = async ({ source, camera, viewers }: Watched) => {
    endViewers(viewers, 'source_missing')
    await camera
      .stop()
      .catch((error: unknown) => log.error(`${source.name}: the camera process did not end well`, error))
  }
  const find = (sourceId: string): Watched => {
    const found = watched.get(sourceId)
    if (!found) throw new Failed('source_missing')
    return found
  }

  /** What shows the camera's own stream ends at once where there are masks: it cannot be painted over. */
  function hide({ source, camera, viewers }: Watched, masks: LinkSource['masks']) {
    if (JSON.stringify(masks) === JSON.stringify(source.masks)) return
    camera.setMasks(masks)
    if (masks.length === 0) return
    clips.drop(source.source_id)
    for (const viewer of [...viewers]) if (viewer.mode === 'fmp4') viewer.end('privacy_masks')
  }

  function applySources(sources: readonly LinkSource[]) {
    const wanted = new Map(sources.map((source) => [source.source_id, source]))
    for (const [id, item] of watched) {
      const source = wanted.get(id)
      if (source && isSameStream(source, item.source)) {
        hide(item, source.masks)
        const isOther = item.source.version !== source.version
        item.source = source
        if (isOther) tellSource(sourceState(item))
        continue
      }
      watched.delete(id)
      void end(item)
    }
    for (const source of sources) if (!watched.has(source.source_id)) watched.set(source.source_id, begin(source))
  }

  /** Of all cameras at the host of an address: who tries one of them anew sees no more of it than everybody does. */
  function masksAt(address: string) {
    const host = URL.parse(address)?.hostname
    const there = [...watched.values()].filter(({ source }) => URL.parse(source.address)?.hostname === host)
    return there.flatMap(({ source }) => source.masks)
  }

  /** From nothing: the channel's memory, and the camera's process where it does not work or with `force`. */
  function restart(channelId: string, config: LinkConfig, force: boolean) {
    const channel = config.channels.find(({ channel_id }) => channel_id === channelId)
    if (!channel) throw new Failed('channel_unknown')
    const item = watched.get(channel.source_id)
    setChannels(config.channels.filter((other) => other !== channel))
    setChannels(config.channels)
    if (item && (force || item.camera.state().state !== 'streaming')) beginAnew(item)
  }

  /** What was refused for its address need not be any more. */
  function tryRefused() {
    for (const item of [...watched.values()]) if (item.camera.state().cause === 'address_refused') beginAnew(item)
  }

  function beginAnew(item: Watched) {
    void end(item)
    watched.set(item.source.source_id, begin(item.source))
  }

  return {
    state: () => ({
      sources: [...[...watched.values()].map(sourceState), ...unread().sources],
      channels: [...analysis.states().map(reported), ...unread().channels],
      interfaces: scanInterfaces(),
    }),
    appliedVersion: () => applied?.version ?? null,
    apply(config) {
      const isPortalElsewhere = `${applied?.portal_ips}` !== `${config.portal_ips}`
      const before = besides(applied)
      applied = config
      // First, so that a camera begins with the pictures that its channels want.
      models.want(filesOf(config))
      setChannels(config.channels)
      applySources(config.sources)
      if (isPortalElsewhere) tryRefused()
      const { sources, channels } = unread()
      if (config.unread) log.warn('The portal wants what this version does not know', config.unread.length)
      sources.forEach(tellSource)
      channels.forEach(tellChannel)
      for (const [id, beside] of besides(config)) {
        const state = analysis.states().find(({ channel_id }) => channel_id === id)
        // Else it speaks for itself, once it has its own new version.
        if (state && before.get(id) !== beside) tellChannel(state)
      }
      tell({ type: 'config.applied', version: config.version })
    },
    discover: (options, onFound, signal) => discover(options, { onFound, known: known(), signal }),
    probe(target, onFinding, signal) {
      const masks = masksAt(target.address)
      const hooks = { known: known(), onFinding, signal, isMasked: masks.length > 0 }
      return probe(target, { ...hooks, probeStream: (stream) => probeStream({ ...stream, masks }) })
    },
    async snapshot(sourceId) {
      try {
        const { jpeg, at } = await find(sourceId).camera.snapshot()
        return { jpeg, at }
      } catch (error) {
        if (error instanceof CameraError) throw new Failed(error.cause)
        throw error
      }
    },
    async media(mediaId) {
      if (clips.isWriting(mediaId)) throw new Failed('clip_writing')
      for (const store of [options.pictures, options.clips]) {
        const bytes = await store.read(mediaId)
        if (bytes) return { contentType: store.contentType, bytes, at: Date.now() }
      }
      throw new Failed('media_gone')
    },
    hasStill: (sourceId) => watched.get(sourceId)?.camera.state().state === 'streaming',
    evidence(record, sourceId) {
      const { clip_id } = record
      const channel = applied?.channels.find(({ channel_id }) => channel_id === record.channel_id)
      const camera = watched.get(sourceId)?.camera
      if (!channel || !camera) return { clip_id, details: record.details }
      const details = withNames(record.details, channel.zones)
      const zones = channel.zones
        .filter(({ is_active }) => is_active)
        .map(({ name, label, kind, points }) => ({ name: label ?? name, kind, points }))
      const settings = { ...pipelineDefaults(channel.usecase_key), ...channel.pipeline_elements }
      // A face is proved like a violation: who it is shows as it comes and goes.
      if (!isViolation(record.metrics) && channel.usecase_key !== 'fcrecog')
        return { clip_id, details: { ...details, zones } }
      if (settings['sink.clip'] !== true) return { clip_id, details: { ...details, zones, clip_cause: 'clip_off' } }
      const taken = clips.take(sourceId, camera, {
        at: record.observed_at,
        beforeSeconds: Number(settings['sink.pre_s']),
        afterSeconds: Number(settings['sink.post_s']),
      })
      return 'cause' in taken
        ? { clip_id, details: { ...details, zones, clip_cause: taken.cause } }
        : { clip_id: taken.id, details: { ...details, zones, clip_at_s: taken.atSeconds } }
    },
    live(sourceId, mode, viewer) {
      const { camera, viewers } = find(sourceId)
      const { state, cause } = camera.state()
      if (state !== 'streaming') throw new Failed(cause ?? 'connecting')
      if (mode === 'fmp4' && camera.isMasked()) throw new Failed('privacy_masks')
      const { stop } = camera.live(mode, { ...viewer, ended: () => undefined })
      const item: Viewer = {
        mode,
        end(cause) {
          leave()
          viewer.ended(cause)
        },
      }
      const leave = () => {
        viewers.delete(item)
        stop()
      }
      viewers.add(item)
      return leave
    },
    offerModels(fetch, former) {
      if (fetch === null && former !== portal) return
      portal = fetch
      models.online(fetch)
    },
    setOccupancy: analysis.setOccupancy,
    async channelDo(channelId, action, force) {
      if (action === 'troubleshoot' || applied === null) return
      if (action === 'delete') setChannels(applied.channels.filter(({ channel_id }) => channel_id !== channelId))
      else restart(channelId, applied, force)
    },
    figures() {
      const all = [...watched.values()]
      const sum = (of: (item: Watched) => number) => all.reduce((total, item) => total + of(item), 0)
      return {
        ...analysis.figures(),
        // What a camera said last may be of analytics that are gone.
        expected_fps: sum(({ source, pace }) => (analysis.feedOf(source.source_id) && pace?.wanted_fps) || 0),
        drops: sum(({ camera }) => camera.state().drops),
        reconnects: sum(({ camera }) => camera.state().reconnects),
      }
    },
    allowChanged: tryRefused,
    async stop() {
      await models.stop()
      await analysis.stop()
      await clips.stop()
      await Promise.all([...watched.values()].map(end))
      watched.clear()
    },
  }
}

const endViewers = (viewers: Watched['viewers'], cause: string): void => {
  for (const viewer of [...viewers]) viewer.end(cause)
}

/** Width / height; null before its first picture. */
const aspectOf = ({ width, height }: SourceState): number | null => width && height && width / height

/** Whether the camera process can go on as it is. */
const isSameStream = (a: LinkSource, b: LinkSource): boolean =>
  a.address === b.address && a.username === b.username && a.password === b.password && a.refusal === b.refusal

/** No more pictures of a stream are analysed than its rate says, whatever the pipelines on it want. */
function withinRates(channels: LinkConfig['channels'], sources: readonly LinkSource[]): LinkConfig['channels'] {
  const rates = new Map(sources.map(({ source_id, rate }) => [source_id, rate]))
  return channels.map((channel) => {
    const wanted = Number({ ...pipelineDefaults(channel.usecase_key), ...channel.pipeline_elements }['decode.fps'])
    const fps = Math.min(wanted, rates.get(channel.source_id) ?? wanted)
    return { ...channel, pipeline_elements: { ...channel.pipeline_elements, 'decode.fps': fps } }
  })
}

/** What is told of each channel beside what the analysis says of it. */
function besides(config: LinkConfig | null): Map<string, string> {
  const aside = new Set(config?.unread?.map(({ id }) => id))
  return new Map(
    config?.channels.map(({ channel_id, source_id, pipeline }) => [
      channel_id,
      JSON.stringify([pipeline, aside.has(source_id)]),
    ]),
  )
}

const notUnderstood = { state: 'refused', cause: 'not_understood' } as const

/** What this version cannot read is refused by itself: all else of the configuration is applied. */
function unreadStates(pieces: readonly UnreadPiece[]): { sources: SourceState[]; channels: ChannelState[] } {
  const refused = { ...notUnderstood, fps: null, drops: 0 }
  const of = (wanted: UnreadPiece['kind']) => pieces.filter(({ kind }) => kind === wanted)
  return {
    sources: of('sources').map(({ id, version }) => ({
      ...{ source_id: id, ...(version !== null && { version }), ...refused, codec: null, width: null, height: null },
      ...{ last_frame_at: null, failed_at: null, reconnects: 0 },
    })),
    channels: of('channels').map(({ id, version }) => ({
      ...{ channel_id: id, version, ...refused },
      ...{ detector_state: 'ok', expected_fps: null },
    })),
  }
}
