/** Faces of a site through the real runtime: a detector of colours finds them, their colour is who they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Face, Model } from '@sightline/contract'
import { linkConfig } from '@sightline/contract/edge'
import { mostFacePictures, readGallery } from '@sightline/domain'
import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colourDetector, colourEmbedder } from '../../../domain/src/testing/onnx-file.ts'
import { desiredConfig } from '../nimble/desired.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { multipart } from '../testing/multipart.ts'
import { until } from '../testing/until.ts'
import { forgetDue } from './retention.ts'

let t: TestApp
let admin: Client
let site: Awaited<ReturnType<TestApp['make']['site']>>
let siteUid: string
let nimbleUid: string
let channel: Awaited<ReturnType<TestApp['make']['channel']>>
let models: { faces: Model; vectors: Model }
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  site = await t.make.site()
  siteUid = site.uid
  const nimble = await t.make.nimble()
  nimbleUid = nimble.uid
  const device = await t.make.device({}, site, nimble)
  await t.make.source({}, device)
  const add = async (model_name: string, bytes: Uint8Array, more: object = {}) => {
    const form = multipart({ kind: 'model', file: Buffer.from(bytes) }, { name: 'm.onnx', type: '' })
    const { path } = (await admin.send({ method: 'POST', url: '/api/v1/upload', ...form })).body.response
    const checked = (await admin.call('model.check', { path })).body.response
    const made = await admin.call('model.create', { model_name, path, head: checked.head, ...more })
    expect(made.body.errors).toBeUndefined()
    return made.body.response
  }
  models = {
    faces: await add('Faces', colourDetector('yolov8'), { labels: { 0: 'face', 1: 'face', 2: 'face' } }),
    vectors: await add('Vectors', colourEmbedder()),
  }
  channel = await t.make.channel({ usecase_key: 'fcrecog' }, device)
})
afterAll(() => t.close())

const notice = 'Faces of staff who agreed are compared at the gate.'
const attach = (elements: object) =>
  t.services.db.owner((trx) =>
    trx
      .updateTable('pipeline')
      .set({ elements: JSON.stringify(elements) })
      .where('id', '=', channel.pipeline_id)
      .where('tenant_id', '=', channel.tenant_id)
      .execute(),
  )
/** Cells of the detector's input, on grey; a cell is `side / 10` pixels. */
async function painted(colours: readonly string[], side = 640): Promise<Buffer> {
  const cell = side / 10
  const patch = (background: string) =>
    sharp({ create: { width: cell, height: cell, channels: 3, background } })
      .png()
      .toBuffer()
  const patches = await Promise.all(
    colours.map(async (colour, i) => ({ input: await patch(colour), left: (1 + 3 * i) * cell, top: 4 * cell })),
  )
  const grey = { create: { width: side, height: side, channels: 3 as const, background: 'rgb(114,114,114)' } }
  return sharp(grey).composite(patches).png().toBuffer()
}
const addPicture = (face_id: string, file: Buffer, client = admin) =>
  client.send({ method: 'POST', url: '/api/v1/face/picture', ...multipart({ face_id, file }) })
const create = async (face_name: string): Promise<Face> =>
  (await admin.call('face.create', { site_id: siteUid, face_name })).body.response
const version = async () => (await admin.call('site.get', { site_id: siteUid })).body.response.version
const turn = async (faces_allowed: boolean) =>
  admin.call('site.update', { site_id: siteUid, faces_allowed, faces_notice: notice, version: await version() })
/** What the edge server is told, as it reads it. */
const desired = async () =>
  linkConfig.parse(await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimbleUid)))
const wanted = async () => (await desired()).channels[0]
/** All that is kept of faces on the disk. */
const squares = async () =>
  (await t.services.db.owner((trx) => trx.selectFrom('media').select('path').where('kind', '=', 'face').execute())).map(
    ({ path }) => path as string,
  )
const onDisk = () => {
  const folder = join(t.services.env.dataDir, 'media')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
}
const vectors = () => t.services.db.owner((trx) => trx.selectFrom('face_vector').selectAll().execute())

test('a site compares no faces before somebody allows it and says what people are told', async () => {
  expect(await wanted()).toMatchObject({ refusal: 'faces_off' })
  const refused = await admin.call('face.create', { site_id: siteUid, face_name: 'Ada' })
  expect([refused.status, refused.body.error_code]).toEqual([409, 'faces_off'])
  const silent = await admin.call('site.update', { site_id: siteUid, faces_allowed: true })
  expect([silent.status, silent.body.errors]).toEqual([400, { faces_notice: ['required'] }])

  const { status, body } = await turn(true)
  expect([status, body.response]).toEqual([
    200,
    expect.objectContaining({
      faces_allowed: true,
      faces_notice: notice,
      faces_allowed_by: expect.any(String),
      faces_allowed_at: expect.stringMatching(/^20/),
    }),
  ])
  expect(await wanted()).not.toHaveProperty('refusal')
})

