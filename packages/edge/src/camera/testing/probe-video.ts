/** ffmpeg and ffprobe as judges of what was written. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Why suites that need them cannot run here; null when they can. */
export const ffmpegMissing: string | null = ['ffmpeg', 'ffprobe'].every(
  (program) => spawnSync(program, ['-version']).status === 0,
)
  ? null
  : 'needs ffmpeg and ffprobe'
if (ffmpegMissing) console.log(`skipped: ${ffmpegMissing}`)

export type Judged = {
  /** Of the first picture shown, and of the whole, seconds. */
  start: number
  duration: number
  sizes: string[]
  /** In the order of decoding, seconds. */
  packets: { pts: number; dts: number; key: boolean }[]
  /** Presentation times of decoded pictures, in the order they came out. */
  shown: number[]
  types: string
  /** What the decoder complained about. */
  complaints: string
}

/** Brightness of each pixel, 0…255, row by row. */
export async function brightness(jpeg: Uint8Array): Promise<Buffer> {
  const args = ['-v', 'error', '-i', 'pipe:0', '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1']
  const child = execFile('ffmpeg', args, { encoding: 'buffer', maxBuffer: 1e8 }, () => undefined)
  child.stdin?.end(jpeg)
  return Buffer.concat(await (child.stdout as Readable).toArray())
}

/** Decodes a file with errors shown. */
export async function judge(file: Buffer): Promise<Judged> {
  const directory = await mkdtemp(join(tmpdir(), 'sightline-judge-'))
  const path = join(directory, 'video.mp4')
  try {
    await writeFile(path, file)
    const entries = 'format=start_time,duration:packet=pts_time,dts_time,flags:frame=pts_time,width,height,pict_type'
    const probe = await run('ffprobe', [
      '-v',
      'warning',
      '-show_packets',
      '-show_frames',
      '-show_entries',
      entries,
      '-of',
      'json',
      path,
    ])
    const decode = await run('ffmpeg', [
      '-v',
      'warning',
      '-xerror',
      '-i',
      path,
      '-fps_mode',
      'passthrough',
      '-enc_time_base',
      '-1',
      '-f',
      'null',
      '-',
    ])
    const { format, packets_and_frames: all } = JSON.parse(probe.stdout) as {
      format: Record<'start_time' | 'duration', string>
      packets_and_frames: ({ type: string } & Record<string, string>)[]
    }
    const packets = all.filter(({ type }) => type === 'packet')
    const frames = all.filter(({ type }) => type === 'frame')
    return {
      start: Number(format.start_time),
      duration: Number(format.duration),
      sizes: [...new Set(frames.map(({ width, height }) => `${width}x${height}`))],
      packets: packets.map(({ pts_time, dts_time, flags }) => ({
        pts: Number(pts_time),
        dts: Number(dts_time),
        key: flags?.startsWith('K') ?? false,
      })),
      shown: frames.map(({ pts_time }) => Number(pts_time)),
      types: frames.map(({ pict_type }) => pict_type).join(''),
      complaints: probe.stderr + decode.stderr,
    }
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** What came out in the wrong order, or earlier than it was decoded. */
export const disorder = ({ packets, shown }: Judged): string[] => [
  ...shown.slice(1).flatMap((time, i) => (time > (shown[i] as number) ? [] : [`picture ${i + 1} at ${time}`])),
  ...packets.slice(1).flatMap(({ dts }, i) => (dts > (packets[i]?.dts as number) ? [] : [`packet ${i + 1} at ${dts}`])),
]

/** Width and height from the start of frame (ITU-T T.81, B.2.2). */
export function sizeOfJpeg(jpeg: Buffer): [number, number] {
  for (let at = 2; at < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt16BE(at)
    if (marker >= 0xffc0 && marker <= 0xffc2) return [jpeg.readUInt16BE(at + 7), jpeg.readUInt16BE(at + 5)]
  }
  throw new Error('No picture in this JPEG.')
}
