/** What a probe has to say, as messages that the browser translates: `text_id` is the id with its arguments behind colons. */
import type { Finding } from '@sightline/contract/edge'
import { pipelineDefaults } from '@sightline/domain'
import type { CameraCause } from '../camera/cause.ts'

type Args = Record<string, string | number>

const finding =
  (level: Finding['level']) =>
  (code: string, args: Args = {}): Finding => ({ level, code, text_id: [code, ...Object.values(args)].join(':'), args })
const good = finding('good')
const warning = finding('warning')
const error = finding('error')

/** How people call what FFmpeg names otherwise. */
const codecNames: Record<string, string> = {
  h264: 'H.264',
  hevc: 'H.265',
  mjpeg: 'MJPEG',
  mpeg4: 'MPEG-4',
  mpeg2video: 'MPEG-2',
  h263: 'H.263',
}
export const codecText = (codec: string): string => codecNames[codec] ?? codec

/** Why there is no picture, or no answer by ONVIF. */
export type ProbeCause = CameraCause | 'not_onvif' | 'no_profile' | 'credentials_apart'

export function failure(cause: ProbeCause, hasUser: boolean): Finding {
  if (cause === 'bad_credentials' && !hasUser) return error('credentials_missing')
  const [code = cause, codec] = cause.split(':')
  return codec === undefined ? error(code) : error(code, { codec: codecText(codec) })
}

export type Seen = {
  width: number
  height: number
  fps: number | null
  /** From one key frame to the next; null when that was not seen. */
  keySeconds: number | null
  hasBFrames: boolean
}

/** More than this costs decoding and gives the analysis nothing. */
const manyPixels = 1920 * 1088
/** Fewer rows than this and people are too small to be found. */
const fewRows = 360
const lowFps = 5
/** These want more pictures than the others: flames flicker, and what may collide is fast. */
const fastUsecases = ['frdtec', 'coldtec'] as const
/** Farther apart, live pictures begin late and clips begin early; "smart codecs" do it while little moves. */
const farKeySeconds = 4

/** About a stream that works. */
export function aboutStream({ width, height, fps, keySeconds, hasBFrames }: Seen): Finding[] {
  const resolution = `${width}x${height}`
  return [
    fps === null ? good('stream_works', { resolution }) : good('stream_works_at', { resolution, fps: rounded(fps) }),
    ...(width * height > manyPixels ? [warning('resolution_high', { resolution })] : []),
    ...(height < fewRows ? [warning('resolution_low', { resolution })] : []),
    ...(fps !== null && fps < lowFps ? [warning('fps_low', { fps: rounded(fps) })] : []),
    ...(fps !== null && fps >= lowFps ? fastUsecases.flatMap((key) => belowWanted(key, fps)) : []),
    ...(keySeconds !== null && keySeconds > farKeySeconds
      ? [warning('key_frames_far', { seconds: farKeySeconds })]
      : []),
    ...(hasBFrames ? [warning('b_frames')] : []),
  ]
}

function belowWanted(key: (typeof fastUsecases)[number], fps: number): Finding[] {
  const wanted = Number(pipelineDefaults(key)['decode.fps'])
  // What a camera sends wavers a little around what it is set to.
  return rounded(fps) < wanted - 0.5 ? [warning(`fps_low_${key}`, { fps: rounded(fps), wanted })] : []
}

const rounded = (fps: number): number => Math.round(fps * 10) / 10

/** A profile other than the one that was tried cannot be used. */
export const profileNotH264 = (profile: string, codec: string): Finding =>
  warning('profile_not_h264', { profile: profile.replaceAll(':', ' '), codec: codecText(codec) })

/** @param told the host that the camera names @param used the one it was found at */
export const addressCorrected = (told: string, used: string): Finding =>
  warning('address_corrected', { told: told.replaceAll(':', ' '), used: used.replaceAll(':', ' ') })

export const credentialsInAddress = (profile: string): Finding =>
  warning('credentials_in_address', { profile: profile.replaceAll(':', ' ') })

/** Beyond this, sign-in by ONVIF and the times of events suffer. */
const clockToleranceMs = 60_000

export function aboutClock(clockOffsetMs: number | null): Finding[] {
  const isWrong = clockOffsetMs !== null && Math.abs(clockOffsetMs) > clockToleranceMs
  return isWrong ? [warning('camera_clock_wrong', { minutes: Math.round(clockOffsetMs / 60_000) })] : []
}