test('a picture is taken only where channels recognise faces with both models, and of each the right kind is asked for', async () => {
  const { face_id } = await create('Early Bird')
  const refused = await addPicture(face_id, await painted(['red']))
  expect([refused.status, refused.body.error_code]).toEqual([409, 'face_models_missing'])
  await admin.call('face.delete', { face_id })

  await attach({ 'detector.model': models.faces.model_id, 'detector.embedding': models.vectors.model_id })
  const elements = { 'detector.model': models.vectors.model_id, 'detector.embedding': models.vectors.model_id }
  const swapped = await admin.call('channel.update', {
    channel_id: channel.uid,
    pipeline: { pipeline_elements: elements },
  })
  expect(swapped.body.errors).toEqual({ 'pipeline_elements.detector.model': ['model_no_detector'] })
  expect(models.vectors).toMatchObject({ head: 'embedding', vector_length: 3, usecase_keys: ['fcrecog'], labels: {} })
  expect((await desired()).embedders).toMatchObject([{ model_id: models.vectors.model_id, vector_length: 3 }])
})

test('one face is found, its square kept and read; the gallery that the edge server gets knows the person', async () => {
  const { face_id } = await create('Ada Red')
  const { status, body } = await addPicture(face_id, await painted(['rgb(255,0,0)']))
  expect([status, body.response.pictures]).toEqual([
    200,
    [expect.objectContaining({ face_px: 64, is_read: true, url: expect.stringContaining('/media/') })],
  ])
  // The square alone: nothing of the picture around it stays.
  const square = await admin.send({ url: body.response.pictures[0].url })
  expect(square.status).toBe(200)
  const [kept = ''] = await squares()
  expect(await sharp(join(t.services.env.dataDir, kept)).metadata()).toMatchObject({ width: 64, height: 64 })

  const gallery = (await wanted())?.gallery
  expect(gallery?.size).toBe(16 + 3 * 4)
  const [stored] = await vectors()
  const bytes = Buffer.concat([Buffer.from(face_id.replaceAll('-', ''), 'hex'), stored?.vector ?? Buffer.alloc(0)])
  const [known] = readGallery(bytes, 3)
  expect(known?.identity).toBe(face_id)
  expect(known?.embeddings[0]?.[0]).toBeCloseTo(1, 3)
})

test.each([
  ['no face', async () => painted([]), 'face_none'],
  ['two', async () => painted(['rgb(255,0,0)', 'rgb(0,255,0)']), 'face_many:2'],
  ['one that is too small', async () => painted(['rgb(255,0,0)'], 320), 'face_small:32:40'],
  ['what is no picture', async () => Buffer.from('<svg onload="alert(1)"/>'), 'not_an_image'],
])('a picture with %s is refused, and nothing of it stays', async (_, picture, fault) => {
  const { face_id } = await create('Nobody Yet')
  const before = onDisk().length
  const { status, body } = await addPicture(face_id, await picture())
  expect([status, body.errors]).toEqual([400, { file: [fault] }])
  expect(onDisk()).toHaveLength(before)
  await admin.call('face.delete', { face_id })
})

test('a person has so many pictures at most', async () => {
  const { face_id } = await create('Often Painted')
  const row = await t.services.db.owner((trx) =>
    trx.selectFrom('face').selectAll().where('uid', '=', face_id).executeTakeFirstOrThrow(),
  )
  for (let i = 0; i < mostFacePictures; i++) await t.make.facePicture(row)
  const { body } = await addPicture(face_id, await painted(['rgb(0,0,255)']))
  expect(body.errors).toEqual({ file: [`face_pictures_full:${mostFacePictures}`] })
  expect((await admin.call('face.delete', { face_id })).status).toBe(200)
})

