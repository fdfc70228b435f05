import { uuidv7Ms } from '@sightline/domain'
import { setStill } from './device/store.ts'
import { keepStill } from './media/store.ts'
import { Refusal } from './refusal.ts'
import type { Services } from './services.ts'

/** A camera and the stream its picture comes from. */
export type Pictured = {
  tenant_id: number
  site_id: number
  nimble_id: number
  nimble_uid: string
  device_id: number
  source_uid: string
  /** The newest still that is kept. */
  snapshot_uid: string | null
}

export type Still = { uid: string; at: Date }

/** The kept still while it is younger than that, so that many viewers cost the camera one picture. */
const kept = ({ snapshot_uid }: Pictured, youngerThanMs: number): Still | null => {
  if (snapshot_uid === null) return null
  const ms = uuidv7Ms(snapshot_uid)
  return Date.now() - ms < youngerThanMs ? { uid: snapshot_uid, at: new Date(ms) } : null
}

/** A still that is at most so old. Throws what the edge server says when it cannot have one. */
export async function takeStill(
  app: Pick<Services, 'db' | 'env' | 'links'>,
  camera: Pictured,
  youngerThanMs: number,
  userId: number,
): Promise<Still> {
  const known = kept(camera, youngerThanMs)
  if (known) return known
  const { jpeg, at } = await app.links.snapshot(camera.nimble_uid, camera.source_uid)
  const uid = await keepStill(app, camera, jpeg, userId)
  await app.db.as({ tenantId: camera.tenant_id }, (trx) =>
    setStill(trx, { tenant_id: camera.tenant_id, id: camera.device_id }, uid),
  )
  return { uid, at }
}

/** As `takeStill`, or else the newest there is, however old; null when there never was one. */
export async function anyStill(
  ...[app, camera, youngerThanMs, userId]: Parameters<typeof takeStill>
): Promise<string | null> {
  try {
    return (await takeStill(app, camera, youngerThanMs, userId)).uid
  } catch (error) {
    // The camera or its edge server is away: that is said elsewhere on the same answer.
    if (error instanceof Refusal) return camera.snapshot_uid
    throw error
  }
}
