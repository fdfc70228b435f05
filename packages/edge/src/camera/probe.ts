import { checkAddress, type KnownHosts, nothingKnown, type Target } from './address.ts'
import type { Masks } from './burn.ts'
import type { CameraCause } from './cause.ts'
import type { FromChild, Transport, Unit } from './messages.ts'
import { startCameraProcess } from './process.ts'
import { type Credentials, preflight } from './rtsp.ts'
import { ticksPerSecond } from './timeline.ts'

export type ProbedStream = {
  codec: 'h264'
  width: number
  height: number
  /** From the timestamps of the first pictures; null when too few came. */
  fps: number | null
  /** kbit a second, over the time that was looked at; null when that was too short. */
  bitrate: number | null
  /** Seconds from the first key frame to the next, or how long none came; null when the look ended before. */
  key_interval: number | null
  /** Pictures do not come in the order in which they are shown. */
  has_b_frames: boolean
  /** A still of at most 1280×720; null when the stream gave no key frame in time. */
  jpeg: Buffer | null
}

type Probe = Credentials & {
  address: string
  known?: KnownHosts
  timeoutMs?: number
  /** What its still must not show. */
  masks?: Masks
}

const stillSize = { width: 1280, height: 720 }
/** Enough for the rate. */
const wantedUnits = 15
const probeMs = 12_000
/** So long the next key frame is waited for: after that they are too far apart, however far. */
const keyWaitSeconds = 4.2

/** The guard and the look before FFmpeg: where to connect, or why not. */
export async function reach(
  address: string,
  credentials: Credentials,
  known: KnownHosts,
): Promise<{ target: Target } | { cause: CameraCause }> {
  const target = await checkAddress(address, { schemes: ['rtsp:'], known })
  if ('cause' in target) return target
  const seen = await preflight(target, credentials)
  return 'cause' in seen ? seen : { target }
}

/** Opens a stream as `startCamera` would and tells what it is, in at most `timeoutMs` (12 s), or the cause why it cannot be used. */
export async function probeStream(probe: Probe): Promise<ProbedStream | { cause: CameraCause }> {
  const deadline = performance.now() + (probe.timeoutMs ?? probeMs)
  const reached = await reach(probe.address, probe, probe.known ?? nothingKnown)
  if ('cause' in reached) return reached
  const left = () => Math.max(500, deadline - performance.now())
  const byTcp = await look(reached.target, probe, 'tcp', left())
  const result =
    'cause' in byTcp && byTcp.cause === 'transport' ? await look(reached.target, probe, 'udp', left()) : byTcp
  return 'cause' in result && result.cause === 'transport' ? { cause: 'no_stream' } : (result as ProbedStream)
}

function look(
  target: Target,
  { username, password, masks = [] }: Probe,
  transport: Transport,
  timeoutMs: number,
): Promise<ProbedStream | { cause: CameraCause | 'transport' }> {
  return new Promise((resolve) => {
    const units: Unit[] = []
    let size: { width: number; height: number } | null = null
    let jpeg: Buffer | null = null
    const settle = (failure: CameraCause | 'transport' | null) => {
      clearTimeout(late)
      camera.close()
      if (size && units.length > 0)
        resolve({
          ...{ codec: 'h264', ...size, fps: rateOf(units), ...measured(units) },
          ...{ has_b_frames: isReordered(units), jpeg },
        })
      else resolve({ cause: failure ?? 'stalled' })
    }
    const late = setTimeout(() => settle(null), timeoutMs)
    const onMessage = (message: FromChild) => {
      if (message.type === 'failed') return settle(message.cause)
      if (message.type === 'parameters') size = { width: message.parameters.width, height: message.parameters.height }
      if (message.type === 'jpeg') jpeg = message.jpeg
      if (message.type === 'units') {
        if (units.length === 0) camera.tell({ type: 'jpeg', id: 0, most: stillSize })
        units.push(...message.units)
      }
      if (jpeg && units.length >= wantedUnits && measured(units).key_interval !== null) settle(null)
    }
    const camera = startCameraProcess(onMessage, (complaint) => complaint && settle('decoder_crashed'))
    const { ip, port, path } = target
    camera.tell({ type: 'open', ip, port, path, username, password, transport, start_ms: 0, masks })
  })
}

const isReordered = (units: Unit[]): boolean => units.some(({ pts }, i) => pts < (units[i - 1]?.pts ?? pts))

/** Pictures a second by their own times: the median step, since the first ones often come in a heap. */
function rateOf(units: Unit[]): number | null {
  const times = units.map((unit) => unit.pts).sort((a, b) => a - b)
  const steps = times.slice(1).map((time, i) => time - (times[i] as number))
  const middle = steps.sort((a, b) => a - b)[steps.length >> 1]
  return middle ? Math.round((ticksPerSecond / middle) * 10) / 10 : null
}

/** What one group of pictures tells: from a key frame to the next, or to where no more was waited. */
function measured(units: readonly Unit[]): Pick<ProbedStream, 'bitrate' | 'key_interval'> {
  const next = units.findIndex(({ key }, i) => key && i > 0)
  const group = next < 0 ? units : units.slice(0, next + 1)
  const [first, last] = [group[0], group.at(-1)]
  const seconds = first && last ? (last.dts - first.dts) / ticksPerSecond : 0
  if (next < 0 && seconds < keyWaitSeconds) return { bitrate: null, key_interval: null }
  const bytes = group.slice(0, -1).reduce((sum, { data }) => sum + data.length, 0)
  return { bitrate: seconds > 0 ? Math.round((bytes * 8) / seconds / 1000) : null, key_interval: seconds }
}
