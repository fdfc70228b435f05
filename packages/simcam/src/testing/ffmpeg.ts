/** The ffmpeg programs as independent readers of what a camera sends. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Why suites that need ffmpeg cannot run here; null when they can. */
export const ffmpegMissing: string | null = ['ffmpeg', 'ffprobe'].every(
  (program) => spawnSync(program, ['-version']).status === 0,
)
  ? null
  : 'needs ffmpeg and ffprobe'
if (ffmpegMissing) console.log(`skipped: ${ffmpegMissing}`)

export type Read = {
  codec: string
  width: number
  height: number
  /** FFmpeg knows no time of the first packet of any RTSP stream: null. */
  packets: { ptsSeconds: number | null; dtsSeconds: number | null; isKey: boolean }[]
}

/** The address with user and password in it, as ffmpeg wants it. */
export function withCredentials(address: string, username: string, password: string): string {
  return address.replace('rtsp://', `rtsp://${encodeURIComponent(username)}:${encodeURIComponent(password)}@`)
}

/**
 * Reads that many packets of a stream.
 * @throws Error with what ffprobe says
 */
export async function read(address: string, transport: 'tcp' | 'udp', packets: number): Promise<Read> {
  const { stdout } = await run(
    'ffprobe',
    [
      ...['-v', 'error', '-rtsp_transport', transport, '-timeout', '8000000'],
      // The session description says it all: measuring the frame rate first would only take time.
      ...['-fpsprobesize', '0', '-read_intervals', `%+#${packets}`],
      ...['-show_entries', 'stream=codec_name,width,height:packet=pts_time,dts_time,flags', '-of', 'json', address],
    ],
    { timeout: 20_000, maxBuffer: 16e6 },
  )
  const answer = JSON.parse(stdout)
  return {
    codec: answer.streams[0].codec_name,
    width: answer.streams[0].width,
    height: answer.streams[0].height,
    packets: answer.packets.map((packet: { pts_time?: string; dts_time?: string; flags: string }) => ({
      ptsSeconds: packet.pts_time ? Number(packet.pts_time) : null,
      dtsSeconds: packet.dts_time ? Number(packet.dts_time) : null,
      isKey: packet.flags.startsWith('K'),
    })),
  }
}

/**
 * Decodes that many pictures and takes the mean brightness (0…255) of each. @throws Error when a picture is damaged
 */
export async function brightness(address: string, pictures: number): Promise<number[]> {
  const filter = 'signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-'
  const { stdout, stderr } = await run(
    'ffmpeg',
    [
      ...['-v', 'error', '-rtsp_transport', 'tcp', '-timeout', '8000000', '-i', address],
      ...['-vf', filter, '-frames:v', String(pictures), '-f', 'null', '-'],
    ],
    { timeout: 20_000 },
  )
  if (stderr.trim()) throw new Error(stderr.trim())
  return [...stdout.matchAll(/YAVG=([\d.]+)/g)].map((match) => Number(match[1]))
}
