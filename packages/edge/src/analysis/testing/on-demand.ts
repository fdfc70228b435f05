import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { EventRecord, LinkChannel } from '@sightline/contract/edge'
import { createAnalyzer } from '../analyzer.ts'
import { loadOpenCv } from '../opencv.ts'
import { countingBytes, sourceId } from './run.ts'

export type ToDecoder = { isStill: boolean }
export type FromDecoder =
  | { type: 'picture'; index: number; width: number; height: number; data: Buffer }
  | { type: 'end'; pictures: number; cpuMs: number }

export type Played = {
  records: EventRecord[]
  /** Of the clip's pictures, those that were analysed. */
  analysed: number[]
  /** Of these, those in which something moved or was followed. */
  moving: number[]
  pictures: number
  /** CPU time of decoding, and of the analysis. */
  cpuMs: number
  analysisMs: number
}

/** Of the pictures in which something moved when all were looked at, those for which none was looked at on demand. */
export function missedOnDemand(every: Played, some: Played, fps: number): number[] {
  const analysed = new Set(some.analysed)
  const reach = Math.ceil(fps / analysedPerSecond) - 1
  const near = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach)
  return every.moving.filter((index) => !near.some((step) => analysed.has(index + step)))
}

/** As `decode-on-demand.ts` asks for them. */
const analysedPerSecond = 5
const start = Date.UTC(2026, 4, 4, 12)

/** Plays a clip, or its first `most` pictures, some times over through the camera process' decoder and the whole analysis. */
export async function playOnDemand(
  { file, fps }: { file: string; fps: number },
  channels: LinkChannel[],
  { loops, onDemand, most = Number.POSITIVE_INFINITY }: { loops: number; onDemand: boolean; most?: number },
): Promise<Played> {
  const analyzer = createAnalyzer({ cv: await loadOpenCv(), random: countingBytes() })
  analyzer.setChannels(channels, start)
  const script = fileURLToPath(new URL('./decode-on-demand.ts', import.meta.url))
  const child = fork(script, [file, fps, loops, onDemand, most].map(String), { serialization: 'advanced' })
  const played: Played = { records: [], analysed: [], moving: [], pictures: 0, cpuMs: 0, analysisMs: 0 }
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.on('message', (message: FromDecoder) => {
    if (message.type === 'end') {
      Object.assign(played, { pictures: message.pictures, cpuMs: message.cpuMs })
      return
    }
    const { index, width, height, data } = message
    const at = start + Math.round((index * 1000) / fps)
    const before = process.cpuUsage()
    const { records, isStill } = analyzer.frame({ source_id: sourceId, at, pts_ms: at - start, width, height, data })
    const { user, system } = process.cpuUsage(before)
    played.analysisMs += (user + system) / 1000
    played.records.push(...records)
    played.analysed.push(index)
    if (!isStill) played.moving.push(index)
    child.send({ isStill } satisfies ToDecoder)
  })
  const code = await exited
  if (code !== 0) throw new Error(`The decoder ended with ${code}`)
  played.records.push(...analyzer.stop(start + (played.pictures * 1000) / fps, 'disabled'))
  return played
}
