import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepMedia } from '../media/store.ts'
import { desiredConfig } from '../nimble/desired.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let superAdmin: Client
beforeAll(async () => {
  t = await testApp()
  superAdmin = await t.signIn('super_admin')
})
afterAll(() => t.close())

let count = 0
const name = () => `Organization of a test ${++count}`
const created = async (more: object = {}) =>
  (await superAdmin.call('organization.create', { organization_name: name(), ...more })).body.response

test('is created with its retention, and is not the default one', async () => {
  const { status, body } = await superAdmin.call('organization.create', { organization_name: 'Nord-Est', raw_days: 14 })
  expect(status).toBe(201)
  expect(body.response).toMatchObject({
    organization_name: 'Nord-Est',
    description: '',
    is_default: false,
    raw_days: 14,
    rollup_days: 400,
    version: 1,
  })
})

test('keeps things for a century at most, and numbers that no column holds are refused', async () => {
  const { organization_id } = await created()
  for (const input of [{ raw_days: 36_501 }, { rollup_days: 1e300 }, { version: 2 ** 31 }]) {
    const { status, body } = await superAdmin.call('organization.update', { organization_id, ...input })
    expect([status, Object.keys(body.errors)]).toEqual([400, Object.keys(input)])
  }
})

test('its name is unique on the instance, whatever its case', async () => {
  await created({ organization_name: 'Équipe Un' })
  const { status, body } = await superAdmin.call('organization.create', { organization_name: 'équipe UN' })
  expect([status, body.errors]).toEqual([400, { organization_name: ['name_taken'] }])
})

test('changes what is sent and leaves the rest; an older version is refused', async () => {
  const { organization_id, organization_name, version } = await created({ description: 'first' })
  const { body } = await superAdmin.call('organization.update', { organization_id, raw_days: 3, version })
  expect(body.response).toMatchObject({ organization_name, description: 'first', raw_days: 3, version: version + 1 })
  const { status } = await superAdmin.call('organization.update', { organization_id, raw_days: 4, version })
  expect(status).toBe(412)
})

test('how long its events are kept, their pictures are kept at its edge servers too', async () => {
  const nimble = await t.make.nimble()
  const config = () => t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))
  const { version, media_days } = await config()
  expect(media_days).toBe(7)
  const mine = (await (await t.signIn('admin')).call('organization.list')).body.response[0]
  const asked = { organization_id: mine.organization_id, raw_days: 30, version: mine.version }
  expect((await superAdmin.call('organization.update', asked)).status).toBe(200)
  expect(await config()).toMatchObject({ version: version + 1, media_days: 30 })
})

describe('is listed', () => {
  test('to super roles with all others, to everybody else alone', async () => {
    await created()
    const count = async (client: Client) => (await client.call('organization.list')).body.response.length
    expect(await count(superAdmin)).toBeGreaterThan(1)
    expect(await count(await t.signIn('super_viewer'))).toBeGreaterThan(1)
    for (const role of ['admin', 'user', 'viewer'] as const) expect(await count(await t.signIn(role))).toBe(1)
  })
})

describe('is deleted', () => {
  test('when it is empty; what the log says of it stays', async () => {
    const { organization_id } = await created()
    const row = await t.services.db.owner((trx) =>
      trx.selectFrom('organization').selectAll().where('uid', '=', organization_id).executeTakeFirstOrThrow(),
    )
    const admin = await t.signIn(await t.make.user('admin', {}, row))
    const { body } = await admin.call('customer.create', { customer_name: 'Soon gone' })
    expect((await superAdmin.call('organization.delete', { organization_id })).body).toMatchObject({
      error_code: 'organization_not_empty',
      args: { people: 1, customers: 1, nimbles: 0, models: 0 },
    })
    // What it set for itself goes with it.
    const defaults = { pipeline_elements: { 'decode.fps': 4 } }
    await superAdmin.call('bundle.defaultsSet', { bundle_usecase: 'pplcnt', organization_id, defaults })
    await admin.call('customer.destroy', { customer_id: body.response.customer_id })
    await superAdmin.call('user.delete', { user_id: admin.user?.uid })
    const picture = { tenantId: row.tenant_id, kind: 'image', contentType: 'image/png', body: Buffer.of(1) } as const
    const uid = await keepMedia(t.services, picture)
    const file = join(t.services.env.dataDir, 'media', uid.slice(-2), uid)
    expect(existsSync(file)).toBe(true)
    expect((await superAdmin.call('organization.delete', { organization_id })).status).toBe(200)
    expect(existsSync(file)).toBe(false)
    expect((await superAdmin.call('organization.delete', { organization_id })).status).toBe(404)
    const { rows } = await t.services.db.owner((trx) =>
      sql`select code from trace where object_name = 'Soon gone' order by id`.execute(trx),
    )
    expect(rows).toEqual([{ code: 'customer.create' }, { code: 'customer.destroy' }])
  })

  test('never when it is the default one', async () => {
    const [home] = (await (await t.signIn('admin')).call('organization.list')).body.response
    const { status, body } = await superAdmin.call('organization.delete', { organization_id: home.organization_id })
    expect([status, body.error_code]).toEqual([409, 'default_organization'])
  })
})