test('another embedding model reads what is kept when it is asked to', async () => {
  const form = multipart({ kind: 'model', file: Buffer.from(colourEmbedder(64)) }, { name: 'm.onnx', type: '' })
  const { path } = (await admin.send({ method: 'POST', url: '/api/v1/upload', ...form })).body.response
  const input = { model_name: 'Other vectors', path, head: 'embedding', value_range: 'signed' }
  const other = (await admin.call('model.create', input)).body.response
  await attach({ 'detector.model': models.faces.model_id, 'detector.embedding': other.model_id })
  const list = async (): Promise<Face[]> => (await admin.call('face.list', { site_id: siteUid })).body.response
  expect((await list())[0]?.pictures[0]?.is_read).toBe(false)
  expect(await wanted()).not.toHaveProperty('gallery')
  expect((await admin.call('face.read', { site_id: siteUid })).body.response).toEqual({ remaining: 0 })
  expect((await list())[0]?.pictures[0]?.is_read).toBe(true)
  expect((await wanted())?.gallery?.size).toBe(28)
  expect((await admin.call('model.delete', { model_id: other.model_id })).status).toBe(409)
  await attach({ 'detector.model': models.faces.model_id, 'detector.embedding': models.vectors.model_id })
  expect((await admin.call('model.delete', { model_id: other.model_id })).status).toBe(200)
  // Each model is run apart, in a process of its own, some ten times in all.
})

test('who only looks sees names, no pictures', async () => {
  const person = await t.make.user('viewer')
  await t.make.assign(person, { site })
  const viewer = await t.signIn(person)
  const [seen] = (await viewer.call('face.list', { site_id: siteUid })).body.response
  expect(seen).toMatchObject({ face_name: 'Ada Red', pictures: [{ url: null, face_px: 64 }] })
  const [mine] = (await admin.call('face.list', { site_id: siteUid })).body.response
  expect((await viewer.send({ url: mine.pictures[0].url })).status).toBe(404)
})

test('who is narrowed to other channels sees no names; one that recognises faces shows them', async () => {
  const device = await t.make.device({}, site)
  const counting = await t.make.channel({ usecase_key: 'pplcnt' }, device)
  const person = await t.make.user('viewer')
  await t.make.assign(person, { site, channel: counting })
  const viewer = await t.signIn(person)
  expect((await viewer.call('face.list', { site_id: siteUid })).body.response).toEqual([])
  await t.make.assign(person, { channel })
  const [seen] = (await viewer.call('face.list', { site_id: siteUid })).body.response
  expect(seen).toMatchObject({ face_name: 'Ada Red' })
})

const eventOf = (identity: string) =>
  t.make.event(channel, { kind: 'open', details: { instant: true, identity, likeness: 0.93, track_id: 4 } })
const toldOf = async (event_uuid: string) => (await admin.call('event.id', { event_uuid })).body.response
/** What a spreadsheet is given of the last hour. */
const exported = async () => {
  const [start, end] = [Date.now() - 3_600_000, Date.now() + 60_000].map((at) => new Date(at).toISOString())
  const payload = { start, end, channel_id: [channel.uid], separator: ',' }
  return (await admin.send({ method: 'POST', url: '/api/v1/event/export', payload })).text
}
const detailsOf = async (event_uuid: string) => (await toldOf(event_uuid)).details

test('events say who it was; a deleted person is gone from disk, database, gallery, events and trace, to the byte', async () => {
  const [{ face_id }] = (await admin.call('face.list', { site_id: siteUid })).body.response
  const renamed = await admin.call('face.update', { face_id, face_name: 'Ada Scarlet' })
  expect(renamed.body.response.face_name).toBe('Ada Scarlet')
  const { event_uuid } = await eventOf(face_id)
  expect(await toldOf(event_uuid)).toMatchObject({
    details: { identity: face_id, likeness: 0.93 },
    occasion: { person: 'Ada Scarlet' },
  })
  expect(await exported()).toMatch(/"Ada Scarlet"/)
  // What could not be stored is kept for whoever looks for the fault, and names nobody from the beginning.
  const details = { instant: true, identity: face_id, likeness: 0.93, track_id: 4 }
  const late = eventRecord({ channel_id: channel.uid, observed_at: 0, kind: 'open', metrics: { total: 1 }, details })
  const { tenant_id: tenantId, nimble_id: nimbleId } = channel
  const sent = await t.services.events.write({ tenantId, nimbleId, records: [late], receivedAt: new Date() })
  expect(sent).toMatchObject({ rejected: 1 })
  const [rejected] = await rows<{ record: string }>('select record from event_rejected')
  expect(rejected?.record).toContain('track_id')
  expect(rejected?.record).not.toContain(face_id)
  const [square = ''] = await squares()
  const bytes = readFileSync(join(t.services.env.dataDir, square))

  expect((await admin.call('face.delete', { face_id })).status).toBe(200)

  expect(onDisk().some((kept) => kept.equals(bytes))).toBe(false)
  expect([await squares(), await vectors()]).toEqual([[], []])
  expect(await wanted()).not.toHaveProperty('gallery')
  expect(await detailsOf(event_uuid)).toEqual({ instant: true, identity: null, track_id: 4 })
  expect((await toldOf(event_uuid)).occasion.person).toBeNull()
  expect(await exported()).toMatch(/"person"/)
  // An edge server that was away sends what it still had.
  const back = await eventOf(face_id)
  expect(await detailsOf(back.event_uuid)).toMatchObject({ identity: null })
  expect(await detailsOf(back.event_uuid)).not.toHaveProperty('likeness')
  // Nowhere in the database is the id of the person but in the trace of the deletion, nor the name anywhere.
  const holding = async (text: string) => {
    const found: string[] = []
    for (const { name } of await tables())
      if ((await rows(`select from "${name}" x where strpos(to_jsonb(x)::text, '${text}') > 0 limit 1`)).length > 0)
        found.push(name)
    return found
  }
  expect(await holding(face_id)).toEqual(['trace'])
  expect([await holding('Ada Scarlet'), await holding('Ada Red')]).toEqual([[], []])
})

