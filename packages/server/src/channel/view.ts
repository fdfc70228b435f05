import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compareViews, type Point, type View, viewHeight, viewWidth } from '@sightline/domain'
import { findMedia } from '../media/store.ts'
import { openPicture } from '../picture.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { masksOfDevice } from '../static/store.ts'
import { createTurns } from '../turns.ts'

/**
 * How the view of a camera compares with the one that zones were drawn on, by two kept stills. Null: one of them is
 * missing or cannot be read, or there is too little in the picture to say.
 */
export async function viewOf(
  { db, env }: Pick<Services, 'db' | 'env'>,
  scope: Scope,
  channel: { tenant_id: number; device_id: number; reference_uid: string | null },
  nowUid: string | null,
): Promise<View | null> {
  const { reference_uid } = channel
  if (reference_uid === null || nowUid === null) return null
  if (reference_uid === nowUid) return 'same'
  const { pictures, masks } = await db.as(scope, async (trx) => ({
    pictures: [await findMedia(trx, scope, reference_uid), await findMedia(trx, scope, nowUid)],
    masks: await masksOfDevice(trx, channel),
  }))
  const [reference, now] = pictures.map((media) => (media?.path ? join(env.dataDir, media.path) : null))
  return reference && now ? compareStills(reference, now, masks) : null
}

/** @param reference @param now files, or what would be in them */
export async function compareStills(
  reference: string | Buffer,
  now: string | Buffer,
  masks: readonly (readonly Point[])[],
): Promise<View | null> {
  return turns.take(async () => {
    const [before, after] = [await greyCells(reference), await greyCells(now)]
    return before && after ? compareViews(before, after, masks) : null
  })
}

/** A progressive picture may take 240 MB while it is read. */
const turns = createTurns({ atOnce: 2, waiting: 200 })

/** Null for a file that is gone or is no picture. */
async function greyCells(picture: string | Buffer): Promise<Uint8Array | null> {
  try {
    const jpeg = typeof picture === 'string' ? await readFile(picture) : picture
    return await openPicture(jpeg).greyscale().resize(viewWidth, viewHeight, { fit: 'fill' }).raw().toBuffer()
  } catch {
    // The still was thrown away meanwhile, or a camera sent half of one: then there is nothing to compare with.
    return null
  }
}
