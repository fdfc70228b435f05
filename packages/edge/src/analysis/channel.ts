import type { ChannelState, EventRecord, LinkChannel } from '@sightline/contract/edge'
import {
  type Box,
  isOtherShape,
  type LevelKind,
  metricRule,
  metricsOf,
  uuidv7,
  violationMetrics,
} from '@sightline/domain'
import { placeOf } from './floor.ts'
import { createOccasions, type EndCause, type OccasionChange, type Situation } from './occasions.ts'
import type { Seen, SeenTrack } from './perception.ts'
import type { settingsOf } from './settings.ts'
import { startUsecase } from './usecase/table.ts'
import type { Carried, Facts, Followed, Instant } from './usecase/usecase.ts'
import { createWindow, type Levels, type WindowSummary } from './window.ts'
import { createZones, type Shape, type Stay } from './zones.ts'

export type Settings = ReturnType<typeof settingsOf>

/**
 * Why a channel does not start: its state and cause, as the link tells them. `applied` what waits for something beside
 * its configuration, `refused` what nobody could run as it is.
 */
export type Refusal = Pick<ChannelState, 'state' | 'detector_state' | 'cause'>

/** What keeps a channel from being run by this engine; null when nothing does. */
export function refusalOf(config: LinkChannel, { need, modelCause }: Settings): Refusal | null {
  if (config.refusal) return { state: 'applied', detector_state: 'ok', cause: config.refusal }
  if (modelCause) return { state: 'applied', detector_state: 'needs_model', cause: modelCause }
  if (need) return { state: 'applied', detector_state: need, cause: need }
  const drawn = (kind: Shape['kind']) => config.zones.some((zone) => zone.is_active && zone.kind === kind)
  const refused = (cause: string): Refusal => ({ state: 'refused', detector_state: 'ok', cause })
  if (config.usecase_key === 'pplocc' && !drawn('line')) return refused('line_required')
  if (needsZone(config) && !drawn('zone')) return refused('no_zone')
  return null
}

/** Where somebody is matters to these; for the others the whole picture counts unless zones were drawn and then disabled. */
const needsZone = ({ usecase_key, zones }: LinkChannel): boolean =>
  usecase_key === 'intrdtec' ||
  usecase_key === 'loiterdtec' ||
  (usecase_key !== 'pplocc' && usecase_key !== 'emptyframecheck' && zones.some(({ kind }) => kind === 'zone'))

export type Channel = {
  /** One picture of the channel's camera. */
  see(seen: Seen): EventRecord[]
  /** Time passed without a picture. */
  pass(at: number): EventRecord[]
  /** Somebody says how many are inside: it is counted on from there. */
  setOccupancy(occupancy: number, at: number): EventRecord[]
  /** No pictures come any more: whoever was followed is lost. */
  lose(at: number): EventRecord[]
  /** The end: closes window and occasions. */
  close(at: number, cause: EndCause): EventRecord[]
  /** The levels of the newest picture; null before the first, and while nothing can be counted. */
  levels(): Levels | null
  /** Boxes of those in the newest picture who are what must not be. */
  violators(): readonly Box[]
  /** What is wrong now, as a message id; null when all is well. */
  cause(): string | null
  carried(): Carried | null
}

/**
 * One channel at work: zones, use case, occasions and windows, turned into records. Times are those of the pictures;
 * nothing here reads a clock.
 * @param random 10 random bytes, for ids
 */