test('events of a person are found by an index, however many there are', async () => {
  await t.services.db.owner(async (trx) => {
    // A table of few rows is read whole, were it not for this.
    await sql`set local enable_seqscan = off`.execute(trx)
    const { rows } = await sql<Record<string, string>>`explain update event set details = details
      where tenant_id = ${channel.tenant_id} and details ->> 'identity' = ${siteUid}`.execute(trx)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index Cond: .*identity/)
    expect(plan).not.toMatch(/Seq Scan/)
  })
})

const rows = async <T>(text: string): Promise<T[]> =>
  (await t.services.db.owner((trx) => sql.raw<T>(text).execute(trx))).rows
const tables = () =>
  rows<{ name: string }>(`select relname as name from pg_class where relnamespace = 'public'::regnamespace
    and relkind in ('r', 'p') and not relispartition order by 1`)

test('enrolment, change and deletion leave their trace, without the name', async () => {
  const traced = await rows<{ code: string; object_name: string; after: { face_name?: string } }>(
    `select code, object_name, after from trace where code like 'face.%' and result = 'ok'`,
  )
  const codes = new Set(traced.map(({ code }) => code))
  expect([...codes].toSorted()).toEqual(['face.addPicture', 'face.create', 'face.delete', 'face.read', 'face.update'])
  expect(new Set(traced.map(({ object_name }) => object_name || null))).toEqual(new Set([null]))
})

test('a picture on its way when a site is switched off is not taken', async () => {
  const { face_id } = await create('Cleo Red')
  const before = onDisk().length
  let isAnswered = false
  const adding = addPicture(face_id, await painted(['rgb(255,0,0)'])).finally(() => {
    isAnswered = true
  })
  expect((await turn(false)).status).toBe(200)
  // Models read it meanwhile, in a process of their own.
  expect(isAnswered).toBe(false)
  const { status, body } = await adding
  expect([status, body.error_code]).toEqual([409, 'faces_off'])
  expect(onDisk()).toHaveLength(before)
  expect((await turn(true)).status).toBe(200)
  expect((await admin.call('face.delete', { face_id })).status).toBe(200)
})

test('people are kept for the days that their site says, from when they agreed; then they are forgotten as by hand', async () => {
  const keep = (faces_days: number | null) => admin.call('site.update', { site_id: siteUid, faces_days })
  const people = async (): Promise<Face[]> => (await admin.call('face.list', { site_id: siteUid })).body.response
  const names = async () => (await people()).map(({ face_name }) => face_name)
  const [due, renewed] = [await create('Due Red'), await create('Renewed Blue')]
  await create('Fresh Green')
  expect(due.kept_until).toBeNull()
  expect((await addPicture(due.face_id, await painted(['rgb(255,0,0)']))).status).toBe(200)
  const { event_uuid } = await eventOf(due.face_id)
  await t.services.db.owner((trx) =>
    sql`update face set created_at = now() - interval '31 days' where uid = any(${[due.face_id, renewed.face_id]}::uuid[])`.execute(
      trx,
    ),
  )
  await forgetDue(t.services)
  expect(await names()).toEqual(['Due Red', 'Fresh Green', 'Renewed Blue'])

  expect((await keep(0)).body.errors).toEqual({ faces_days: ['range:1:3650'] })
  expect((await keep(30)).body.response.faces_days).toBe(30)
  const { agreed_at, kept_until } = (await admin.call('face.renew', { face_id: renewed.face_id })).body.response
  expect(Date.parse(kept_until) - Date.parse(agreed_at)).toBe(30 * 86_400_000)
  expect(Date.now() - Date.parse(agreed_at)).toBeLessThan(60_000)
  const { version: told } = await desired()
  await forgetDue(t.services)
  expect(await names()).toEqual(['Fresh Green', 'Renewed Blue'])
  expect([await squares(), await vectors()]).toEqual([[], []])
  expect((await desired()).version).toBeGreaterThan(told)
  expect(await wanted()).not.toHaveProperty('gallery')
  expect(await detailsOf(event_uuid)).toEqual({ instant: true, identity: null, track_id: 4 })
  expect(await rows(`select object_uid, object_name, user_id from trace where code = 'face.expired'`)).toEqual([
    { object_uid: due.face_id, object_name: null, user_id: null },
  ])
  await forgetDue(t.services)
  expect((await desired()).version).toBe(told + 1)
  await keep(null)
  for (const { face_id } of await people()) await admin.call('face.delete', { face_id })
})

