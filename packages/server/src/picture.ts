/** Pictures that an edge server sends, which may be anybody's: only what a camera sends is opened. */
import sharp, { type Sharp, type SharpOptions } from 'sharp'
import { Refusal } from './refusal.ts'

/** As of uploads. A progressive picture takes up to six bytes a pixel while it is read, however small its file. */
const mostPixels = 40_000_000

const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff

/** What is larger fails when it is read, by its header alone. @throws Refusal 502 for what is no JPEG */
export function openPicture(jpeg: Uint8Array, options: Pick<SharpOptions, 'failOn'> = {}): Sharp {
  if (!isJpeg(jpeg)) throw noPicture()
  return sharp(jpeg, { ...options, limitInputPixels: mostPixels })
}

/** @throws Refusal 502 for what is no JPEG, or larger than a camera's */
export async function checkPicture(jpeg: Uint8Array): Promise<void> {
  await openPicture(jpeg)
    .metadata()
    .catch(() => Promise.reject(noPicture()))
}

const noPicture = () => new Refusal(502, 'This is no picture', { code: 'bad_stream' })
