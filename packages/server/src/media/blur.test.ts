import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { blur } from './blur.ts'
import { keepMedia, keepStill, mediaUrl } from './store.ts'

let t: TestApp
let root: Client
beforeAll(async () => {
  t = await testApp()
  root = await t.signIn('super_admin')
})
afterAll(() => t.close())
afterEach(() => allow('viewer', ['picture.clear', 'picture.unblur']))

/** Black and white squares, as fine as what faces are told apart by. */
const checkered = await (() => {
  const [width, height, cell] = [1280, 720, 8]
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < width * height; at++) {
    const isWhite = (Math.floor((at % width) / cell) + Math.floor(at / width / cell)) % 2 === 0
    pixels.fill(isWhite ? 255 : 0, at * 3, at * 3 + 3)
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer()
})()

const contrast = async (jpeg: Buffer) => {
  const { channels } = await sharp(jpeg).greyscale().stats()
  return channels[0]?.stdev ?? 0
}
async function allow(role_key: string, privileges: string[]) {
  const answer = await root.send({ method: 'PATCH', url: '/api/v1/role/privilege', payload: { role_key, privileges } })
  expect(answer.status).toBe(200)
}
const open = (client: Client, uid: string) => client.send({ method: 'GET', url: mediaUrl(t.services.env, uid) })

async function pictures() {
  const device = await t.make.device()
  const of = { tenant_id: device.tenant_id, site_id: device.site_id, nimble_id: device.nimble_id }
  const person = await t.make.user('viewer')
  await t.make.assign(person, { site: { id: device.site_id, tenant_id: device.tenant_id } as never })
  const still = await keepStill(t.services, of, checkered, root.user?.id ?? 0)
  const file = { tenantId: device.tenant_id, siteId: device.site_id, contentType: 'video/mp4', body: checkered }
  const clip = await keepMedia(t.services, { ...file, kind: 'clip' })
  const photo = await keepMedia(t.services, { ...file, kind: 'image', contentType: 'image/jpeg' })
  return { viewer: await t.signIn(person), still, clip, photo }
}

test('a blurred picture keeps its shape and brightness, and none of what is fine in it', async () => {
  const blurred = await blur(checkered)
  const { width = 0, height = 0 } = await sharp(blurred).metadata()
  expect(width / height).toBeCloseTo(16 / 9, 1)
  expect(await contrast(checkered)).toBeGreaterThan(100)
  expect(await contrast(blurred)).toBeLessThan(5)
})

