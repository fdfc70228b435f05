import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from './testing/app.ts'
import { redacted } from './trace.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

type Row = { code: string; result: string; response_code: number; object_name: string; after: Record<string, unknown> }
const tracedSince = async (id: number): Promise<Row[]> =>
  (
    await t.services.db.owner((trx) =>
      sql<Row>`select code, result, response_code, object_name, object_uid, object_kind, user_id, request_id, ip, after
        from trace where id > ${id} order by id`.execute(trx),
    )
  ).rows
const last = async () =>
  (
    await t.services.db.owner((trx) =>
      sql<{ id: number }>`select coalesce(max(id), 0)::int as id from trace`.execute(trx),
    )
  ).rows[0]?.id as number

test('a change leaves one row: who, what, on what, from where, and what was sent', async () => {
  const before = await last()
  const { body, headers } = await admin.call('customer.create', { customer_name: 'Traced' })
  expect(await tracedSince(before)).toEqual([
    {
      code: 'customer.create',
      result: 'ok',
      response_code: 201,
      object_kind: 'customer',
      object_uid: body.response.customer_id,
      object_name: 'Traced',
      user_id: admin.user?.id,
      request_id: headers['x-request-id'],
      ip: '127.0.0.1',
      after: expect.objectContaining({ customer_name: 'Traced' }),
    },
  ])
})

test('a change of something keeps what differs, as it was and as it is', async () => {
  const { customer_id } = (await admin.call('customer.create', { customer_name: 'Was' })).body.response
  const site = await t.make.site({ name: 'Old' })
  const { body } = await admin.call('source.create', {
    source_name: 'Sub',
    device_id: (await t.make.device({}, site)).uid,
    source_address: 'rtsp://192.168.5.5/sub',
  })
  const person = await t.make.user('viewer', { firstname: 'Ann' })
  const camera = await t.make.device({ name: 'Door' }, site)
  const analytic = await t.make.channel({ threshold: 3 }, camera)
  const edge = await t.make.nimble({ name: 'Rack' })
  const before = await last()
  await admin.call('customer.update', { customer_id, customer_name: 'Is', description: '' })
  await admin.call('site.update', { site_id: site.uid, site_name: 'New' })
  await admin.call('source.update', { source_id: body.response.source_id, rate: 5 })
  await admin.call('user.update', { user_id: person.uid, firstname: 'Bea' })
  await admin.call('device.update', { device_id: camera.uid, device_name: 'Gate', password: 'Planted-80' })
  await admin.call('channel.update', { channel_id: analytic.uid, channel_threshold: 4 })
  await admin.call('nimble.update', { nimble_id: edge.uid, name: 'Shelf' })
  const { rows } = await t.services.db.owner((trx) =>
    sql<{ before: object; after: object }>`select before, after from trace where id > ${before} order by id`.execute(
      trx,
    ),
  )
  expect(rows).toEqual([
    { before: { name: 'Was', customer_name: 'Was' }, after: { name: 'Is', customer_name: 'Is' } },
    { before: { site_name: 'Old' }, after: { site_name: 'New' } },
    { before: { rate: 25 }, after: { rate: 5 } },
    { before: { firstname: 'Ann' }, after: { firstname: 'Bea' } },
    {
      before: { device_name: 'Door' },
      after: { device_id: camera.uid, device_name: 'Gate', password: '****' },
    },
    { before: { channel_threshold: 3 }, after: { channel_id: analytic.uid, channel_threshold: 4 } },
    { before: { name: 'Rack' }, after: { name: 'Shelf' } },
  ])
})

test('a refusal of authority leaves one, wrong input and reading leave none', async () => {
  const before = await last()
  const viewer = await t.signIn('viewer')
  await viewer.call('customer.create', { customer_name: 'Refused' })
  await admin.call('customer.create', { customer_name: '' })
  await admin.call('customer.list')
  await admin.call('user.list')
  expect(await tracedSince(before)).toMatchObject([{ code: 'customer.create', result: 'refused', response_code: 403 }])
})

test('passwords are masked', async () => {
  const before = await last()
  const password = 'Correct-Horse-7'
  const person = { firstname: 'Ada', lastname: 'Traced', email: 'traced@example.org', username: 'ada.traced' }
  await admin.call('user.create', { ...person, password, confirm_password: password })
  const [row] = await tracedSince(before)
  expect(row?.after).toMatchObject({ username: 'ada.traced', password: '****', confirm_password: '****' })
})

test('rows are only ever added: the roles of requests may neither change nor delete them', async () => {
  for (const statement of ['update trace set code = code', 'delete from trace'])
    for (const scope of [{ tenantId: null }, { tenantId: admin.user?.tenant_id as number }])
      await expect(t.services.db.as(scope, (trx) => sql.raw(statement).execute(trx))).rejects.toThrow(
        /permission denied/,
      )
})

describe('redaction', () => {
  test.each([
    [{ password: 'x' }, { password: '****' }],
    [
      { nested: { api_token: 'x', list: [{ client_secret: 'y' }] } },
      { nested: { api_token: '****', list: [{ client_secret: '****' }] } },
    ],
    [{ license_key: 'abc' }, { license_key: '****' }],
    [
      { password: null, token: '' },
      { password: null, token: '' },
    ],
    [{ name: 'kept' }, { name: 'kept' }],
  ])('%j', (value, shown) => expect(JSON.parse(redacted(value))).toEqual(shown))

  test('what is too long is left out and said to be', () => {
    expect(JSON.parse(redacted({ text: 'x'.repeat(20_000) }))).toEqual({ left_out_bytes: 20_011 })
  })
})