const isAwaited = async () =>
  (await rows(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%face%'`)).length > 0

test('an edge server is told of a deletion when it is done, never before', async () => {
  const { face_id } = await create('Held Red')
  const { version } = await desired()
  let deleting: ReturnType<Client['call']> | undefined
  await t.services.db.owner(async (trx) => {
    await sql`select from face where uid = ${face_id} for update`.execute(trx)
    deleting = admin.call('face.delete', { face_id })
    await until(isAwaited, 'the person is waited for')
    expect((await desired()).version).toBe(version)
  })
  expect((await deleting)?.status).toBe(200)
  expect((await desired()).version).toBe(version + 1)
})

test('who agrees anew while they are about to be forgotten is kept', async () => {
  const { face_id } = await create('Late Red')
  await admin.call('site.update', { site_id: siteUid, faces_days: 30 })
  await t.services.db.owner((trx) =>
    sql`update face set created_at = now() - interval '31 days' where uid = ${face_id}`.execute(trx),
  )
  const { version: told } = await desired()
  let forgetting = Promise.resolve()
  await t.services.db.as({ tenantId: site.tenant_id }, async (trx) => {
    await trx.updateTable('face').set({ renewed_at: sql`now()` }).where('uid', '=', face_id).execute()
    forgetting = forgetDue(t.services)
    await until(isAwaited, 'the person is waited for')
    expect((await desired()).version).toBe(told)
  })
  await forgetting
  expect((await admin.call('face.list', { site_id: siteUid })).body.response).toMatchObject([{ face_id }])
  await admin.call('face.delete', { face_id })
  await admin.call('site.update', { site_id: siteUid, faces_days: null })
})

test('switched off, the channel is stopped in words and the edge server drops the gallery; a deleted site leaves no picture and no name in events', async () => {
  const { face_id } = await create('Ben Green')
  expect((await addPicture(face_id, await painted(['rgb(0,255,0)']))).status).toBe(200)
  expect((await wanted())?.gallery?.size).toBe(28)
  const { event_uuid: seen } = await eventOf(face_id)
  expect((await turn(false)).status).toBe(200)
  const stopped = await wanted()
  expect(stopped).toMatchObject({ refusal: 'faces_off' })
  expect(stopped).not.toHaveProperty('gallery')
  expect((await addPicture(face_id, await painted(['rgb(0,255,0)']))).body.error_code).toBe('faces_off')
  expect(await detailsOf((await eventOf(face_id)).event_uuid)).toEqual({ instant: true, identity: null, track_id: 4 })

  const [square = ''] = await squares()
  const bytes = readFileSync(join(t.services.env.dataDir, square))
  await t.services.db.owner(async (trx) => {
    const site = await trx.selectFrom('site').select('id').where('uid', '=', siteUid).executeTakeFirstOrThrow()
    const elsewhere = await t.make.site()
    await trx.updateTable('channel').set({ site_id: elsewhere.id }).where('site_id', '=', site.id).execute()
    await trx.updateTable('device').set({ site_id: elsewhere.id }).where('site_id', '=', site.id).execute()
  })
  expect(await detailsOf(seen)).toMatchObject({ identity: face_id, likeness: 0.93 })
  expect((await admin.call('site.delete', { site_id: siteUid })).status).toBe(200)
  expect(await detailsOf(seen)).toEqual({ instant: true, identity: null, track_id: 4 })
  expect(onDisk().some((kept) => kept.equals(bytes))).toBe(false)
  expect(await vectors()).toEqual([])
})
