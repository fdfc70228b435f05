/**
 * Pictures of cameras for people whose role sees them blurred. The whole picture is blurred, not what a detector found in
 * it: that misses people, and here one miss is one too many.
 */
import { seesClear } from '@sightline/domain'
import sharp from 'sharp'
import type { Principal } from '../scope.ts'
import type { MediaRow } from './store.ts'

/**
 * So many cells across are left of a picture. A face that fills a fifth of its width is six cells wide: below the 8×8
 * from which neither people nor programs tell faces apart, while that somebody stands there still shows.
 */
const cellsAcross = 32
/** The cells are spread over this many pixels, without hard edges. */
const widthPx = 480

/** Whether somebody sees pictures of cameras blurred just now. */
export const seesBlurred = ({ privileges, unblurredUntil }: Pick<Principal, 'privileges' | 'unblurredUntil'>) =>
  !seesClear(privileges, unblurredUntil?.getTime() ?? null, Date.now())

export const fromCamera = ({ kind }: Pick<MediaRow, 'kind'>) => kind === 'snapshot' || kind === 'clip'

/** Whether this file is not shown as it is: it comes from a camera, and the person sees those blurred. */
export const isBlurred = (media: Pick<MediaRow, 'kind'>, principal: Principal | null): boolean =>
  fromCamera(media) && (principal === null || seesBlurred(principal))

/** A JPEG in the shape of the given one that shows where something is, and not who. */
export async function blur(jpeg: Uint8Array): Promise<Buffer> {
  const { data, info } = await sharp(jpeg, { failOn: 'none' })
    .resize({ width: cellsAcross, kernel: 'mitchell' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .resize({ width: widthPx, kernel: 'cubic' })
    .jpeg({ quality: 70 })
    .toBuffer()
}
