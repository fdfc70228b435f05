/** A stored password goes home only, whichever way an address comes to a camera. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { desiredConfig } from '../nimble/desired.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let admin: Client
let nimble: Awaited<ReturnType<TestApp['make']['nimble']>>
let site: Awaited<ReturnType<TestApp['make']['site']>>
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  nimble = await t.make.nimble()
  site = await t.make.site()
})
afterAll(() => t.close())

const secret = 'Lantern!Quay42'
let host = 0
async function camera(more: object = {}) {
  const { uid } = await t.make.device({ stream_address: `rtsp://192.168.30.${++host}/main` }, site, nimble)
  const { body } = await admin.call('device.update', { device_id: uid, username: 'root', password: secret, ...more })
  return body.response
}
/** Which password the edge server takes where, for one camera. */
const sent = async ({ device_id }: { device_id: string }) =>
  (await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))).sources
    .filter((source) => source.device_id === device_id)
    .map(({ address, password }) => [address, password])
const again = { status: 400, body: { errors: { password: ['password_again'] } } }

test('a camera that gets an address at another host is not saved before its password is typed again', async () => {
  const one = await camera()
  const before = await sent(one)
  const move = (more: object) =>
    admin.call('device.update', { device_id: one.device_id, stream_address: 'rtsp://192.168.31.1/main', ...more })
  for (const more of [{}, { password: '****' }, { username: 'other' }]) expect(await move(more)).toMatchObject(again)
  expect(await sent(one)).toEqual(before)
  expect((await move({ password: 'typed' })).status).toBe(200)
  expect(await sent(one)).toEqual([['rtsp://192.168.31.1/main', 'typed']])
  // Taken away, it goes nowhere.
  const none = { stream_address: 'rtsp://192.168.31.2/main', password: null }
  expect((await admin.call('device.update', { device_id: one.device_id, ...none })).status).toBe(200)
  expect(await sent(one)).toEqual([['rtsp://192.168.31.2/main', null]])
})

test('at the same host, however it is written, and without a password it stays as easy as it was', async () => {
  const one = await camera({ stream_address: 'rtsp://Camera-7.lan/main', password: secret })
  const to = (stream_address: string) => admin.call('device.update', { device_id: one.device_id, stream_address })
  expect((await to('rtsp://camera-7.LAN:8554/other')).status).toBe(200)
  expect(await sent(one)).toEqual([['rtsp://camera-7.LAN:8554/other', secret]])
  expect(await to('rtsp://camera-7.lan.evil.example/main')).toMatchObject(again)
  const open = await camera({ password: null })
  const moved = await admin.call('device.update', {
    device_id: open.device_id,
    stream_address: 'rtsp://192.168.31.3/main',
  })
  expect(moved.status).toBe(200)
})

test('nor by a stream that is added or changed', async () => {
  const one = await camera()
  const [main] = one.device_source
  const elsewhere = { source_address: 'rtsp://192.168.32.1/sub' }
  const added = { device_id: one.device_id, source_name: 'Sub', role: 'live', ...elsewhere }
  expect(await admin.call('source.create', added)).toMatchObject(again)
  const change = { source_id: main.source_id, ...elsewhere }
  expect(await admin.call('source.update', change)).toMatchObject(again)
  expect(await admin.call('source.update', { ...change, is_default: true, password: '****' })).toMatchObject(again)
  expect(await sent(one)).toEqual([[one.stream_address, secret]])
  expect((await admin.call('source.create', { ...added, password: 'typed' })).status).toBe(201)
  // It is the camera's: one for all its streams, also at the place that is its own now.
  expect(await sent(one)).toEqual([
    [one.stream_address, 'typed'],
    ['rtsp://192.168.32.1/sub', 'typed'],
  ])
  const third = { ...added, source_name: 'Third', role: 'both', source_address: 'rtsp://192.168.32.1/third' }
  expect((await admin.call('source.create', third)).status).toBe(201)
})

test('nor by another camera in its place, with a list of its streams', async () => {
  const one = await camera()
  const [{ source_id }] = one.device_source
  const swap = (more: object) =>
    admin.call('device.update', {
      device_id: one.device_id,
      device_source: [
        { source_id, source_name: 'Main', source_address: one.stream_address, role: 'analytics' },
        { source_name: 'Sub', source_address: 'rtsp://192.168.33.1/sub', role: 'live' },
      ],
      ...more,
    })
  expect(await swap({})).toMatchObject(again)
  expect((await swap({ password: 'typed' })).status).toBe(200)
})

test('nor by copying settings to a camera at another host; at the same host they go without typing', async () => {
  const one = await camera()
  const beside = await t.make.device({ stream_address: `${one.stream_address}2` }, site, nimble)
  const other = await t.make.device({ stream_address: 'rtsp://192.168.34.1/main' }, site, nimble)
  const copy = async (more: object) =>
    (
      await admin.call('device.copy', {
        ...{ device_id: one.device_id, to: [beside.uid, other.uid], settings: ['credentials'] },
        ...more,
      })
    ).body.response.devices
  expect(await copy({})).toMatchObject([
    { device_id: beside.uid, outcome: 'copied', error_code: null },
    { device_id: other.uid, outcome: 'failed', error_code: 'password_again' },
  ])
  expect(await sent({ device_id: other.uid })).toEqual([['rtsp://192.168.34.1/main', null]])
  expect(await sent({ device_id: beside.uid })).toEqual([[`${one.stream_address}2`, secret]])
  expect(await copy({ password: 'typed-again!' })).toMatchObject([{ outcome: 'copied' }, { outcome: 'copied' }])
  expect(await sent({ device_id: other.uid })).toEqual([['rtsp://192.168.34.1/main', 'typed-again!']])
  const rows = await t.services.db.owner((trx) => trx.selectFrom('trace').selectAll().execute())
  for (const password of [secret, 'typed-again!']) expect(JSON.stringify(rows)).not.toContain(password)
})

test('a mask in place of the typed password copies the stored one, and what is typed goes also from a camera without one', async () => {
  const one = await camera()
  const beside = await t.make.device({ stream_address: `${one.stream_address}2` }, site, nimble)
  const copy = (from: string, to: string, password: string) =>
    admin.call('device.copy', { device_id: from, to: [to], settings: ['credentials'], password })
  await copy(one.device_id, beside.uid, '****')
  expect(await sent({ device_id: beside.uid })).toEqual([[`${one.stream_address}2`, secret]])
  const open = await camera({ password: null })
  await copy(open.device_id, beside.uid, 'typed-again!')
  expect(await sent({ device_id: beside.uid })).toEqual([[`${one.stream_address}2`, 'typed-again!']])
  await copy(open.device_id, beside.uid, '')
  expect(await sent({ device_id: beside.uid })).toEqual([[`${one.stream_address}2`, null]])
})
