import type { EventRecord, LinkChannel } from '@sightline/contract/edge'
import { type Box, type PipelineElements, pipelineDefaults, type UsecaseKey } from '@sightline/domain'
import { type AnalyzerOptions, createAnalyzer } from '../analyzer.ts'
import type { Detection } from '../detect.ts'
import { loadOpenCv } from '../opencv.ts'
import { type NewDetector, newDetector } from '../perception.ts'
import { type Clip, pictures, type Truth } from './clip.ts'
import { type Score, score } from './score.ts'

export const sourceId = '00000000-0000-7000-8000-00000000000a'
const start = Date.UTC(2026, 4, 4, 12)

/** A channel as the link sends it, with a use case's defaults. */
export function channelOf(
  usecase: UsecaseKey,
  zones: readonly Partial<LinkChannel['zones'][number]>[],
  elements: PipelineElements = {},
): LinkChannel {
  const number = [...usecase].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 0xffffffff
  return {
    channel_id: `00000000-0000-7000-8000-0000${number.toString(16).padStart(8, '0')}`,
    source_id: sourceId,
    version: 1,
    name: usecase,
    usecase_key: usecase,
    pipeline_elements: { ...pipelineDefaults(usecase), ...elements },
    zones: zones.map((zone, i) => ({
      static_id: `00000000-0000-7000-8000-00000000f${String(i).padStart(3, '0')}`,
      name: `zone${i + 1}`,
      label: null,
      kind: 'zone' as const,
      points: [],
      direction: 'both' as const,
      side_a: 'a',
      side_b: 'b',
      aspect_ratio: null,
      is_active: true,
      dwell_s: null,
      ...zone,
    })),
    auto_recovery: true,
  }
}

export const wholePicture: [number, number][] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
]

/** A scene's line or zone in 0…1, so that going in counts `up`. */
export function drawnIn({ width, height, line, zone }: Truth): Partial<LinkChannel['zones'][number]>[] {
  const share = ([x, y]: readonly [number, number]): [number, number] => [x / width, y / height]
  const ends = line && (line.insideSign === 1 ? [line.a, line.b] : [line.b, line.a])
  return [
    ...(ends ? [{ name: 'line1', kind: 'line' as const, points: ends.map(share) }] : []),
    ...(zone ? [{ name: 'zone1', points: zone.points.map(share) }] : []),
  ]
}

/** One picture that somebody looked at, against what is there. */
export type Look = {
  index: number
  /** Of people found by the detector itself. */
  detector: Score
  /** Of those and of motion shaped like a person that it did not explain. */
  found: Score
  /** Of people counted as present. */
  counted: Score
  people: { there: number; counted: number }
}

/** A channel that counts people, and those who cross the clip's line. */
export const counting = ({ truth }: Clip): LinkChannel =>
  channelOf('pplcnt', [{ points: wholePicture }, ...drawnIn(truth).filter(({ kind }) => kind === 'line')])

/** How often the clip's line is crossed; null where it has none. */
export function crossingsIn({ crossings }: Truth): { up: number; down: number } | null {
  if (!crossings) return null
  const count = (dir: 'in' | 'out') => crossings.filter((crossing) => crossing.dir === dir).length
  return { up: count('in'), down: count('out') }
}

/** What a run over a clip found, turn by turn of the loop. */
export type Turn = {
  looks: Look[]
  /** Pictures that somebody looked at while the analysis said that it counts nothing: it learns the background. */
  unwatched: number
  /** Pictures in which each track was counted. */
  tracks: Map<number, number>
  pictures: number
  cpuMs: number
  /** In pictures that show nobody, as the truth knows. */
  quiet: { pictures: number; cpuMs: number }
  records: EventRecord[]
}

export type RunOptions = {
  channels: LinkChannel[]
  turns?: number
  /** First picture of the clip. */
  first?: number
  fps?: number
  detectorOf?: NewDetector
  change?: (picture: Uint8Array, index: number) => void
  random?: AnalyzerOptions['random']
  /** Pictures of each turn at most, counted from the clip's first. */
  most?: number
}

