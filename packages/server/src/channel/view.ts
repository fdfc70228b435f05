import { join } from 'node:path'
import { compareViews, type View, viewHeight, viewWidth } from '@sightline/domain'
import sharp from 'sharp'
import { findMedia } from '../media/store.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'

/**
 * How the view of a camera compares with the one that zones were drawn on, by two kept stills. Null: one of them is
 * missing or cannot be read, or there is too little in the picture to say.
 */
export async function viewOf(
  { db, env }: Pick<Services, 'db' | 'env'>,
  scope: Scope,
  referenceUid: string | null,
  nowUid: string | null,
): Promise<View | null> {
  if (referenceUid === null || nowUid === null) return null
  if (referenceUid === nowUid) return 'same'
  const pictures = await db.as(scope, async (trx) => [
    await findMedia(trx, scope, referenceUid),
    await findMedia(trx, scope, nowUid),
  ])
  const [reference, now] = await Promise.all(
    pictures.map((media) => (media?.path ? greyCells(join(env.dataDir, media.path)) : null)),
  )
  return reference && now ? compareViews(reference, now) : null
}

/** Null for a file that is gone or is no picture. */
async function greyCells(file: string): Promise<Uint8Array | null> {
  try {
    return await sharp(file).greyscale().resize(viewWidth, viewHeight, { fit: 'fill' }).raw().toBuffer()
  } catch {
    // The still was thrown away meanwhile, or a camera sent half of one: then there is nothing to compare with.
    return null
  }
}
