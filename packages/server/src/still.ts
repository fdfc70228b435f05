import { setTimeout as pause } from 'node:timers/promises'
import { uuidv7Ms } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from './db/database.ts'
import { setStill } from './device/store.ts'
import { keepStill } from './media/store.ts'
import { isReachable, unreachable } from './nimble/store.ts'
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
  await untilHidden(app, camera)
  const { jpeg, at } = await app.links.snapshot(camera.nimble_uid, camera.source_uid)
  const uid = await keepStill(app, camera, jpeg, userId)
  await app.db.as({ tenantId: camera.tenant_id }, (trx) =>
    setStill(trx, { tenant_id: camera.tenant_id, id: camera.device_id }, uid),
  )
  return { uid, at }
}

const hiddenWaitMs = 3000
const hiddenLookMs = 100

/** An edge server is told of a new mask a moment after it was saved: no picture is asked of it before it knows. */
async function untilHidden(app: Pick<Services, 'db' | 'links'>, camera: Pictured): Promise<void> {
  const late = performance.now() + hiddenWaitMs
  for (;;) {
    const row = await app.db.as({ tenantId: camera.tenant_id }, (trx) => versions(trx, camera))
    if (!row) return
    const applied = app.links.status(camera.nimble_uid)?.applied_version ?? row.applied_version
    if (applied !== null && applied >= row.desired_version) return
    // One that is away is not about to hear of it.
    const isThere = isReachable(app.links, { ...row, nimble_uid: camera.nimble_uid })
    if (!isThere || performance.now() > late) throw unreachable()
    await pause(hiddenLookMs)
  }
}

/** What the camera's edge server is to apply, and how it stands, as far as stored; undefined where nothing is hidden. */
const versions = (trx: Trx, { tenant_id, device_id, nimble_id }: Pictured) =>
  trx
    .selectFrom('nimble')
    .leftJoin('nimble_state', (on) =>
      on.onRef('nimble_state.tenant_id', '=', 'nimble.tenant_id').onRef('nimble_state.nimble_id', '=', 'nimble.id'),
    )
    .select(['nimble.desired_version', 'nimble_state.applied_version', 'nimble_state.state as link_state'])
    .where('nimble.tenant_id', '=', tenant_id)
    .where('nimble.id', '=', nimble_id)
    .where(hasMasks(tenant_id, device_id))
    .executeTakeFirst()

const hasMasks = (tenantId: number, deviceId: number) => sql<SqlBool>`exists (
  select from static_zone join source on source.tenant_id = static_zone.tenant_id and source.id = static_zone.source_id
  where source.tenant_id = ${tenantId} and source.device_id = ${deviceId}
    and static_zone.kind = 'mask' and static_zone.is_active)`

/**
 * What was kept of a camera before a mask was drawn or changed is shown no more: its newest still, and the pictures that
 * zones were drawn on. Nothing is done where nothing is hidden.
 */
export async function forgetStills(
  app: Pick<Services, 'db'>,
  { tenant_id, device_id }: Pick<Pictured, 'tenant_id' | 'device_id'>,
): Promise<void> {
  await app.db.as({ tenantId: tenant_id }, async (trx) => {
    await trx
      .updateTable('device')
      .set({ snapshot_uid: null })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', device_id)
      .where(hasMasks(tenant_id, device_id))
      .execute()
    await trx
      .updateTable('channel')
      .set({ reference_uid: null })
      .where('tenant_id', '=', tenant_id)
      .where('device_id', '=', device_id)
      .where(hasMasks(tenant_id, device_id))
      .execute()
  })
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