/** Plays a clip, looping as a camera does, through the whole analysis. */
export async function play(clip: Clip, options: RunOptions): Promise<Turn[]> {
  const { channels, turns = 1, first = 0, fps = 5, detectorOf = newDetector } = options
  const { truth } = clip
  const cv = await loadOpenCv()
  let found: Detection[] = []
  const analyzer = createAnalyzer({
    cv,
    random: options.random ?? countingBytes(),
    detectorOf(...args) {
      const detector = detectorOf(...args)
      return {
        ...detector,
        find: (...looked) => {
          found = detector.find(...looked)
          return found
        },
      }
    },
  })
  analyzer.setChannels(channels, start)
  const step = Math.round(truth.fps / fps)
  const done: Turn[] = []
  let from = first
  let begun = start
  for (let turn = 0; turn < turns; turn++) {
    const now = newTurn()
    let last = 0
    for await (const picture of pictures(clip, { first: from, step })) {
      if (picture.index >= Math.min(truth.frames.length, options.most ?? Number.POSITIVE_INFINITY)) break
      options.change?.(picture.data, picture.index)
      found = []
      const at = begun + Math.round((picture.index * 1000) / truth.fps)
      const before = process.cpuUsage()
      const { records, overlay } = analyzer.frame({ source_id: sourceId, at, pts_ms: at - start, ...picture })
      const { user, system } = process.cpuUsage(before)
      const cpuMs = (user + system) / 1000
      now.records.push(...records)
      now.pictures++
      now.cpuMs += cpuMs
      last = picture.index
      for (const { track_id } of overlay?.boxes ?? [])
        if (track_id !== null) now.tracks.set(track_id, (now.tracks.get(track_id) ?? 0) + 1)
      const there = truth.frames[picture.index]
      if (there?.length === 0) now.quiet = { pictures: now.quiet.pictures + 1, cpuMs: now.quiet.cpuMs + cpuMs }
      if (!there) continue
      if (analyzer.states().some(({ cause }) => cause === 'degraded:warm_up')) {
        now.unwatched++
        continue
      }
      const zoom = picture.width / truth.width
      const people = there.map((person) => ({ ...person, box: person.box.map((v) => v * zoom) as unknown as Box }))
      const boxes = (overlay?.boxes ?? []).map((one) => ({
        score: one.score,
        box: one.box.map((v, i) => v * (i % 2 === 0 ? picture.width : picture.height)) as unknown as Box,
      }))
      const certain = found.filter((one) => one.kind !== 'blob')
      now.looks.push({
        index: picture.index,
        detector: score(certain, people),
        found: score(found, people),
        counted: score(boxes, people),
        people: { there: people.filter((person) => person.f !== 'i').length, counted: boxes.length },
      })
    }
    done.push(now)
    begun += Math.round((truth.frames.length * 1000) / truth.fps)
    from = (((last + step) % truth.frames.length) + truth.frames.length) % truth.frames.length
  }
  done.at(-1)!.records.push(...analyzer.stop(begun, 'disabled'))
  return done
}

const newTurn = (): Turn => ({
  looks: [],
  unwatched: 0,
  tracks: new Map(),
  pictures: 0,
  cpuMs: 0,
  quiet: { pictures: 0, cpuMs: 0 },
  records: [],
})

/** Ids that are the same from run to run. */
export function countingBytes(): () => Uint8Array {
  let count = 0
  return () => {
    const bytes = new Uint8Array(10)
    new DataView(bytes.buffer).setUint32(6, ++count)
    return bytes
  }
}

export const looksOf = (turns: readonly Turn[]): Look[] => turns.flatMap((turn) => turn.looks)

export const meanOf = (looks: readonly Look[], of: (look: Look) => number): number =>
  looks.reduce((total, look) => total + of(look), 0) / looks.length

/** Of a picture's count, without its sign. */
export const countError = ({ people }: Look): number => Math.abs(people.counted - people.there)

/** Sum of a flow over open records. */
export const flowOf = (records: readonly EventRecord[], metric: string): number =>
  records.filter((record) => record.kind === 'open').reduce((sum, record) => sum + (record.metrics[metric] ?? 0), 0)

/** Mean of a gauge over window records, weighted by the time watched. */
export function gaugeOf(records: readonly EventRecord[], metric: string): number {
  const windows = records.filter((record) => record.kind === 'window' && metric in record.metrics)
  const ms = windows.reduce((sum, record) => sum + record.observed_ms, 0)
  return windows.reduce((sum, record) => sum + (record.metrics[metric] ?? 0) * record.observed_ms, 0) / ms
}
