import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { uuidv7Ms } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from './db/database.ts'
import { setStill } from './device/store.ts'
import { keepStill } from './media/store.ts'
import { isReachable, unreachable } from './nimble/store.ts'
import { openPicture } from './picture.ts'
import { Refusal } from './refusal.ts'
import type { Services } from './services.ts'
import { masksOfDevice } from './static/store.ts'

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

type Camera = Pick<Pictured, 'tenant_id' | 'device_id'>

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
  const masks = await app.db.as({ tenantId: camera.tenant_id }, (trx) => masksOfDevice(trx, camera))
  if (masks.length > 0) await untilHidden(app, camera)
  const { jpeg, at } = await app.links.snapshot(camera.nimble_uid, camera.source_uid)
  const uid = await keepStill(app, camera, jpeg, userId)
  const isKept = await whileHidden(app, camera, masks, (trx) =>
    setStill(trx, { tenant_id: camera.tenant_id, id: camera.device_id }, uid),
  )
  // A mask was drawn meanwhile: what was taken may show what it hides.
  return isKept ? { uid, at } : takeStill(app, { ...camera, snapshot_uid: null }, youngerThanMs, userId)
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

/** What the camera's edge server is to apply, and how it stands, as far as stored. */
const versions = (trx: Trx, { tenant_id, nimble_id }: Pictured) =>
  trx
    .selectFrom('nimble')
    .leftJoin('nimble_state', (on) =>
      on.onRef('nimble_state.tenant_id', '=', 'nimble.tenant_id').onRef('nimble_state.nimble_id', '=', 'nimble.id'),
    )
    .select(['nimble.desired_version', 'nimble_state.applied_version', 'nimble_state.state as link_state'])
    .where('nimble.tenant_id', '=', tenant_id)
    .where('nimble.id', '=', nimble_id)
    .executeTakeFirst()

/** A picture that zones of channels were drawn on, taken from them because part of it is hidden now. */
export type TakenPicture = {
  channel_ids: number[]
  jpeg: Buffer
  created_by: number
  site_id: number
  nimble_id: number
}

/**
 * What was kept of a camera before a mask was drawn or changed is shown no more. To be called in the transaction of that
 * change, which has locked the device. Answers the pictures that zones were drawn on, for `paintMasks` after the commit.
 * Nothing is done where nothing is hidden.
 */
export async function forgetStills(
  trx: Trx,
  { env, log }: Pick<Services, 'env' | 'log'>,
  camera: Camera,
): Promise<TakenPicture[]> {
  const { tenant_id, device_id } = camera
  if ((await masksOfDevice(trx, camera)).length === 0) return []
  await trx
    .updateTable('device')
    .set({ snapshot_uid: null })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', device_id)
    .execute()
  const of = ['media.path', 'media.created_by', 'channel.site_id', 'channel.nimble_id'] as const
  const references = await trx
    .selectFrom('channel')
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'channel.tenant_id').onRef('media.uid', '=', 'channel.reference_uid'),
    )
    .select(of)
    .select(sql<number[]>`array_agg(channel.id)`.as('channel_ids'))
    .where('channel.tenant_id', '=', tenant_id)
    .where('channel.device_id', '=', device_id)
    .groupBy(of)
    .execute()
  await trx
    .updateTable('channel')
    .set({ reference_uid: null })
    .where('tenant_id', '=', tenant_id)
    .where('device_id', '=', device_id)
    .where('reference_uid', 'is not', null)
    .execute()
  const taken: TakenPicture[] = []
  for (const { path, created_by, ...reference } of references) {
    // Read now: a still that nothing refers to any more is soon thrown away. One that is gone is compared with no more.
    const jpeg =
      path &&
      (await readFile(join(env.dataDir, path)).catch((error: NodeJS.ErrnoException) => {
        // The mask matters more than what its camera was compared with: it is drawn all the same.
        if (error.code !== 'ENOENT')
          log.warn({ err: error, path }, 'the picture that zones were drawn on cannot be read')
        return null
      }))
    if (jpeg && created_by !== null) taken.push({ ...reference, created_by, jpeg })
  }
  return taken
}

