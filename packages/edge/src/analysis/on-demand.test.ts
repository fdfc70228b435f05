import { expect, test } from 'vitest'
import { pedestrians, scene, type Truth } from './testing/clip.ts'
import { missedOnDemand, type Played, playOnDemand } from './testing/on-demand.ts'
import { channelOf, drawnIn, flowOf, gaugeOf, wholePicture } from './testing/run.ts'

const acrossTheMiddle = {
  name: 'line1',
  kind: 'line' as const,
  points: [
    [0.5, 0],
    [0.5, 1],
  ] as [number, number][],
}

function channelsOf(truth: Truth) {
  const lines = drawnIn(truth).filter(({ kind }) => kind === 'line')
  return [
    channelOf('pplcnt', []),
    channelOf('pplocc', lines.length > 0 ? lines : [acrossTheMiddle]),
    channelOf('intrdtec', [{ points: wholePicture }]),
  ] as const
}

function summary({ records }: Played, channels: ReturnType<typeof channelsOf>) {
  const of = (i: 0 | 1 | 2) => records.filter(({ channel_id }) => channel_id === channels[i].channel_id)
  const windows = of(0).filter(({ kind }) => kind === 'window')
  return {
    up: flowOf(of(1), 'up'),
    down: flowOf(of(1), 'down'),
    intruders: of(2).filter(({ kind }) => kind === 'open').length,
    mean: gaugeOf(of(0), 'total'),
    watchedMs: windows.reduce((sum, { observed_ms }) => sum + observed_ms, 0),
  }
}

/** A scene, some loops of it or its first `most` pictures: crossings, intruders and time watched equal, counts as good as. */
async function compared(file: string, truth: Truth, loops: number, most?: number) {
  const channels = channelsOf(truth)
  const clip = { file, fps: truth.fps }
  const every = await playOnDemand(clip, [...channels], { loops, most, onDemand: false })
  const some = await playOnDemand(clip, [...channels], { loops, most, onDemand: true })
  const [all, gated] = [summary(every, channels), summary(some, channels)]
  expect(gated).toMatchObject({ up: all.up, down: all.down, intruders: all.intruders })
  expect(missedOnDemand(every, some, truth.fps), 'pictures with movement that nobody looked at').toEqual([])
  expect(Math.abs(gated.mean - all.mean)).toBeLessThan(0.02)
  expect(Math.abs(gated.watchedMs - all.watchedMs)).toBeLessThan(1000)
  return { every, some, all }
}

test.each(['lobby', 'warehouse', 'corridor'] as const)(
  'leaving out what is quiet finds the same people in the %s as looking at everything',
  { timeout: 400_000 },
  async (name) => {
    const { file, truth } = scene(name)
    const { every, some, all } = await compared(file, truth, name === 'corridor' ? 2 : 1)
    expect(all.up + all.down).toBeGreaterThan(0)
    if (name !== 'corridor') return
    // Hardly anybody passes here.
    expect(some.analysed.length).toBeLessThan(every.analysed.length * 0.5)
    // Decoding too is left out; how much time the same work takes varies with what else the machine does.
    expect(some.cpuMs).toBeLessThan(every.cpuMs * 0.9)
  },
)

const footage = pedestrians()
if (!footage) console.log('The footage of pedestrians is not there: its recall on demand is not compared.')
test.skipIf(!footage)('and so it does in a street', { timeout: 600_000 }, async () => {
  const { file, truth } = footage!
  // The first half of it: it is never quiet, so that the other half rests as little.
  const { all } = await compared(file, truth, 1, 400)
  expect(all.up + all.down).toBeGreaterThan(10)
})
