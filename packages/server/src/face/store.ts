import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Face } from '@sightline/contract'
import { allows } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { mediaUrl } from '../media/store.ts'
import { raiseDesired } from '../nimble/store.ts'
import { ofChannels, seesEveryChannel, within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'

type SiteKey = { tenant_id: number; site_id: number }

const faces = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('face')
    .innerJoin('organization', 'organization.tenant_id', 'face.tenant_id')
    .innerJoin('site', (on) => on.onRef('site.tenant_id', '=', 'face.tenant_id').onRef('site.id', '=', 'face.site_id'))
    .selectAll('face')
    .select(['organization.uid as organization_uid', 'site.uid as site_uid', 'site.faces_allowed', 'site.faces_days'])
    .where(within(scope, 'face'))
export type FaceRow = Awaited<ReturnType<ReturnType<typeof faces>['execute']>>[number]

export const listFaces = (trx: Trx, scope: Scope, siteId: number): Promise<FaceRow[]> =>
  faces(trx, scope)
    .where('face.site_id', '=', siteId)
    .orderBy(sql`face.name collate "und-x-icu"`)
    .orderBy('face.id')
    .execute()

/** Whoever is narrowed to channels or use cases has to see one that recognises faces at the site. */
export async function seesFaces(trx: Trx, scope: Scope, { tenant_id, site_id }: SiteKey): Promise<boolean> {
  if (seesEveryChannel(scope)) return true
  const { rows } = await sql`select from channel
    join usecase on usecase.id = channel.usecase_id and usecase.key = 'fcrecog'
    where channel.tenant_id = ${tenant_id} and channel.site_id = ${site_id} and ${ofChannels(scope)} limit 1`.execute(
    trx,
  )
  return rows.length > 0
}

/** @throws 404 when it does not exist or is out of reach */
export async function readFace(trx: Trx, scope: Scope, uid: string): Promise<FaceRow> {
  const row = await faces(trx, scope).where('face.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** The person of a picture, by its public id. @throws 404 */
export async function readPicture(trx: Trx, scope: Scope, uid: string) {
  const row = await trx
    .selectFrom('face_picture')
    .innerJoin('face', (on) =>
      on.onRef('face.tenant_id', '=', 'face_picture.tenant_id').onRef('face.id', '=', 'face_picture.face_id'),
    )
    .select(['face_picture.tenant_id', 'face_picture.id', 'face_picture.media_id', 'face.uid as face_uid'])
    .select('face.site_id')
    .where('face_picture.uid', '=', uid)
    .where(within(scope, 'face'))
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** People as the API shows them, each of the site given. */
export async function describeFaces(
  trx: Trx,
  scope: Scope,
  env: Services['env'],
  site: SiteKey,
  rows: readonly FaceRow[],
): Promise<Face[]> {
  const inUse = (await modelsInUse(trx, site)).map(({ embedding }) => embedding.id)
  const pictures = await trx
    .selectFrom('face_picture')
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'face_picture.tenant_id').onRef('media.id', '=', 'face_picture.media_id'),
    )
    .select(['face_picture.face_id', 'face_picture.uid', 'face_picture.face_px', 'face_picture.created_at'])
    .select('media.uid as media_uid')
    .select(hasRead(inUse).as('is_read'))
    .where('face_picture.tenant_id', '=', site.tenant_id)
    .where(sql<SqlBool>`face_picture.face_id = any(${rows.map(({ id }) => id)}::int4[])`)
    .orderBy('face_picture.id')
    .execute()
  // A face is data of a kind of its own: who only looks sees names.
  const seesPictures = allows('admin_and_above', scope.principal.role)
  return rows.map((row) => ({
    face_id: row.uid,
    face_name: row.name,
    site_id: row.site_uid,
    pictures: pictures
      .filter(({ face_id }) => face_id === row.id)
      .map((picture) => ({
        picture_id: picture.uid,
        url: seesPictures ? mediaUrl(env, picture.media_uid) : null,
        face_px: picture.face_px,
        is_read: inUse.length === 0 ? null : picture.is_read,
        created_at: picture.created_at.toISOString(),
      })),
    ...termOf(row),
    organization_id: row.organization_uid,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }))
}

/** As `dueFaces` reckons it: days of 24 hours. */
function termOf({ created_at, renewed_at, faces_days }: FaceRow): Pick<Face, 'agreed_at' | 'kept_until'> {
  const agreedAt = renewed_at ?? created_at
  return {
    agreed_at: agreedAt.toISOString(),
    kept_until: faces_days === null ? null : new Date(agreedAt.getTime() + faces_days * dayMs).toISOString(),
  }
}
const dayMs = 86_400_000

/** Of every tenant, who was enrolled, or agreed anew, longer ago than the site keeps people. */
export const dueFaces = (trx: Trx) =>
  trx
    .selectFrom('face')
    .innerJoin('site', (on) => on.onRef('site.tenant_id', '=', 'face.tenant_id').onRef('site.id', '=', 'face.site_id'))
    .select(['face.tenant_id', 'face.id', 'face.uid', 'face.site_id'])
    .where(
      sql<SqlBool>`coalesce(face.renewed_at, face.created_at) <= now() - make_interval(hours => 24 * site.faces_days)`,
    )
    .orderBy('face.tenant_id')
    .orderBy('face.id')

/** Whether each of these models has read a picture. */
const hasRead = (modelIds: readonly number[]) =>
  sql<boolean>`(select count(*) from face_vector v where v.tenant_id = face_picture.tenant_id
    and v.picture_id = face_picture.id and v.model_id = any(${[...modelIds]}::int4[])) = ${modelIds.length}`

/** A model with its file, as pipelines at a site name it. */
const modelOf = (trx: Trx) =>
  trx
    .selectFrom('model')
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'model.tenant_id').onRef('media.id', '=', 'model.media_id'),
    )
    .select([
      'model.id',
      'model.uid',
      'model.head',
      'model.labels',
      'model.value_range',
      'model.vector_length',
      'media.path',
    ])
    .select(['model.input_width', 'model.input_height'])
