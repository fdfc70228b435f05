/** The whole analysis on decoded pictures, against what is really there. */
import { usecaseKeys } from '@sightline/domain'
import { describe, expect, test } from 'vitest'
import type { Detector } from './detect.ts'
import type { NewDetector } from './perception.ts'
import { type Clip, pedestrians, scene } from './testing/clip.ts'
import {
  channelOf,
  countError,
  counting,
  crossingsIn,
  drawnIn,
  flowOf,
  gaugeOf,
  looksOf,
  meanOf,
  play,
  type Turn,
  wholePicture,
} from './testing/run.ts'
import { f1, precision, recall, sumOf } from './testing/score.ts'

const slow = 240_000

const scoresOf = (turns: readonly Turn[]) => {
  const looks = looksOf(turns)
  return {
    detector: sumOf(looks.map((look) => look.detector)),
    found: sumOf(looks.map((look) => look.found)),
    counted: sumOf(looks.map((look) => look.counted)),
    countError: meanOf(looks, countError),
    meanThere: meanOf(looks, (look) => look.people.there),
    meanCounted: meanOf(looks, (look) => look.people.counted),
  }
}

/** What a scene demands of the detector; a sabotaged one must fail it. */
function expectPeopleFound(turns: readonly Turn[]): void {
  const { detector, found, counted, countError } = scoresOf(turns)
  expect(recall(detector), 'found by the detector alone').toBeGreaterThanOrEqual(0.6)
  expect(f1(found), 'found with unexplained motion').toBeGreaterThanOrEqual(0.85)
  expect(f1(counted), 'counted').toBeGreaterThanOrEqual(0.9)
  expect(countError, 'mean error of the count').toBeLessThanOrEqual(0.25)
}
/** Mean counts within 15 % of the truth, from the records that are sent. */
function expectMeanCount(turns: readonly Turn[]): void {
  const records = turns.flatMap((turn) => turn.records)
  const truth = scoresOf(turns).meanThere
  expect(Math.abs(gaugeOf(records, 'total') / truth - 1), 'error of the mean count').toBeLessThanOrEqual(0.15)
}
function expectCrossings(turns: readonly Turn[], { truth }: Clip): void {
  for (const [i, turn] of turns.entries())
    expect({ turn: i + 1, up: flowOf(turn.records, 'up'), down: flowOf(turn.records, 'down') }).toEqual({
      turn: i + 1,
      ...crossingsIn(truth),
    })
}
const report = (name: string, turns: readonly Turn[]) => {
  const pictures = turns.reduce((total, turn) => total + turn.pictures, 0)
  const quiet = turns.reduce((total, turn) => total + turn.quiet.pictures, 0)
  const cpuMs = turns.reduce((total, turn) => total + turn.cpuMs, 0)
  const quietMs = turns.reduce((total, turn) => total + turn.quiet.cpuMs, 0)
  const { detector, counted, meanThere, meanCounted } = scoresOf(turns)
  console.log(
    `${name}: detector alone R ${recall(detector).toFixed(2)}, ` +
      `counted P ${precision(counted).toFixed(2)} R ${recall(counted).toFixed(2)}, ` +
      `mean ${meanCounted.toFixed(2)} of ${meanThere.toFixed(2)}, ` +
      `CPU ms per picture ${(cpuMs / pictures).toFixed(1)}, without people ${(quietMs / quiet).toFixed(1)}`,
  )
}

