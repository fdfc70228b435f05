import { createHash } from 'node:crypto'
import { imageMaxBytes } from '@sightline/domain'
import sharp from 'sharp'
import type { Trx } from '../db/database.ts'
import { within } from '../reach.ts'
import { invalid, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'

/** A picture of more points than this is a bomb, whatever its size in bytes. */
const maxPixels = 40_000_000
/** Larger pictures are made smaller: nothing shows them larger. */
const maxSide = 2560

export type Picture = { bytes: Buffer; contentType: string; sha256: string }

/**
 * Reads an uploaded picture by what it is, not by what it says it is, and writes it anew: what else was in the file
 * (scripts, positions, a second file at its end) is gone.
 * @throws 400 for anything but a jpeg, png or webp that can be decoded
 */
export async function cleanPicture(file: Buffer): Promise<Picture> {
  const kind = kindOf(file)
  if (!kind) throw invalid({ file: ['not_an_image'] })
  if (file.length >= imageMaxBytes)
    throw new Refusal(413, 'The file is too large.', { errors: { file: ['image_too_large'] } })
  const bytes = await sharp(file, { limitInputPixels: maxPixels, failOn: 'error' })
    .rotate()
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .toFormat(kind)
    .toBuffer()
    .catch((cause) => {
      throw new Refusal(400, 'Error in inputs', { errors: { file: ['not_an_image'] }, cause })
    })
  return { bytes, contentType: `image/${kind}`, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** By the first bytes of the file. */
function kindOf(file: Buffer): 'jpeg' | 'png' | 'webp' | null {
  if (file.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg'
  if (file.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'png'
  if (file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP') return 'webp'
  return null
}

/** What a picture that was uploaded is from now on part of. */
export type PictureUse = { tenant_id: number; site_id: number } | { tenant_id: number; is_public: true }

/**
 * Takes an uploaded picture into use: the path must be one that an upload answered, to this very person. Who reaches
 * what it is part of then sees it. Nothing happens without a path.
 * @throws 400 for the field otherwise
 */
export async function claimImage(
  trx: Trx,
  scope: Scope,
  field: string,
  path: string | null | undefined,
  use: PictureUse,
): Promise<void> {
  if (!path) return
  const { numUpdatedRows } = await trx
    .updateTable('media')
    .set(use)
    .where('uid', '=', path.slice(-36))
    .where('kind', '=', 'image')
    .where(within(scope, 'media', null))
    .where((eb) => eb.or([eb('created_by', '=', scope.principal.userId), eb('created_by', 'is', null)]))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw invalid({ [field]: ['upload_unknown'] })
}