type ModelInUse = Awaited<ReturnType<ReturnType<typeof modelOf>['execute']>>[number] & { path: string }

/** What channels that recognise faces at a site run with: each embedding model, and the detector beside it. */
export async function modelsInUse(
  trx: Trx,
  { tenant_id, site_id }: SiteKey,
): Promise<{ detector: ModelInUse; embedding: ModelInUse }[]> {
  const { rows: pairs } = await sql<{ detector: string; embedding: string }>`
    select distinct on (embedding) pipeline.elements ->> 'detector.model' as detector,
      pipeline.elements ->> 'detector.embedding' as embedding
    from channel
    join usecase on usecase.id = channel.usecase_id and usecase.key = 'fcrecog'
    join pipeline on pipeline.tenant_id = channel.tenant_id and pipeline.id = channel.pipeline_id
    where channel.tenant_id = ${tenant_id} and channel.site_id = ${site_id}
    order by embedding, channel.id`.execute(trx)
  const uids = pairs.flatMap(({ detector, embedding }) => [detector, embedding])
  const models = await modelOf(trx)
    .where('model.tenant_id', '=', tenant_id)
    .where(sql<SqlBool>`model.uid::text = any(${uids.filter(Boolean)}::text[])`)
    .execute()
  const find = (uid: string) => models.find((model) => model.uid === uid)
  return pairs.flatMap(({ detector: faces, embedding: vectors }) => {
    const [detector, embedding] = [find(faces), find(vectors)]
    if (!detector?.path || !embedding?.path || detector.head === 'embedding' || embedding.head !== 'embedding')
      return []
    return [{ detector: { ...detector, path: detector.path }, embedding: { ...embedding, path: embedding.path } }]
  })
}

/**
 * Before faces of a site change, or whether they may be compared: what the edge servers that compare them there should
 * run changes. Answers their public ids, to be told once the change is there.
 */
export async function raiseFaces(trx: Trx, { tenant_id, site_id }: SiteKey): Promise<string[]> {
  const { rows } = await sql<{ id: number; uid: string }>`
    select nimble.id, nimble.uid from nimble where nimble.tenant_id = ${tenant_id} and nimble.id in (
      select channel.nimble_id from channel join usecase on usecase.id = channel.usecase_id and usecase.key = 'fcrecog'
      where channel.tenant_id = ${tenant_id} and channel.site_id = ${site_id})
    order by nimble.id`.execute(trx)
  for (const { id } of rows) await raiseDesired(trx, { tenant_id, nimble_id: id })
  await sql`update channel set updated_at = now() from usecase
    where usecase.id = channel.usecase_id and usecase.key = 'fcrecog'
      and channel.tenant_id = ${tenant_id} and channel.site_id = ${site_id}`.execute(trx)
  return rows.map(({ uid }) => uid)
}

/** Nobody adds a picture, and no event names the person, until the transaction ends. @throws 404 when it is gone */
export async function lockFace(trx: Trx, { tenant_id, id }: Pick<FaceRow, 'tenant_id' | 'id'>): Promise<void> {
  const row = await trx
    .selectFrom('face')
    .select('id')
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound()
}

export type NewVectors = { model_id: number; vector: Float32Array }[]

