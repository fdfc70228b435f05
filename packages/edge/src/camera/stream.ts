/** One RTSP connection by FFmpeg (camera process only): low-level API, since the high-level one hides error codes. */
import { constants } from 'node:os'
import {
  AV_CODEC_ID_H264,
  AV_LOG_QUIET,
  AVERROR_EOF,
  AVERROR_HTTP_FORBIDDEN,
  AVERROR_HTTP_NOT_FOUND,
  AVERROR_HTTP_UNAUTHORIZED,
  AVERROR_INVALIDDATA,
  avGetCodecName,
  Dictionary,
  FormatContext,
  InputFormat,
  Log,
  type Packet,
  type Stream,
} from 'node-av'
import type { CameraCause } from './cause.ts'
import type { ToChild, Transport } from './messages.ts'
import { openRelay } from './relay.ts'
import { rtspUri } from './rtsp.ts'

export type OpenStream = {
  stream: Stream
  /** Fills the packet; null when it did, else why the stream ended. */
  read(packet: Packet): Promise<CameraCause | null>
  /** Tells the camera (TEARDOWN), so that it does not keep the session; never while a read is under way. */
  close(): Promise<void>
}

type Open = Extract<ToChild, { type: 'open' }>

const timeoutSeconds = 5
/** FFmpeg keeps `user:password` in 128 bytes and cuts the rest in silence. */
const mostCredentialBytes = 127

/** `transport`: the camera refuses this way of sending. */
export async function openStream(to: Open): Promise<OpenStream | { cause: CameraCause | 'transport' }> {
  // Its messages would show the address with the password.
  Log.setLevel(AV_LOG_QUIET)
  const credentials =
    to.username === null ? '' : `${encodeURIComponent(to.username)}:${encodeURIComponent(to.password ?? '')}`
  if (Buffer.byteLength(credentials) > mostCredentialBytes) return { cause: 'credentials_too_long' }
  const relay = await openRelay(to)
  if ('cause' in relay) return relay
  const here = { ip: '127.0.0.1', port: relay.port, path: to.path }
  const url = rtspUri(here).replace('rtsp://', `rtsp://${credentials === '' ? '' : `${credentials}@`}`)

  const context = new FormatContext()
  const begun = performance.now()
  const opened = await context.openInput(
    url,
    InputFormat.findInputFormat('rtsp'),
    Dictionary.fromObject(options(to.transport)),
  )
  if (opened < 0) return { cause: relay.refusal() ?? openCause(opened, performance.now() - begun) }
  const stream = context.streams[0]
  if (!stream) return { cause: 'no_stream' }
  const { codecId } = stream.codecpar
  if (codecId !== AV_CODEC_ID_H264) return { cause: `not_h264:${avGetCodecName(codecId) ?? 'unknown'}` }
  return {
    stream,
    read: async (packet) => {
      const code = await context.readFrame(packet)
      return code >= 0 ? null : (relay.refusal() ?? readCause(code))
    },
    async close() {
      await context.closeInput()
      relay.close()
    },
  }
}

/** Opening without probing the stream: the codec is in its description, all else comes with the first key frame. */
function options(transport: Transport): Record<string, string> {
  return {
    rtsp_transport: transport,
    timeout: String(timeoutSeconds * 1_000_000),
    protocol_whitelist: 'rtsp,rtp,tcp,udp',
    allowed_media_types: 'video',
    probesize: '32',
    analyzeduration: '0',
    fflags: 'nobuffer',
    ...(transport === 'tcp'
      ? { max_delay: '0', reorder_queue_size: '0' }
      : // Else anybody who finds the port may send pictures to it. It leaves one who also forges the camera's address.
        { max_delay: '100000', buffer_size: '1048576', rtsp_flags: 'filter_src' }),
  }
}

/** Both names of an error: Windows has numbers of its own. */
const isError = (code: number, name: string) => {
  const numbers = constants.errno as Record<string, number | undefined>
  return code === -(numbers[name] ?? Number.NaN) || code === -(numbers[`WSA${name}`] ?? Number.NaN)
}

function openCause(code: number, ms: number): CameraCause | 'transport' {
  if (code === AVERROR_HTTP_UNAUTHORIZED || code === AVERROR_HTTP_FORBIDDEN) return 'bad_credentials'
  if (code === AVERROR_HTTP_NOT_FOUND) return 'no_stream'
  if (isError(code, 'EPROTONOSUPPORT')) return 'transport'
  if (['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].some((name) => isError(code, name))) return 'unreachable'
  if (isError(code, 'ETIMEDOUT')) return 'timeout'
  // A camera that takes the connection and then says nothing ends so, too.
  if (code === AVERROR_INVALIDDATA) return ms >= timeoutSeconds * 900 ? 'timeout' : 'not_rtsp'
  return code === AVERROR_EOF ? 'cut' : 'no_stream'
}

const readCause = (code: number): CameraCause => (isError(code, 'ETIMEDOUT') ? 'stalled' : 'cut')
