import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { allows } from '@sightline/domain'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { MediaTable } from '../db/schema.ts'
import { ofChannels, seesEveryChannel, within } from '../reach.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { newUid } from '../uid.ts'

export { blur, isBlurred, seesBlurred } from './blur.ts'
export { readEdgeMedia } from './edge.ts'

export type MediaRow = Selectable<MediaTable>

/** Stills that nothing refers to any more are thrown away after this. */
const stillMinutes = 15

/** Where the API serves a file. */
export const mediaUrl = (env: Pick<Services['env'], 'apiBase'>, uid: string): string => `${env.apiBase}/media/${uid}`

export type NewMedia = {
  tenantId: number
  kind: MediaRow['kind']
  contentType: string
  body: Uint8Array
  siteId?: number | null
  channelId?: number | null
  nimbleId?: number | null
  createdBy?: number | null
  isPublic?: boolean
}

/** Keeps a file under the data folder, with the row that says who may see it. Answers its public id. */
export async function keepMedia({ db, env }: Pick<Services, 'db' | 'env'>, media: NewMedia): Promise<string> {
  const uid = newUid()
  // The end of a UUIDv7 is random: 256 folders fill evenly.
  const path = join('media', uid.slice(-2), uid)
  await writeWhole(join(env.dataDir, path), media.body)
  try {
    await db.as(media, (trx) =>
      trx
        .insertInto('media')
        .values({
          tenant_id: media.tenantId,
          uid,
          kind: media.kind,
          content_type: media.contentType,
          size: media.body.byteLength,
          sha256: createHash('sha256').update(media.body).digest('hex'),
          path,
          site_id: media.siteId ?? null,
          channel_id: media.channelId ?? null,
          nimble_id: media.nimbleId ?? null,
          created_by: media.createdBy ?? null,
          is_public: media.isPublic ?? false,
        })
        .execute(),
    )
  } catch (error) {
    await rm(join(env.dataDir, path), { force: true })
    throw error
  }
  return uid
}

/** Of rows that are gone. After their transaction: a kill in between leaves a file that nobody can ask for. */
export async function removeFiles(
  { dataDir }: Pick<Services['env'], 'dataDir'>,
  rows: readonly Pick<MediaRow, 'path'>[],
): Promise<void> {
  for (const { path } of rows) if (path !== null) await rm(join(dataDir, path), { force: true })
}

/** Takes back what `keepMedia` kept and nothing came to be part of. */
export async function dropMedia(
  { db, env }: Pick<Services, 'db' | 'env'>,
  tenantId: number,
  uid: string,
): Promise<void> {
  const gone = await db.as({ tenantId }, (trx) =>
    trx.deleteFrom('media').where('tenant_id', '=', tenantId).where('uid', '=', uid).returning('path').execute(),
  )
  await removeFiles(env, gone)
}

/** Readers see the whole file or none. */
async function writeWhole(file: string, body: Uint8Array): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(draft, body, { flush: true })
  await rename(draft, file)
}

/** Keeps a picture of a camera. Old ones go meanwhile, so that stills asked for again and again never fill the disk. */
export async function keepStill(
  app: Pick<Services, 'db' | 'env'>,
  of: { tenant_id: number; site_id: number | null; nimble_id: number; channel_id?: number },
  jpeg: Uint8Array,
  createdBy: number,
): Promise<string> {
  await dropOldStills(app, of.tenant_id)
  return keepMedia(app, {
    tenantId: of.tenant_id,
    kind: 'snapshot',
    contentType: 'image/jpeg',
    body: jpeg,
    siteId: of.site_id,
    channelId: of.channel_id ?? null,
    nimbleId: of.nimble_id,
    createdBy,
  })
}

/**
 * Of rows of `media`: a picture that somebody asked for, that no camera shows any more and no zones were drawn on. Those of
 * events have nobody who asked for them, and live as long as their event.
 */
export const isOldStill = sql<SqlBool>`kind = 'snapshot' and created_by is not null
  and created_at < now() - make_interval(mins => ${stillMinutes})
  and not exists (select from device where device.tenant_id = media.tenant_id and device.snapshot_uid = media.uid)
  and not exists (select from channel where channel.tenant_id = media.tenant_id and channel.reference_uid = media.uid)`

async function dropOldStills({ db, env }: Pick<Services, 'db' | 'env'>, tenantId: number): Promise<void> {
  const gone = await db.as({ tenantId }, (trx) =>
    trx.deleteFrom('media').where('tenant_id', '=', tenantId).where(isOldStill).returning('path').execute(),
  )
  await removeFiles(env, gone)
}

/** A file in the caller's reach, or a public one for anybody; undefined when there is none. */
export function findMedia(
  trx: Trx,
  scope: Scope | null,
  uid: string,
): Promise<(MediaRow & { nimble_uid: string | null }) | undefined> {
  const seen = sql<SqlBool>`(media.is_public or ${scope === null ? sql`false` : visible(scope)})`
  return trx
    .selectFrom('media')
    .leftJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'media.tenant_id').onRef('nimble.id', '=', 'media.nimble_id'),
    )
    .selectAll('media')
    .select('nimble.uid as nimble_uid')
    .where('media.uid', '=', uid)
    .where(seen)
    .executeTakeFirst()
}

/**
 * What belongs to a site is seen where the site is; what is part of nothing yet, by whoever sent it. Pictures of a channel's
 * events (nobody asked for them) are seen where the channel is; a still that somebody asked for is the camera's. Pictures
 * of faces are for administrators.
 */
const visible = (scope: Scope) => sql`(case
  when media.kind = 'face' and not ${allows('admin_and_above', scope.principal.role)} then false
  when media.site_id is null then media.created_by = ${scope.principal.userId}
  else ${within(scope, 'media')} and (media.channel_id is null or media.created_by is not null or ${ofItsChannel(scope)}) end)`
const ofItsChannel = (scope: Scope) =>
  seesEveryChannel(scope)
    ? sql`true`
    : sql`exists (select from channel where channel.tenant_id = media.tenant_id and channel.id = any(media.channel_id || media.shared_with)
        and ${ofChannels(scope)})`

/** The bytes of a kept file; null when it is gone from the disk. */
export async function openMedia(
  env: Pick<Services['env'], 'dataDir'>,
  path: string,
): Promise<{ size: number; read(first: number, last: number): Readable } | null> {
  const file = join(env.dataDir, path)
  try {
    const { size } = await stat(file)
    return { size, read: (start, end) => createReadStream(file, { start, end: Math.max(start, end) }) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