describe('for a role that sees pictures blurred', () => {
  test('pictures of cameras are, clips do not come, and pictures of places stay as they are', async () => {
    const { viewer, still, clip, photo } = await pictures()
    const before = await open(viewer, still)
    expect(before.headers['cache-control']).toBe('private, no-cache')
    expect(await contrast(before.bytes)).toBeGreaterThan(100)

    await allow('viewer', ['picture.unblur'])
    // Another person's clear one may still be in this browser: it is not taken for this answer.
    const after = await viewer.send({
      method: 'GET',
      url: mediaUrl(t.services.env, still),
      headers: { 'if-none-match': `"${still}"` },
    })
    expect([after.status, after.headers['content-type'], after.headers['cache-control']]).toEqual([
      200,
      'image/jpeg',
      'no-store',
    ])
    expect(await contrast(after.bytes)).toBeLessThan(5)
    const refused = await open(viewer, clip)
    expect([refused.status, refused.body.error_code]).toEqual([403, 'role_blurred'])
    expect((await open(viewer, photo)).status).toBe(200)
    // Nor a part of it, from which the whole could be put together.
    const part = await viewer.send({
      method: 'GET',
      url: mediaUrl(t.services.env, still),
      headers: { range: 'bytes=0-99' },
    })
    expect(part.bytes.length).toBe(after.bytes.length)
    expect(await contrast((await open(root, still)).bytes)).toBeGreaterThan(100)
  })

  test('a reason shows them clearly in this session until its time is over or taken back, and is written down', async () => {
    const { viewer, still, clip } = await pictures()
    await allow('viewer', ['picture.unblur'])
    const url = '/api/v1/user/session/unblur'
    const none = await viewer.send({ method: 'POST', url, payload: { reason: '  x ' } })
    expect(none.status).toBe(400)
    const given = await viewer.send({ method: 'POST', url, payload: { reason: 'Theft at the entrance' } })
    expect(given.status).toBe(200)
    const minutes = (Date.parse(given.body.response.unblurred_until) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(14)
    expect(minutes).toBeLessThanOrEqual(15)
    const clear = await open(viewer, still)
    expect(await contrast(clear.bytes)).toBeGreaterThan(100)
    // Another minute it may be blurred: no browser keeps it.
    expect(clear.headers['cache-control']).toBe('no-store')
    expect((await open(viewer, clip)).status).toBe(200)
    const trace = await t.services.db.owner((trx) =>
      trx
        .selectFrom('trace')
        .select(['code', 'user_id', 'after'])
        .where('code', '=', 'user.unblur')
        .where('result', '=', 'ok')
        .orderBy('id', 'desc')
        .executeTakeFirst(),
    )
    expect(trace).toEqual({
      code: 'user.unblur',
      user_id: viewer.user?.id,
      after: { reason: 'Theft at the entrance' },
    })
    await t.services.db.owner((trx) =>
      trx
        .updateTable('session')
        .set({ unblurred_until: new Date(Date.now() - 1) })
        .where('user_id', '=', viewer.user?.id ?? 0)
        .execute(),
    )
    expect(await contrast((await open(viewer, still)).bytes)).toBeLessThan(5)
    await viewer.send({ method: 'POST', url, payload: { reason: 'Theft at the entrance' } })
    expect((await viewer.send({ method: 'DELETE', url, payload: { data: {} } })).status).toBe(200)
    expect(await contrast((await open(viewer, still)).bytes)).toBeLessThan(5)
  })

  test('a reason ends when the role may give none any more, and nobody gives a role that sees more than theirs', async () => {
    const { viewer, still } = await pictures()
    await allow('viewer', ['picture.unblur'])
    const url = '/api/v1/user/session/unblur'
    await viewer.send({ method: 'POST', url, payload: { reason: 'Theft at the entrance' } })
    expect(await contrast((await open(viewer, still)).bytes)).toBeGreaterThan(100)
    await allow('viewer', [])
    expect(await contrast((await open(viewer, still)).bytes)).toBeLessThan(5)
    await allow('viewer', ['picture.clear', 'picture.unblur'])

    const admin = await t.signIn('admin')
    await allow('admin', ['picture.unblur'])
    try {
      const draft = {
        firstname: 'Ada',
        lastname: 'Martin',
        password: 'Lantern!Quay42',
        confirm_password: 'Lantern!Quay42',
      }
      const name = { username: 'a.way.around', email: 'around@example.org' }
      const made = await admin.call('user.create', { ...draft, ...name, role_key: 'viewer' })
      expect([made.status, made.body.error_code]).toEqual([403, 'role_sees_more'])
      expect((await admin.call('user.create', { ...draft, ...name, role_key: 'admin' })).status).toBe(201)
    } finally {
      await allow('admin', ['picture.clear', 'picture.unblur'])
    }
  })

  test('who holds neither gets no clear picture for any reason', async () => {
    const { viewer, still } = await pictures()
    await allow('viewer', [])
    const answer = await viewer.send({
      method: 'POST',
      url: '/api/v1/user/session/unblur',
      payload: { reason: 'Theft at the entrance' },
    })
    expect([answer.status, answer.body.error_code]).toEqual([403, 'unblur_not_allowed'])
    expect(await contrast((await open(viewer, still)).bytes)).toBeLessThan(5)
  })
})

test('privileges of a role change for the whole instance, by a super admin, and not on an older state', async () => {
  const url = '/api/v1/role/privilege'
  const list = (await root.send({ method: 'GET', url: `${url}/list` })).body.response
  expect(list.map((one: { role_key: string }) => one.role_key)).toEqual([
    'super_admin',
    'admin',
    'user',
    'super_viewer',
    'viewer',
  ])
  const { version } = list.at(-1)
  const change = { role_key: 'viewer', privileges: ['picture.unblur', 'picture.unblur'], version }
  const admin = await t.signIn('admin')
  expect((await admin.send({ method: 'PATCH', url, payload: change })).status).toBe(403)
  const done = await root.send({ method: 'PATCH', url, payload: change })
  expect(done.body.response).toMatchObject({ privileges: ['picture.unblur'], version: version + 1 })
  expect((await root.send({ method: 'PATCH', url, payload: change })).status).toBe(412)
  expect((await root.send({ method: 'PATCH', url, payload: { ...change, privileges: ['all'] } })).status).toBe(400)
})
