/**
 * Pictures of cameras for people whose role sees them blurred. The whole picture is blurred, not what a detector found in
 * it: that misses people, and here one miss is one too many.
 */
import { seesClear } from '@sightline/domain'
import sharp from 'sharp'
import { openPicture } from '../picture.ts'
import type { Principal } from '../scope.ts'
import { createTurns } from '../turns.ts'
import type { MediaRow } from './store.ts'

/**
 * So many cells are left of the shorter side of a picture. A face that fills half of it is six cells high: below the 8×8
 * from which neither people nor programs tell faces apart, while that somebody stands there still shows.
 */
const cellsAcross = 12
/** The cells are spread over this many pixels of the longer side, without hard edges. */
const longPx = 480
/** Nobody who looks at much holds up the work of others. */
const turns = createTurns({ atOnce: 2, waiting: 200 })

/** Whether somebody sees pictures of cameras blurred just now. */
export const seesBlurred = ({ privileges, unblurredUntil }: Pick<Principal, 'privileges' | 'unblurredUntil'>) =>
  !seesClear(privileges, unblurredUntil?.getTime() ?? null, Date.now())

export const fromCamera = ({ kind }: Pick<MediaRow, 'kind'>) => kind === 'snapshot' || kind === 'clip'

/** Whether this file is not shown as it is: it comes from a camera, and the person sees those blurred. */
export const isBlurred = (media: Pick<MediaRow, 'kind'>, principal: Principal | null): boolean =>
  fromCamera(media) && (principal === null || seesBlurred(principal))

/**
 * A JPEG in the shape of the given one that shows where something is, and not who.
 * @throws 502 for what is no JPEG, 503 where too many wait
 */
export function blur(jpeg: Uint8Array): Promise<Buffer> {
  const known = kept.get(jpeg)
  if (known) return known
  const made = turns.take(() => blurred(jpeg))
  kept.set(jpeg, made)
  made.catch(() => kept.delete(jpeg))
  return made
}
/** All who look at a camera are handed the same picture: it is blurred once. */
const kept = new WeakMap<Uint8Array, Promise<Buffer>>()

async function blurred(jpeg: Uint8Array): Promise<Buffer> {
  const picture = openPicture(jpeg, { failOn: 'none' })
  const { width, height } = await picture.metadata()
  const scale = longPx / Math.max(width, height)
  const { data, info } = await picture
    .resize({ width: cellsAcross, height: cellsAcross, fit: 'outside', kernel: 'mitchell' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    .resize({ width: Math.round(width * scale), height: Math.round(height * scale), fit: 'fill', kernel: 'cubic' })
    .jpeg({ quality: 70 })
    .toBuffer()
}