describe('on the scenes of the simulated cameras, at 5 pictures a second', () => {
  test('lobby: people are found, and two turns give the mean count and every crossing', {
    timeout: slow,
  }, async () => {
    const clip = scene('lobby')
    const turns = await play(clip, { channels: [counting(clip)], turns: 2 })
    report('lobby', turns)
    expectPeopleFound(turns)
    expectMeanCount(turns)
    expectCrossings(turns, clip)
  })

  test('lobby: other pictures of the same scene give the same crossings', { timeout: slow }, async () => {
    const clip = scene('lobby')
    expectCrossings(await play(clip, { channels: [counting(clip)], first: 1 }), clip)
  })

  test('warehouse: people are found, counted, and each entry of the zone is one intrusion', {
    timeout: slow,
  }, async () => {
    const clip = scene('warehouse')
    const intrusion = channelOf('intrdtec', drawnIn(clip.truth))
    const turns = await play(clip, { channels: [counting(clip), intrusion] })
    report('warehouse', turns)
    expectPeopleFound(turns)
    const counted = turns.map((turn) => ({
      ...turn,
      records: turn.records.filter((record) => record.channel_id !== intrusion.channel_id),
    }))
    expectMeanCount(counted)
    for (const turn of turns) expect(flowOf(turn.records, 'violation')).toBe(clip.truth.zoneEntries?.length)
  })

  test('corridor: one person in a minute is counted and crosses once', { timeout: slow }, async () => {
    const clip = scene('corridor')
    const turns = await play(clip, { channels: [counting(clip)] })
    report('corridor', turns)
    expectPeopleFound(turns)
    expectMeanCount(turns)
    expectCrossings(turns, clip)
  })

  test('a minute without anybody gives no event but the empty frame', { timeout: slow }, async () => {
    const { file, truth } = scene('corridor')
    const firstSomebody = truth.frames.findIndex((people) => people?.length !== 0)
    const empty = { file, truth: { ...truth, frames: truth.frames.slice(0, firstSomebody) } }
    const zones = [{ points: wholePicture }, ...drawnIn(truth)]
    // All but this one; those that need a model run as little as they would at a customer's.
    const others = usecaseKeys
      .filter((key) => key !== 'emptyframecheck')
      .map((key) => channelOf(key, zones, key === 'phydist' ? { 'calibration.ref_height_m': 1.7 } : {}))
    const frames = channelOf('emptyframecheck', zones)
    const turns = await play(empty, {
      channels: [...others, frames],
      turns: Math.ceil(60 / (firstSomebody / truth.fps)),
    })
    const records = turns.flatMap((turn) => turn.records)
    expect(records.filter(({ kind, channel_id }) => kind !== 'window' && channel_id !== frames.channel_id)).toEqual([])
    for (const { kind, channel_id, metrics } of records)
      if (kind === 'window' && channel_id !== frames.channel_id)
        expect(new Set(Object.values(metrics))).toEqual(new Set([0]))
    expect(records.filter(({ kind }) => kind === 'open').map(({ details }) => details?.finding)).toEqual(['nobody'])
  })
})

describe('the demands mean something:', () => {
  const broken: [string, (detector: Detector) => Detector][] = [
    ['a detector that finds nothing', (detector) => ({ ...detector, find: () => [] })],
    [
      'a detector that takes everything that moves for a person',
      (detector) => ({
        ...detector,
        find: (_picture, blobs) => blobs.map(({ box }) => ({ box, score: 0.9, kind: 'person' })),
      }),
    ],
  ]
  test.each(broken)('%s fails them', { timeout: slow }, async (_, sabotage) => {
    const clip = scene('warehouse')
    const detectorOf: NewDetector = () => sabotage({ find: () => [], delete: () => undefined })
    const turns = await play(clip, { channels: [counting(clip)], detectorOf })
    expect(() => expectPeopleFound(turns)).toThrow()
  })
})

const footage = pedestrians()
if (!footage) console.log('skipped: accuracy on real people needs ../shared/footage/pedestrians.mp4')

test.skipIf(!footage)(
  'real people, half of the clip: precision ≥ .95, recall ≥ .75, mean error of the count ≤ 1.3',
  { timeout: slow },
  async () => {
    const turns = await play(footage!, { channels: [channelOf('pplcnt', [{ points: wholePicture }])], most: 400 })
    report('pedestrians', turns)
    const { found, countError } = scoresOf(turns)
    expect(precision(found)).toBeGreaterThanOrEqual(0.95)
    expect(recall(found)).toBeGreaterThanOrEqual(0.75)
    expect(countError).toBeLessThanOrEqual(1.3)
  },
)
