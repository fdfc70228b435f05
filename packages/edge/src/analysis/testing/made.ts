import type { EventRecord, LinkChannel } from '@sightline/contract/edge'
import type { Box, PipelineElements, UsecaseKey } from '@sightline/domain'
import { createChannel } from '../channel.ts'
import type { Seen, SeenTrack } from '../perception.ts'
import { type AnalyticSettings, settingsOf } from '../settings.ts'
import { channelOf, countingBytes } from './run.ts'

/** Tracks made up to the pixel, seen by a channel as the engine would show them. */
export const start = Date.UTC(2026, 4, 4, 12)

type Zones = readonly Partial<LinkChannel['zones'][number]>[]

/** A person whose feet are at x, y. */
export const track = (id: number, x: number, y: number, more: Partial<SeenTrack> = {}): SeenTrack => ({
  id,
  box: [x - 0.05, y - 0.3, 0.1, 0.3] as Box,
  score: 0.9,
  label: 'person',
  confirmed: true,
  present: true,
  observed: true,
  detected: true,
  ...more,
})

export const seen = (ms: number, tracks: SeenTrack[], more: Partial<Seen> = {}): Seen => ({
  at: start + ms,
  aspect: 16 / 9,
  height: 360,
  watching: true,
  still: false,
  cause: null,
  sight: 'clear',
  tracks,
  parts: null,
  flames: null,
  moving: tracks.length,
  ...more,
})

/** @param known what comes from a model: its labels, its gallery */
export function open(
  usecase: UsecaseKey,
  zones: Zones,
  elements: PipelineElements = {},
  known: Partial<AnalyticSettings> = {},
) {
  const config = channelOf(usecase, zones, elements)
  const settings = settingsOf(config)
  return createChannel(config, { ...settings, analytic: { ...settings.analytic, ...known } }, countingBytes(), null)
}

type Shown = SeenTrack[] | (Partial<Seen> & { tracks?: SeenTrack[] })

/** Pictures every `everyMs`; `shown` says what is in them. */
export function play(
  channel: ReturnType<typeof open>,
  untilMs: number,
  shown: (ms: number) => Shown,
  fromMs = 0,
  everyMs = 200,
): EventRecord[] {
  const records: EventRecord[] = []
  for (let ms = fromMs; ms < untilMs; ms += everyMs) {
    const now = shown(ms)
    records.push(...channel.see(Array.isArray(now) ? seen(ms, now) : seen(ms, now.tracks ?? [], now)))
  }
  return records
}

/** What is told beside windows: kind, ms since the start, metrics, and why it ended or went on. */
export const told = (records: readonly EventRecord[]) =>
  records
    .filter(({ kind }) => kind !== 'window')
    .map(({ kind, observed_at, metrics, details }) => {
      const cause = details?.cause
      return [kind, observed_at - start, metrics, ...(cause ? [cause] : [])] as const
    })

export const windows = (records: readonly EventRecord[]) => records.filter(({ kind }) => kind === 'window')

/** How many situations there were. */
export const occasionsIn = (records: readonly EventRecord[]): number =>
  new Set(records.flatMap(({ occasion_id }) => occasion_id ?? [])).size

/** A camera straight above a floor of 16 by 9 metres: feet at x, y stand at 16 x, 9 y. */
export const fromAbove: PipelineElements = {
  'calibration.image_points': '0,0 1,0 1,1 0,1',
  'calibration.world_points_m': '0,0 16,0 16,9 0,9',
}

export const room: Zones[number] = {
  points: [
    [0.4, 0.4],
    [0.6, 0.4],
    [0.6, 0.8],
    [0.4, 0.8],
  ],
}