export function createChannel(
  config: LinkChannel,
  settings: Settings,
  random: () => Uint8Array,
  carried: Carried | null,
): Channel {
  const { analytic, perception } = settings
  let reduce = startUsecase(config.usecase_key, analytic, carried)
  const nominalMs = 1000 / perception.fps
  const window = createWindow({
    windowMs: analytic.windowMs,
    nominalMs,
    longestMs: Math.max(1000, 2.5 * nominalMs),
    kinds: levelKinds(config),
  })
  const occasions = createOccasions(analytic.cooldownMs)
  const shapes = shapesOf(config)
  const lesser = lesserAnswer(config, settings)
  // Masks may have been drawn on another stream of the camera, or for another channel: saving this one's zones says nothing of them.
  const drawnOn = config.zones.flatMap((zone) => (zone.is_active && zone.kind !== 'mask' && zone.aspect_ratio) || [])
  const areas = config.zones
    .filter((zone) => zone.kind === 'zone' && zone.is_active)
    .map(({ name, points, dwell_s }) => ({ name, points, dwellMs: dwell_s === null ? null : dwell_s * 1000 }))
  /** UUIDs of open occasions by their number. */
  const occasionIds = new Map<number, string>()
  let zones: { aspect: number; update: ReturnType<typeof createZones>['update'] } | null = null
  let latest: Levels | null = null
  let violators: readonly Box[] = []
  let lastMeasured: Carried | null = carried
  let cause: string | null = null
  let newestAt = Number.NEGATIVE_INFINITY
  /** When tracks that count as tall enough last were. */
  let tallAt = new Map<number, { since: number; last: number }>()

  const record = (kind: EventRecord['kind'], at: number, rest: Partial<EventRecord>): EventRecord => ({
    event_uuid: uuidv7(at, random()),
    occasion_id: null,
    channel_id: config.channel_id,
    kind,
    observed_at: at,
    observed_ms: 0,
    clock_offset_ms: 0,
    detector: perception.detector,
    detector_state: cause === null ? 'ok' : 'degraded',
    state_cause: cause,
    model_version: perception.model?.sha256 ?? null,
    metrics: {},
    levels: null,
    details: null,
    snapshot_id: null,
    clip_id: null,
    ...rest,
  })
  const windowRecord = ({ endedAt, observedMs, metrics, cause }: WindowSummary): EventRecord =>
    record('window', endedAt, {
      observed_ms: observedMs,
      metrics,
      detector_state: cause === null ? 'ok' : 'degraded',
      state_cause: cause,
    })
  const instantRecord = (at: number, { metrics, details }: Instant): EventRecord => {
    const opened = record('open', at, {
      metrics: Object.fromEntries(metrics.map((metric) => [metric, 1])),
      levels: latest ?? {},
      details: { ...details, instant: true },
    })
    return { ...opened, occasion_id: opened.event_uuid }
  }
  const occasionRecord = ({ kind, id, at, situation, openedAt, cause }: OccasionChange): EventRecord => {
    const made = record(kind, at, {
      metrics: kind === 'open' ? { [situation.metric]: 1 } : situation.values,
      levels: latest ?? {},
      details: {
        ...situation.details,
        started_at: new Date(openedAt).toISOString(),
        ...(kind === 'close' && { ended_at: new Date(at).toISOString() }),
        ...(cause && { cause }),
      },
    })
    if (kind === 'open') occasionIds.set(id, made.event_uuid)
    return { ...made, occasion_id: occasionIds.get(id) ?? made.event_uuid }
  }

  /** Who is tall enough, or just was: a box that is wrong for a moment takes nobody away. */
  function tallOnes({ tracks, at }: Seen): SeenTrack[] {
    const before = tallAt
    tallAt = new Map(
      tracks.flatMap(({ id, box }) => {
        const known = before.get(id)
        if (box[3] >= analytic.minHeight) return [[id, { since: known?.since ?? at, last: at }]]
        return known && at - known.last <= tallForMs ? [[id, known]] : []
      }),
    )
    return tracks.filter(({ id }) => tallAt.has(id))
  }
  function factsOf(seen: Seen): Facts {
    const tall = tallOnes(seen)
    if (zones?.aspect !== seen.aspect)
      zones = { aspect: seen.aspect, update: createZones(shapes, analytic.zones, seen.aspect).update }
    // All of them: who is too small in one picture is not forgotten.
    const { stays, crossings } = zones.update(seen.tracks, seen.at)
    const { at, aspect, height, watching, sight, moving, still, parts, flames } = seen
    const followed = tall
      .filter((track) => track.confirmed)
      .map(({ id, box, score, label, present, detected, embedding }): Followed => {
        const ground = placeOf(box, analytic.floor, aspect, height)
        return {
          trackId: id,
          box,
          score,
          label,
          present,
          detected,
          stays: (stays.get(id) ?? []).map((stay) => whileTall(stay, tallAt.get(id) ?? { since: at, last: at })),
          ground,
          embedding: embedding ?? null,
        }
      })
    return {
      at,
      aspect,
      height,
      watching,
      sight,
      people: followed.filter(({ label }) => label === 'person' || label === 'motion'),
      faces: followed.filter(({ label }) => label === 'face'),
      vehicles: followed.filter(({ label }) => label === 'vehicle' || label === 'forklift'),
      parts,
      flames,
      moving,
      still,
      crossings: crossings.filter(({ trackId }) => tall.some(({ id }) => id === trackId)),
      zones: areas,
    }
  }
  function take(seen: Seen): EventRecord[] {
    const facts = factsOf(seen)
    const { levels, instants, situations } = reduce(facts)
    latest = levels
    violators = violatorsOf(situations, seen)
    if (levels) lastMeasured = { at: seen.at, levels }
    const alive = new Set(seen.tracks.map((track) => track.id))
    return [
      ...window.see(seen.at, levels, cause, seen.still).map(windowRecord),
      ...instants.map((instant) => instantRecord(seen.at, instant)),
      ...occasions.advance(situations, alive, seen.at).map(occasionRecord),
    ]
  }

  return {
    see(seen) {
      newestAt = seen.at
      cause = seen.cause ?? (drawnOn.some((aspect) => isOtherShape(aspect, seen.aspect)) ? reshaped : lesser)
      return take(seen)
    },
    pass: (at) => window.pass(at).map(windowRecord),
    setOccupancy(occupancy, now) {
      const at = Math.max(now, newestAt)
      const levels = { occupancy }
      const before = latest?.occupancy ?? null
      lastMeasured = { at, levels }
      reduce = startUsecase(config.usecase_key, analytic, lastMeasured)
      // What is not counted now stays unknown until it is.
      if (latest) latest = levels
      window.correct(levels)
      const instant = instantRecord(at, { metrics: [], trackId: 0, details: { before } })
      return [{ ...instant, levels, detector: 'none', model_version: null }]
    },
    lose(at) {
      reduce = startUsecase(config.usecase_key, analytic, lastMeasured)
      latest = null
      violators = []
      zones = null
      return occasions.advance([], new Set(), at).map(occasionRecord)
    },
    close(now, why) {
      // A clock that was set back must not end things before they began.
      const at = Math.max(now, newestAt)
      latest = null
      violators = []
      return [...window.cut(at).map(windowRecord), ...occasions.closeAll(at, why).map(occasionRecord)]
    },
    levels: () => latest,
    violators: () => violators,
    cause: () => cause,
    carried: () => lastMeasured,
  }
}

