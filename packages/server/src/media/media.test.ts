import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { keepMedia, keepStill, mediaUrl } from './store.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
const open = (client: Client, uid: string) => client.send({ method: 'GET', url: mediaUrl(t.services.env, uid) })
const still = async (of: { site_id: number | null; tenant_id: number }, by = admin) =>
  keepStill(t.services, { ...of, nimble_id: (await t.make.nimble({}, of)).id }, jpeg, by.user?.id ?? 0)

describe('a kept picture', () => {
  test('comes as it was, for the browser’s cache only, and harmless when opened on its own', async () => {
    const site = await t.make.site()
    const answer = await open(admin, await still({ tenant_id: site.tenant_id, site_id: site.id }))
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(jpeg.length),
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
  })

  test('is asked for each time, since the next person at a browser may not see it so, and sent once', async () => {
    const site = await t.make.site()
    const uid = await still({ tenant_id: site.tenant_id, site_id: site.id })
    const again = (client: Client) =>
      client.send({ method: 'GET', url: mediaUrl(t.services.env, uid), headers: { 'if-none-match': `"${uid}"` } })
    expect([(await again(admin)).status, (await again(admin)).bytes.length]).toEqual([304, 0])
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect((await again(outsider)).status).toBe(404)
  })

  test('comes in parts too, as players ask for it', async () => {
    const site = await t.make.site()
    const uid = await still({ tenant_id: site.tenant_id, site_id: site.id })
    const url = mediaUrl(t.services.env, uid)
    const part = await admin.send({ method: 'GET', url, headers: { range: 'bytes=1-2' } })
    expect(part.status).toBe(206)
    expect(part.headers).toMatchObject({
      'content-range': `bytes 1-2/${jpeg.length}`,
      'content-length': '2',
      'accept-ranges': 'bytes',
    })
    const beyond = await admin.send({ method: 'GET', url, headers: { range: 'bytes=900-' } })
    expect(beyond.status).toBe(416)
    expect(beyond.headers).toMatchObject({ 'content-range': `bytes */${jpeg.length}` })
  })

  test('is seen where its site is', async () => {
    const [site, other] = [await t.make.site(), await t.make.site()]
    const person = await t.make.user('viewer')
    await t.make.assign(person, { site })
    const viewer = await t.signIn(person)
    const uid = await still({ tenant_id: site.tenant_id, site_id: site.id })
    const hidden = await still({ tenant_id: site.tenant_id, site_id: other.id })
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect((await open(viewer, uid)).status).toBe(200)
    expect((await open(viewer, hidden)).status).toBe(404)
    expect((await open(outsider, uid)).status).toBe(404)
    expect((await open(t.stranger(), uid)).status).toBe(401)
    expect((await open(t.stranger(), crypto.randomUUID())).status).toBe(401)
    expect((await open(await t.signIn('super_viewer'), uid)).status).toBe(200)
  })

  test('of no site is its maker’s alone, a public one everybody’s', async () => {
    const { tenant_id } = await t.make.home()
    const uid = await still({ tenant_id, site_id: null })
    expect((await open(admin, uid)).status).toBe(200)
    expect((await open(await t.signIn('admin'), uid)).status).toBe(404)
    const logo = { tenantId: tenant_id, kind: 'image' as const, contentType: 'image/png', body: jpeg, isPublic: true }
    expect((await open(t.stranger(), await keepMedia(t.services, logo))).status).toBe(200)
  })

  test('is asked for by an id and nothing else', async () => {
    for (const name of ['..%2f..%2finstance.key', 'instance.key', '00000000-0000-0000-0000-00000000000g'])
      expect((await admin.send({ method: 'GET', url: `/api/v1/media/${name}` })).status).toBe(400)
  })
})

test('stills that nothing shows any more go after a day, those of a device stay', async () => {
  const device = await t.make.device()
  const place = { tenant_id: device.tenant_id, site_id: device.site_id }
  const [old, shown] = [await still(place), await still(place)]
  await t.services.db.owner(async (trx) => {
    await trx.updateTable('device').set({ snapshot_uid: shown }).where('id', '=', device.id).execute()
    await trx
      .updateTable('media')
      .set({ created_at: sql`now() - interval '25 hours'` })
      .where('uid', 'in', [old, shown])
      .execute()
  })
  const file = join(t.services.env.dataDir, 'media', old.slice(-2), old)
  expect(existsSync(file)).toBe(true)
  await still(place)
  expect((await open(admin, old)).status).toBe(404)
  expect(existsSync(file)).toBe(false)
  expect((await open(admin, shown)).status).toBe(200)
})

test('a picture that is still at its edge server needs the edge server', async () => {
  const channel = await t.make.channel()
  const uid = crypto.randomUUID()
  await t.services.db.ingest((trx) =>
    trx
      .insertInto('media')
      .values({
        tenant_id: channel.tenant_id,
        uid,
        kind: 'snapshot',
        content_type: 'image/jpeg',
        site_id: channel.site_id,
        channel_id: channel.id,
        nimble_id: channel.nimble_id,
        sha256: null,
        path: null,
        created_by: null,
      })
      .execute(),
  )
  expect(await open(admin, uid)).toMatchObject({ status: 503, body: { error_code: 'nimble_unreachable' } })
})
