import { mostFacePictures, mostFaces } from '@sightline/domain'
import { sql } from 'kysely'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import { dropMedia, keepMedia } from '../media/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { invalid, Refusal, refuseStale } from '../refusal.ts'
import { findSite, lockSite } from '../site/store.ts'
import { newUid } from '../uid.ts'
import { cleanPicture } from '../upload/store.ts'
import { readKept, readUploaded } from './read.ts'
import {
  deletePictures,
  describeFaces,
  eraseFace,
  type FaceRow,
  insertVectors,
  listFaces,
  lockFace,
  modelsInUse,
  raiseFaces,
  readFace,
  readPicture,
  seesFaces,
  unreadPictures,
} from './store.ts'

/** One call reads so many; whoever wants more calls again. */
const mostRead = 20

export const face: Handlers<'face'> = {
  list: ({ site_id }, { app, scope }) =>
    app.db.as(scope, async (trx) => {
      const { tenant_id, id } = await findSite(trx, scope, site_id)
      const site = { tenant_id, site_id: id }
      if (!(await seesFaces(trx, scope, site))) return []
      return describeFaces(trx, scope, app.env, site, await listFaces(trx, scope, id))
    }),

  async create({ site_id, face_name }, ctx) {
    const { app, scope } = ctx
    ctx.note(unnamed)
    const uid = newUid()
    const row = await app.db.as(scope, async (trx) => {
      const site = await lockSite(trx, scope, site_id)
      refuseWhileOff(site)
      const known = await listFaces(trx, scope, site.id)
      if (known.length >= mostFaces) throw invalid({ face_name: [`faces_full:${mostFaces}`] })
      await trx
        .insertInto('face')
        .values({ tenant_id: site.tenant_id, uid, site_id: site.id, name: face_name })
        .execute()
      return readFace(trx, scope, uid)
    })
    return told(ctx, row)
  },

  async update({ face_id, face_name, version }, ctx) {
    const { app, scope } = ctx
    ctx.note(unnamed)
    const row = await app.db.as(scope, async (trx) => {
      const before = await readFace(trx, scope, face_id)
      await lockFace(trx, before)
      refuseStale(await readFace(trx, scope, face_id), version)
      await trx
        .updateTable('face')
        .set({ name: face_name })
        .where('tenant_id', '=', before.tenant_id)
        .where('id', '=', before.id)
        .execute()
      return readFace(trx, scope, face_id)
    })
    return told(ctx, row)
  },

  async renew({ face_id }, ctx) {
    const { app, scope } = ctx
    ctx.note(unnamed)
    const row = await app.db.as(scope, async (trx) => {
      const before = await readFace(trx, scope, face_id)
      await lockFace(trx, before)
      await trx
        .updateTable('face')
        .set({ renewed_at: sql`now()` })
        .where('tenant_id', '=', before.tenant_id)
        .where('id', '=', before.id)
        .execute()
      return readFace(trx, scope, face_id)
    })
    return told(ctx, row)
  },

  async delete({ face_id }, ctx) {
    const { app, scope } = ctx
    ctx.note({ ...unnamed, object_id: face_id })
    const { row, nimbles } = await app.db.owner(async (trx) => {
      const row = await readFace(trx, scope, face_id)
      // Edge servers first, as everybody waits for them; they are told the new version with the person gone, or not at all.
      const nimbles = await raiseFaces(trx, row)
      await lockFace(trx, row)
      await eraseFace(trx, app.env, row)
      return { row, nimbles }
    })
    for (const uid of nimbles) app.links.reconfigure(uid)
    app.bus.publish(changed(row, 'face', row.uid))
    return { face_id }
  },

  async addPicture({ face_id }, ctx, file) {
    const { app, scope } = ctx
    if (!('bytes' in file)) throw invalid({ file: ['not_an_image'] })
    const { row, models } = await app.db.as(scope, async (trx) => {
      const row = await readFace(trx, scope, face_id)
      refuseWhileOff(row)
      await refuseFull(trx, row)
      return { row, models: await modelsInUse(trx, row) }
    })
    if (models.length === 0)
      throw new Refusal(409, 'No channel of this site recognises faces with both models.', {
        code: 'face_models_missing',
      })
    const { bytes } = await cleanPicture(file.bytes)
    const { square, facePx, vectors } = await readUploaded(app.env, row.tenant_id, models, bytes)
    const media = await keepMedia(app, {
      tenantId: row.tenant_id,
      kind: 'face',
      contentType: 'image/jpeg',
      body: square,
      siteId: row.site_id,
      createdBy: scope.principal.userId,
    })
    const added = app.db.as(scope, async (trx) => {
      const nimbles = await raiseFaces(trx, row)
      await lockFace(trx, row)
      refuseWhileOff(await readFace(trx, scope, face_id))
      await refuseFull(trx, row)
      const picture = await trx
        .insertInto('face_picture')
        .values((eb) => ({
          ...{ tenant_id: row.tenant_id, uid: newUid(), face_id: row.id, face_px: facePx },
          media_id: eb.selectFrom('media').select('id').where('uid', '=', media).where('tenant_id', '=', row.tenant_id),
        }))
        .returning(['tenant_id', 'id'])
        .executeTakeFirstOrThrow()
      await insertVectors(trx, picture, vectors)
      return nimbles
    })
    const nimbles = await added.catch(async (error: unknown) => {
      await dropMedia(app, row.tenant_id, media)
      throw error
    })
    for (const uid of nimbles) app.links.reconfigure(uid)
    return told(ctx, await app.db.as(scope, (trx) => readFace(trx, scope, face_id)))
  },

  async deletePicture({ picture_id }, ctx) {
    const { app, scope } = ctx
    ctx.note({ ...unnamed, object_id: picture_id })
    const { row, nimbles } = await app.db.as(scope, async (trx) => {
      const row = await readPicture(trx, scope, picture_id)
      const nimbles = await raiseFaces(trx, row)
      await deletePictures(trx, app.env, { tenant_id: row.tenant_id, picture_id: row.id })
      return { row, nimbles }
    })
    for (const uid of nimbles) app.links.reconfigure(uid)
    app.bus.publish(changed(row, 'face', row.face_uid))
    return { picture_id }
  },

  async read({ site_id }, ctx) {
    const { app, scope } = ctx
    const { site, models, unread } = await app.db.as(scope, async (trx) => {
      const { tenant_id, id } = await findSite(trx, scope, site_id)
      const site = { tenant_id, site_id: id }
      const models = await modelsInUse(trx, site)
      return { site, models, unread: await unreadPictures(trx, site, modelIds(models)) }
    })
    const now = unread.slice(0, mostRead)
    const faults: unknown[] = []
    let isStored = false
    for (const picture of now) {
      if (picture.path === null) continue
      try {
        const vectors = await readKept(app.env, picture.tenant_id, models, picture.path)
        await app.db.as(scope, (trx) => insertVectors(trx, picture, vectors))
        isStored = true
      } catch (error) {
        faults.push(error)
      }
    }
    if (isStored) {
      for (const uid of await app.db.as(scope, (trx) => raiseFaces(trx, site))) app.links.reconfigure(uid)
      app.bus.publish(changed(site, 'face', null))
    }
    // Those before and behind one that cannot be read are; whoever asked hears of the first.
    if (faults.length > 0) throw faults[0]
    return { remaining: unread.length - now.length }
  },
}

const modelIds = (models: Awaited<ReturnType<typeof modelsInUse>>) => models.map(({ embedding }) => embedding.id)

async function refuseFull(trx: Trx, { tenant_id, id }: FaceRow): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from face_picture
    where tenant_id = ${tenant_id} and face_id = ${id}`.execute(trx)
  if ((rows[0]?.count ?? 0) >= mostFacePictures) throw invalid({ file: [`face_pictures_full:${mostFacePictures}`] })
}

/** A trace says that somebody was enrolled, not who: it outlives them. */
const unnamed = { object_name: '' }

function refuseWhileOff({ faces_allowed }: { faces_allowed: boolean }): void {
  if (!faces_allowed) throw new Refusal(409, 'Face recognition is switched off at this site.', { code: 'faces_off' })
}

async function told(ctx: Ctx, row: FaceRow) {
  const { app, scope, note } = ctx
  app.bus.publish(changed(row, 'face', row.uid))
  note({ ...unnamed, object_id: row.uid })
  const [entity] = await app.db.as(scope, (trx: Trx) => describeFaces(trx, scope, app.env, row, [row]))
  return entity as NonNullable<typeof entity>
}