/** Who was tall enough is so for this long, whatever their box says. */
const tallForMs = 1500

/** Of a stay what counts: one tall box of somebody small, who has been there for long, is no long stay. */
const whileTall = (stay: Stay, tall: { since: number; last: number }): Stay => ({
  ...stay,
  since: Math.max(stay.since, tall.since),
  lastInsideAt: Math.min(stay.lastInsideAt, tall.last),
})

/** Somebody hidden for a moment is still in violation, but nowhere to be pointed at. */
function violatorsOf(situations: readonly Situation[], { tracks }: Seen): Box[] {
  const named = new Set(
    situations
      .filter(({ metric }) => violationMetrics.has(metric))
      .flatMap(({ details }) => (details.boxes ?? []) as { track_id: number | null }[])
      .map(({ track_id }) => track_id),
  )
  return tracks.filter(({ id, present }) => present && named.has(id)).map(({ box }) => box)
}

/** Zones lie elsewhere in a picture of another shape, which a camera sends after a change of its settings or of itself. */
const reshaped = 'degraded:other_shape'

/** Why the answers are lesser ones for as long as the settings are these, as a message id; null when they are not. */
function lesserAnswer({ usecase_key }: LinkChannel, { perception, analytic }: Settings): string | null {
  const looksForMore = usecase_key !== 'emptyframecheck' && usecase_key !== 'frdtec'
  if (perception.detector === 'motion' && looksForMore) return 'degraded:motion_only'
  return analytic.floor?.kind === 'height' ? 'degraded:reference_height' : null
}

function shapesOf({ zones }: LinkChannel): Shape[] {
  return zones.flatMap(({ name, kind, points, direction, is_active }) =>
    kind === 'mask' || !is_active ? [] : [{ name, kind, points, direction }],
  )
}

function levelKinds({ usecase_key }: LinkChannel): Record<string, LevelKind> {
  return Object.fromEntries(
    metricsOf(usecase_key).flatMap((id) => {
      const { level } = metricRule(usecase_key, id)
      return level ? [[id, level]] : []
    }),
  )
}
