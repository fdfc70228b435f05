import { nalType, parameterSetTypes } from './annexb.ts'
import { clockRate } from './rtp.ts'
import type { Clip } from './scene.ts'

/** RTP payload types: JPEG's is assigned by RFC 3551, the others are dynamic. */
export const payloadTypes = { H264: 96, H265: 96, MJPEG: 26 } as const

export const trackPath = 'trackID=0'

/** Session description (RFC 8866) of a camera with one video track. */
export function describe(clip: Clip, name: string): string {
  const type = payloadTypes[clip.codec]
  return [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    `s=${name}`,
    'c=IN IP4 0.0.0.0',
    't=0 0',
    'a=control:*',
    'a=range:npt=now-',
    `m=video 0 RTP/AVP ${type}`,
    `a=framerate:${clip.fps}`,
    `a=rtpmap:${type} ${clip.codec === 'MJPEG' ? 'JPEG' : clip.codec}/${clockRate}`,
    ...format(clip).map((parameters) => `a=fmtp:${type} ${parameters}`),
    `a=control:${trackPath}`,
    '',
  ].join('\r\n')
}

function format(clip: Clip): string[] {
  const { codec } = clip
  if (codec === 'MJPEG') return []
  const first = clip.pictures[0]?.units ?? []
  const sets = parameterSetTypes[codec].map((type) => {
    const unit = first.find((candidate) => nalType(codec, candidate) === type)
    if (!unit) throw new Error(`The first picture has no parameter set of type ${type}`)
    return Buffer.from(unit)
  })
  const [a, b, c] = sets.map((set) => set.toString('base64'))
  return codec === 'H264'
    ? [`packetization-mode=1;profile-level-id=${sets[0]?.toString('hex', 1, 4)};sprop-parameter-sets=${a},${b}`]
    : [`sprop-vps=${a};sprop-sps=${b};sprop-pps=${c}`]
}