/**
 * Gives channels back what zones were drawn on, with the masks painted over it, so that a turned camera is noticed by it
 * as before. Never fails: without it nothing is compared until zones are saved again.
 */
export async function paintMasks(
  app: Pick<Services, 'db' | 'env' | 'log'>,
  camera: Camera,
  taken: readonly TakenPicture[],
): Promise<void> {
  const { tenant_id } = camera
  for (const { channel_ids, jpeg, created_by, ...place } of taken)
    try {
      let isGiven = false
      while (!isGiven) {
        const masks = await app.db.as({ tenantId: tenant_id }, (trx) => masksOfDevice(trx, camera))
        // Under another id: what is under one never changes, and browsers keep it.
        const uid = await keepStill(app, { tenant_id, ...place }, await paintedOver(jpeg, masks), created_by)
        isGiven = await whileHidden(app, camera, masks, (trx) => giveBack(trx, camera, channel_ids, uid))
      }
    } catch (error) {
      app.log.warn({ err: error }, 'masks could not be painted over the picture that zones were drawn on: it is gone')
    }
}

/** Unless zones were drawn on a newer one meanwhile. */
const giveBack = (trx: Trx, { tenant_id, device_id }: Camera, channelIds: readonly number[], uid: string) =>
  trx
    .updateTable('channel')
    .set({ reference_uid: uid })
    .where('tenant_id', '=', tenant_id)
    .where('device_id', '=', device_id)
    .where('id', 'in', channelIds)
    .where('reference_uid', 'is', null)
    .execute()

/** Does the work, and nobody draws a mask meanwhile; answers false, and does nothing, when others than these hide by now. */
const whileHidden = (
  { db }: Pick<Services, 'db'>,
  camera: Camera,
  masks: Awaited<ReturnType<typeof masksOfDevice>>,
  work: (trx: Trx) => Promise<unknown>,
): Promise<boolean> =>
  db.as({ tenantId: camera.tenant_id }, async (trx) => {
    await sql`select from device where tenant_id = ${camera.tenant_id} and id = ${camera.device_id} for update`.execute(
      trx,
    )
    const isSame = isDeepStrictEqual(await masksOfDevice(trx, camera), masks)
    if (isSame) await work(trx)
    return isSame
  })

const maskGrey = '#727272'
/** As at the edge, somewhat beyond the outline: pictures are scaled, and JPEG blurs edges. */
const grownPixels = 4

/** The picture with the masks (0…1) painted over. */
async function paintedOver(jpeg: Buffer, masks: readonly (readonly [number, number][])[]): Promise<Buffer> {
  const picture = openPicture(jpeg)
  const { width, height } = await picture.metadata()
  const outline = (points: readonly [number, number][]) =>
    `<polygon points="${points.map(([x, y]) => `${x * width},${y * height}`).join(' ')}"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g fill="${maskGrey}"
    stroke="${maskGrey}" stroke-width="${2 * grownPixels}" stroke-linejoin="round">${masks.map(outline).join('')}</g></svg>`
  return picture
    .composite([{ input: Buffer.from(svg) }])
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** As `takeStill`, or else the newest there is, however old; null when there is none. */
export async function anyStill(
  ...[app, camera, youngerThanMs, userId]: Parameters<typeof takeStill>
): Promise<string | null> {
  try {
    return (await takeStill(app, camera, youngerThanMs, userId)).uid
  } catch (error) {
    // The camera or its edge server is away: that is said elsewhere on the same answer.
    if (error instanceof Refusal) return app.db.as({ tenantId: camera.tenant_id }, (trx) => newestStill(trx, camera))
    throw error
  }
}

/** Of now: asking in vain takes seconds, in which a mask may have been drawn over what was kept. */
async function newestStill(trx: Trx, { tenant_id, device_id }: Camera): Promise<string | null> {
  const row = await trx
    .selectFrom('device')
    .select('snapshot_uid')
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', device_id)
    .executeTakeFirst()
  return row?.snapshot_uid ?? null
}
