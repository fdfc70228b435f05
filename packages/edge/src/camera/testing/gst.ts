/** GStreamer's RTSP server as a camera that we did not write. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const python = '/usr/bin/python3'
const script = fileURLToPath(new URL('./gst-camera.py', import.meta.url))

const tryImport = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import GstRtspServer"
/** Why suites that need it cannot run here; null when they can. */
export const gstMissing: string | null =
  spawnSync(python, ['-c', tryImport]).status === 0 ? null : 'needs gst-rtsp-server (gir1.2-gst-rtsp-server-1.0)'
if (gstMissing) console.log(`skipped: ${gstMissing}`)

const source =
  'videotestsrc is-live=true pattern=ball ! capsfilter name=size caps=video/x-raw,width=640,height=480,framerate=15/1 ! videoconvert ! video/x-raw,format=I420'
const x264 = 'x264enc speed-preset=ultrafast key-int-max=15 bitrate=800'
export const pipelines = {
  h264: `${source} ! ${x264} tune=zerolatency ! rtph264pay name=pay0 pt=96 config-interval=1`,
  /** One key frame in twenty seconds. */
  farKeys: `${source} ! ${x264.replace('=15', '=300')} tune=zerolatency ! rtph264pay name=pay0 pt=96 config-interval=1`,
  slow: `${source.replace('15/1', '8/1')} ! ${x264} tune=zerolatency ! rtph264pay name=pay0 pt=96 config-interval=1`,
  /** High profile; B-frames of a pyramid. */
  bFrames: `${source} ! ${x264} speed-preset=medium bframes=3 b-pyramid=true b-adapt=false rc-lookahead=4 ! video/x-h264,profile=high ! rtph264pay name=pay0 pt=96 config-interval=1`,
  h265: `${source} ! x265enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph265pay name=pay0 pt=96`,
  mjpeg: `${source} ! jpegenc ! rtpjpegpay name=pay0 pt=26`,
}

export type GstCamera = {
  port: number
  address: string
  /** From 640×480 to 320×240. */
  shrink(): void
  stop(): Promise<void>
}

export async function startGst(
  pipeline: string,
  credentials?: { username: string; password: string; digest?: boolean },
): Promise<GstCamera> {
  const { username, password, digest } = credentials ?? {}
  const login = username === undefined ? [] : [username, String(password), ...(digest ? ['digest'] : [])]
  const child: ChildProcess = spawn(python, [script, pipeline, ...login], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  const port = Number(line)
  if (!port) throw new Error('The GStreamer camera did not start.')
  return {
    port,
    address: `rtsp://127.0.0.1:${port}/stream1`,
    shrink: () => child.stdin?.write('\n'),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
