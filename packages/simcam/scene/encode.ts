/** From rendered pictures to what the cameras send, by ffmpeg with libx264 and libx265. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/** Sensor noise is part of the picture; with a fixed seed it is the same each time. */
const noiseSeed = 7
/** A camera's look: a little softness, noise, darker corners. */
const cameraLook = `gblur=sigma=0.45,noise=c0s=4:c0f=t:all_seed=${noiseSeed},vignette=angle=PI/11,format=yuv420p`
/** Seconds between key frames. */
const gopSeconds = 2

/** Runs ffmpeg to its end. @throws Error with what it says */
async function ffmpeg(args: string[], feed?: AsyncIterable<Buffer>): Promise<void> {
  const child = spawn('ffmpeg', ['-y', '-v', 'error', ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  // When ffmpeg ends early, its exit code and words say why.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close')
  for await (const picture of feed ?? []) if (!child.stdin.write(picture)) await once(child.stdin, 'drain')
  child.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`ffmpeg: ${complaint.trim()}`)
}

/**
 * H.264 Main without B-frames, each key frame opening a closed group with its parameter sets, so that the loop can begin
 * anew after its last picture. Messages that name the encoder are left out.
 */
export function encodeH264(pictures: AsyncIterable<Buffer>, fps: number, file: string): Promise<void> {
  const gop = String(fps * gopSeconds)
  return ffmpeg(
    [
      ...['-f', 'image2pipe', '-c:v', 'mjpeg', '-framerate', String(fps), '-i', 'pipe:0', '-vf', cameraLook],
      ...['-c:v', 'libx264', '-profile:v', 'main', '-preset', 'slow', '-crf', '24'],
      ...['-maxrate', '540k', '-bufsize', '800k', '-bf', '0', '-g', gop, '-keyint_min', gop, '-sc_threshold', '0'],
      ...['-flags', '+cgop', '-pix_fmt', 'yuv420p', '-color_range', 'tv'],
      ...['-bsf:v', 'filter_units=remove_types=6', '-f', 'h264', file],
    ],
    pictures,
  )
}

/** A few seconds of a scene in H.265, for a camera that was switched to it. */
export function encodeH265(source: string, fps: number, fromSecond: number, seconds: number, file: string) {
  const gop = fps * gopSeconds
  return ffmpeg([
    ...['-framerate', String(fps), '-i', source],
    ...['-vf', `trim=${fromSecond}:${fromSecond + seconds},setpts=PTS-STARTPTS`],
    ...['-c:v', 'libx265', '-preset', 'slow', '-crf', '30', '-x265-params'],
    `bframes=0:keyint=${gop}:min-keyint=${gop}:scenecut=0:repeat-headers=1:info=0:log-level=none`,
    ...['-f', 'hevc', file],
  ])
}

/** The first picture of each second as JPEG, with the standard Huffman tables that RTP takes for granted. */
export function encodeStills(source: string, fps: number, file: string): Promise<void> {
  return ffmpeg([
    ...['-framerate', String(fps), '-i', source, '-vf', `select=not(mod(n\\,${fps})),setpts=N/TB`, '-fps_mode', 'vfr'],
    ...['-c:v', 'mjpeg', '-huffman', 'default', '-q:v', '7', '-pix_fmt', 'yuvj420p', '-f', 'mjpeg', file],
  ])
}

/** A picture of one colour. */
export async function flatJpeg(color: string, width: number, height: number): Promise<Buffer> {
  const source = `color=c=${color}:s=${width}x${height}:d=1`
  const args = ['-v', 'error', '-f', 'lavfi', '-i', source, '-frames:v', '1', '-q:v', '2', '-f', 'mjpeg', '-']
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer' })
  return stdout
}