export async function insertVectors(
  trx: Trx,
  picture: { tenant_id: number; id: number },
  vectors: NewVectors,
): Promise<void> {
  const rows = vectors.map(({ model_id, vector }) => ({
    ...{ tenant_id: picture.tenant_id, picture_id: picture.id, model_id },
    // Typed arrays are little endian wherever Node runs.
    vector: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
  }))
  if (rows.length === 0) return
  await trx
    .insertInto('face_vector')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Pictures of a site that some of these models have not read yet, and the files of their squares. */
export const unreadPictures = (trx: Trx, { tenant_id, site_id }: SiteKey, modelIds: readonly number[]) =>
  trx
    .selectFrom('face_picture')
    .innerJoin('face', (on) =>
      on.onRef('face.tenant_id', '=', 'face_picture.tenant_id').onRef('face.id', '=', 'face_picture.face_id'),
    )
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'face_picture.tenant_id').onRef('media.id', '=', 'face_picture.media_id'),
    )
    .select(['face_picture.tenant_id', 'face_picture.id', 'media.path'])
    .where('face.tenant_id', '=', tenant_id)
    .where('face.site_id', '=', site_id)
    .where(sql<SqlBool>`not ${hasRead(modelIds)}`)
    .orderBy('face_picture.id')
    .execute()

/** Deletes pictures: their files at once, then their rows and vectors. Where the rows stay after all, the pictures are gone. */
export async function deletePictures(
  trx: Trx,
  env: Pick<Services['env'], 'dataDir'>,
  which: { tenant_id: number } & ({ picture_id: number } | { face_id: number }),
): Promise<void> {
  const these =
    'picture_id' in which ? sql<SqlBool>`p.id = ${which.picture_id}` : sql<SqlBool>`p.face_id = ${which.face_id}`
  const { rows } = await sql<{ media_id: number; path: string | null }>`
    delete from face_picture p using media where p.tenant_id = ${which.tenant_id} and ${these}
      and media.tenant_id = p.tenant_id and media.id = p.media_id
    returning p.media_id, media.path`.execute(trx)
  for (const { path } of rows) if (path) await rm(join(env.dataDir, path), { force: true })
  await sql`delete from media where tenant_id = ${which.tenant_id}
    and id = any(${rows.map(({ media_id }) => media_id)}::int4[])`.execute(trx)
}

/** Events of these people name nobody any more, nor do records that could not be stored. */
async function forgetInEvents(trx: Trx, tenant_id: number, uids: readonly string[]): Promise<void> {
  await sql`update event set details = (details - 'likeness') || '{"identity": null}'
    where tenant_id = ${tenant_id} and details ->> 'identity' = any(${uids}::text[])`.execute(trx)
  await sql`delete from event_rejected
    where tenant_id = ${tenant_id} and exists (select from unnest(${uids}::text[]) uid where strpos(record, uid) > 0)`.execute(
    trx,
  )
}

/**
 * Deletes a locked person with everything that is kept of them. In a transaction of the owner, who alone may change events
 * and raise what edge servers run: all of it, or nothing.
 */
export const eraseFace = (
  trx: Trx,
  env: Pick<Services['env'], 'dataDir'>,
  face: Pick<FaceRow, 'tenant_id' | 'id' | 'uid'>,
): Promise<void> => eraseFaces(trx, env, face.tenant_id, [face])

async function eraseFaces(
  trx: Trx,
  env: Pick<Services['env'], 'dataDir'>,
  tenant_id: number,
  people: readonly Pick<FaceRow, 'id' | 'uid'>[],
): Promise<void> {
  const uids = people.map(({ uid }) => uid)
  await forgetInEvents(trx, tenant_id, uids)
  for (const { id } of people) {
    await deletePictures(trx, env, { tenant_id, face_id: id })
    await trx.deleteFrom('face').where('tenant_id', '=', tenant_id).where('id', '=', id).execute()
  }
}

/** As `eraseFace`, for everybody who is known at a site. */
export async function eraseFacesOf(
  trx: Trx,
  env: Pick<Services['env'], 'dataDir'>,
  { tenant_id, id }: { tenant_id: number; id: number },
): Promise<void> {
  const people = await trx
    .selectFrom('face')
    .select(['id', 'uid'])
    .where('tenant_id', '=', tenant_id)
    .where('site_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (people.length > 0) await eraseFaces(trx, env, tenant_id, people)
}

/** Of a channel's site, as edge servers read it (`readGallery` of the domain); null while it is empty. */
export const galleryOf = sql<Buffer | null>`(
  select string_agg(uuid_send(face.uid) || face_vector.vector, ''::bytea order by face_picture.id)
  from face
  join face_picture on face_picture.tenant_id = face.tenant_id and face_picture.face_id = face.id
  join face_vector on face_vector.tenant_id = face.tenant_id and face_vector.picture_id = face_picture.id
  join model on model.tenant_id = face.tenant_id and model.id = face_vector.model_id
  where face.tenant_id = channel.tenant_id and face.site_id = channel.site_id
    and model.uid::text = pipeline.elements ->> 'detector.embedding')`
