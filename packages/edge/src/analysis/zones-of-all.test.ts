import { type DetectionLabel, type PipelineElements, type UsecaseKey, usecaseKeys } from '@sightline/domain'
import { expect, test } from 'vitest'
import type { SeenTrack } from './perception.ts'
import type { AnalyticSettings } from './settings.ts'
import { fromAbove, open, play, room, told, track, windows } from './testing/made.ts'

type Scene = {
  elements?: PipelineElements
  known?: Partial<AnalyticSettings>
  /** What happens around x, and would be told if it happened in a zone. */
  around(
    x: number,
    ms: number,
  ): { tracks: SeenTrack[]; parts?: { label: DetectionLabel; box: SeenTrack['box']; score: number }[] }
}

const person = (id: number, x: number) => track(id, x, 0.6)
const two = (x: number) => ({ tracks: [person(1, x), person(2, x + 0.03)] })
const face = (x: number): SeenTrack =>
  track(1, x, 0, { label: 'face', box: [x - 0.05, 0.4, 0.1, 0.2], embedding: () => Float32Array.from([1, 0]) })

/** Each use case that looks at places, with something to see. */
const scenes: Partial<Record<UsecaseKey, Scene>> = {
  pplcnt: { around: two },
  pplcntavg: { around: two },
  ppltrk: { around: two },
  intrdtec: { around: two },
  loiterdtec: { elements: { 'analytic.dwell_s': 3 }, around: two },
  phydist: { elements: fromAbove, around: two },
  ppedtec: {
    known: { modelLabels: ['person', 'helmet', 'no_helmet', 'vest'] },
    elements: { 'analytic.required_items': 'helmet' },
    around: (x) => ({
      tracks: [person(1, x)],
      parts: [{ label: 'no_helmet', box: [x - 0.02, 0.3, 0.04, 0.05], score: 0.8 }],
    }),
  },
  fcmsk: { around: (x) => ({ tracks: [face(x)], parts: [{ label: 'no_mask', box: face(x).box, score: 0.8 }] }) },
  fcrecog: { around: (x) => ({ tracks: [face(x)] }) },
  frdtec: { around: (x) => ({ tracks: [], parts: [{ label: 'fire', box: [x - 0.02, 0.5, 0.04, 0.1], score: 0.8 }] }) },
  coldtec: {
    elements: fromAbove,
    around: (x, ms) => ({
      tracks: [person(1, x), track(2, x, Math.max(0.76, 0.95 - ms / 4500), { label: 'forklift' })],
    }),
  },
}

const zone = [0.4, 0.6] as const
const [inside, outside] = [(zone[0] + zone[1]) / 2, 0.1]

test('every use case that looks at places is here', () => {
  const elsewhere: UsecaseKey[] = ['pplocc', 'emptyframecheck']
  expect(Object.keys(scenes).sort()).toEqual(usecaseKeys.filter((key) => !elsewhere.includes(key)).sort())
})

test.each(Object.entries(scenes) as [UsecaseKey, Scene][])(
  '%s tells what happens in a zone, and nothing of what happens outside',
  (key, { elements, known, around }) => {
    const watch = (x: number) => {
      const channel = open(key, [room], elements, known)
      const records = play(channel, 10_200, (ms) => around(x, ms), 0, 100)
      const most = windows(records)
        .flatMap(({ metrics }) => Object.entries(metrics))
        .filter(([id]) => id.endsWith('_max'))
      // Where nothing stands in a zone, intrusions are counted by what is elsewhere.
      const seen = key === 'intrdtec' ? most.filter(([id]) => id.startsWith('violation')) : most
      return { told: told(records).length, level: Math.max(0, ...seen.map(([, value]) => value)) }
    }
    const there = watch(inside)
    expect(there.told + there.level).toBeGreaterThan(0)
    expect(watch(outside)).toEqual({ told: 0, level: 0 })
  },
)
