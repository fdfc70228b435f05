/** Each use case that runs without a model, on decoded pictures: what it must tell, and what it must not. */
import type { EventRecord, LinkChannel } from '@sightline/contract/edge'
import { insidePolygon, type PipelineElements, type UsecaseKey } from '@sightline/domain'
import { expect, test } from 'vitest'
import { type Clip, scene } from './testing/clip.ts'
import { occasionsIn } from './testing/made.ts'
import { flame, noise, paintOn } from './testing/paint.ts'
import { channelOf, drawnIn, flowOf, gaugeOf, play, type RunOptions, wholePicture } from './testing/run.ts'

const slow = 180_000

type Zones = Parameters<typeof channelOf>[1]
/** Channels by a name of the test's own; several may have one use case. */
type Cases = Record<string, [usecase: UsecaseKey, zones: Zones, elements?: PipelineElements]>

/** Plays a scene once through all channels at once, and answers their records by name. */
async function watched<C extends Cases>(clip: Clip, cases: C, options: Partial<RunOptions> = {}) {
  const channels = Object.entries(cases).map(([name, one], i): [string, LinkChannel] => [
    name,
    { ...channelOf(...one), channel_id: `00000000-0000-7000-8000-0000000001${String(i).padStart(2, '0')}` },
  ])
  const turns = await play(clip, { ...options, channels: channels.map(([, channel]) => channel) })
  const records = turns.flatMap((turn) => turn.records)
  return Object.fromEntries(
    channels.map(([name, { channel_id }]) => [name, records.filter((one) => one.channel_id === channel_id)]),
  ) as Record<keyof C, EventRecord[]>
}
const most = (records: readonly EventRecord[], metric: string): number =>
  Math.max(...records.filter(({ kind }) => kind === 'window').map(({ metrics }) => metrics[metric] ?? 0))
const events = (records: readonly EventRecord[]) => records.filter(({ kind }) => kind !== 'window')

const zone = (...points: [number, number][]): Zones => [{ points }]
/** The wall above the sofa: nobody walks there. */
const wall = zone([0.75, 0.05], [0.95, 0.05], [0.95, 0.2], [0.75, 0.2])
/** In front of the desk, where two of the eight stop; they are there for more than five seconds, the others for less than three. */
const desk = zone([0.25, 0.62], [0.62, 0.62], [0.62, 0.95], [0.25, 0.95])
/** Four points of the hall's floor, measured from the door in metres. */
const lobbyFloor = {
  'calibration.image_points': '0.2595,0.789 0.6501,0.8612 0.6582,0.576 0.4204,0.5506',
  'calibration.world_points_m': '-1.5,-1 1.5,-1 1.5,-5 -1.5,-5',
}

test('lobby: counting, tracking, occupancy, intrusion, loitering and distances tell what happens, and nothing that does not', {
  timeout: slow,
}, async () => {
  const clip = scene('lobby')
  const there = await watched(clip, {
    count: ['pplcnt', [{ points: wholePicture }]],
    noCount: ['pplcnt', wall],
    average: ['pplcntavg', [{ points: wholePicture }]],
    noAverage: ['pplcntavg', wall],
    track: ['ppltrk', [{ points: wholePicture }]],
    noTrack: ['ppltrk', wall],
    occupancy: ['pplocc', drawnIn(clip.truth)],
    noOccupancy: [
      'pplocc',
      [
        {
          name: 'line1',
          kind: 'line',
          points: [
            [0.75, 0.1],
            [0.95, 0.1],
          ],
        },
      ],
    ],
    intrusion: ['intrdtec', desk, { 'zones.min_dwell_s': 0.4, 'analytic.cooldown_s': 0 }],
    noIntrusion: ['intrdtec', wall],
    loitering: ['loiterdtec', desk, { 'analytic.dwell_s': 4 }],
    noLoitering: ['loiterdtec', desk, { 'analytic.dwell_s': 10 }],
    distance: ['phydist', [], { ...lobbyFloor, 'analytic.distance_m': 3.5 }],
    noDistance: ['phydist', [], { ...lobbyFloor, 'analytic.distance_m': 0.5 }],
    seeing: ['emptyframecheck', [{ points: wholePicture }]],
    uncalibrated: ['phydist', []],
    withoutModel: ['ppedtec', []],
  })
  expect(most(there.count, 'total_max')).toBe(3)
  expect(most(there.noCount, 'total_max')).toBe(0)
  expect(gaugeOf(there.average, 'moving_average_count')).toBeGreaterThan(0.5)
  expect(most(there.noAverage, 'moving_average_count_max')).toBe(0)
  expect(most(there.track, 'total_max')).toBe(3)
  expect(most(there.noTrack, 'total_max')).toBe(0)
  expect([flowOf(there.occupancy, 'up'), flowOf(there.occupancy, 'down')]).toEqual([4, 3])
  expect(events(there.noOccupancy)).toEqual([])

  // All eight cross the place in front of the desk. Twice one leaves the hall where another enters: with a cool-down
  // those would be one occasion each.
  expect([staysIn(clip, desk).length, occasionsIn(there.intrusion)]).toEqual([8, 8])
  expect(events(there.noIntrusion)).toEqual([])

  const loiterers = staysIn(clip, desk).filter((seconds) => seconds >= 4).length
  expect([loiterers, occasionsIn(there.loitering)]).toEqual([2, 2])
  expect(Math.abs(most(there.loitering, 'dwell_time') - Math.max(...staysIn(clip, desk)))).toBeLessThan(1)
  expect(events(there.noLoitering)).toEqual([])
  expect(most(there.noLoitering, 'dwell_time')).toBeGreaterThan(5)

  // By the scene's model three pairs are nearer than 3.5 m for two seconds or more, and none nearer than half a metre.
  expect(occasionsIn(there.distance)).toBe(3)
  expect(most(there.distance, 'violation_max')).toBe(2)
  expect(events(there.noDistance)).toEqual([])

  expect(events(there.seeing)).toEqual([])
  expect(there.uncalibrated).toEqual([])
  expect(there.withoutModel).toEqual([])
})

/** Seconds that each person's feet spend in a zone, by the scene's truth. */
function staysIn({ truth: { frames, width, height, fps } }: Clip, [zone]: Zones): number[] {
  const frameCounts = new Map<number, number>()
  for (const people of frames)
    for (const { id, foot } of people ?? [])
      if (foot && insidePolygon(zone?.points ?? [], [foot[0] / width, foot[1] / height]))
        frameCounts.set(id, (frameCounts.get(id) ?? 0) + 1)
  return [...frameCounts.values()].map((count) => count / fps)
}

const flames = { 'detector.flames': true }

test('warehouse: who lingers at the machine is told, and people in orange vests are no fire', {
  timeout: slow,
}, async () => {
  const clip = scene('warehouse')
  const machine = drawnIn(clip.truth)
  const there = await watched(
    clip,
    {
      loitering: ['loiterdtec', machine, { 'analytic.dwell_s': 4 }],
      noLoitering: ['loiterdtec', machine, { 'analytic.dwell_s': 8 }],
      fire: ['frdtec', [], flames],
    },
    { fps: 15 },
  )
  expect(occasionsIn(there.loitering)).toBe(staysIn(clip, machine).filter((seconds) => seconds >= 4).length)
  expect(events(there.noLoitering)).toEqual([])
  expect(events(there.fire)).toEqual([])
  expect(most(there.fire, 'fire_max')).toBe(0)
  expect(there.fire.filter(({ observed_ms }) => observed_ms > 4500).length).toBeGreaterThan(8)
})

test('corridor: a fire that breaks out is told within six seconds, once, and the empty floor before is not', {
  timeout: slow,
}, async () => {
  const { file, truth } = scene('corridor')
  const [outbreak, end] = [375, 600]
  const clip = { file, truth: { ...truth, frames: truth.frames.slice(0, end) } }
  const random = noise(3)
  const { fire, elsewhere } = await watched(
    clip,
    { fire: ['frdtec', [], flames], elsewhere: ['frdtec', wall, flames] },
    {
      fps: 15,
      change(picture, index) {
        if (index < outbreak) return
        const canvas = paintOn(picture, truth.width, truth.height)
        const twice = {
          ...canvas,
          put: (x: number, y: number, rgb: readonly [number, number, number]) => {
            for (const [right, down] of [
              [0, 0],
              [1, 0],
              [0, 1],
              [1, 1],
            ] as const)
              canvas.put(2 * x + right, 2 * y + down, rgb)
          },
        }
        flame(twice, Math.floor(((index - outbreak) * 12) / truth.fps), 150, 150, random)
      },
    },
  )
  const [opened, ...more] = events(fire)
  const breaksOut = fire[0]!.observed_at - 5000 + (outbreak * 1000) / truth.fps
  expect(opened).toMatchObject({ kind: 'open', metrics: { fire: 1 }, detector: 'motion', detector_state: 'ok' })
  expect(opened!.observed_at - breaksOut).toBeGreaterThan(0)
  expect(opened!.observed_at - breaksOut).toBeLessThan(6000)
  expect(more.map(({ kind, details }) => [kind, details?.cause])).toEqual([['close', 'disabled']])
  expect(events(elsewhere)).toEqual([])
})
