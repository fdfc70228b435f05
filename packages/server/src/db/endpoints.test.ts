import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { statements } from './migrations/0025_endpoints.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const [one, two, three, four, five, six, seven] = [1, 2, 3, 4, 5, 6, 7].map(
  (n) => `3fa85f64-5717-4562-b3fc-2c963f66afa${n}`,
) as [...[string, string, string, string], ...[string, string, string]]

test('ONVIF ids from before are brought into their form; of two cameras with one id both go on, and one keeps it; channels of a recorder lose none', async () => {
  const camera = async (endpoint_uuid: string | null) => (await t.make.device({ endpoint_uuid })).uid
  const elsewhere = await t.make.site({}, await t.make.customer({}, await t.make.organization()))
  const other = (await t.make.device({ endpoint_uuid: `{${one}}` }, elsewhere)).uid
  const ids = {
    alone: await camera(`urn:uuid:${one.toUpperCase()}`),
    older: await camera(`urn:uuid:${two}`),
    younger: await camera(`{${two.toUpperCase()}}`),
    decorated: await camera(`uuid:${three}`),
    // What is written as now, but for its case, goes before what came earlier.
    plain: await camera(three.toUpperCase()),
    canonical: await camera(four),
    // Channels of recorders are told apart by what stands behind; the recorder itself may be there too.
    first: await camera(`urn:uuid:${five}/1`),
    second: await camera(`urn:uuid:${five}/2`),
    third: await camera(`${six}/3`),
    recorder: await camera(`URN:UUID:{${six.toUpperCase()}}`),
    single: await camera(`${seven.toUpperCase()}/1`),
    serial: await camera('DS-2CD2043G2'),
    none: await camera(null),
  }
  const read = async (uid: string) => (await admin.call('device.get', { device_id: uid })).body.response
  const stored = async () =>
    Object.fromEntries(await Promise.all(Object.entries(ids).map(async ([key, uid]) => [key, (await read(uid)).UUID])))
  const { version } = await read(ids.canonical)
  const migrate = () =>
    t.services.db.owner(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx)
    })
  await migrate()
  const channels = { first: `urn:uuid:${five}/1`, second: `urn:uuid:${five}/2`, third: `${six}/3`, recorder: six }
  const after = {
    ...{ alone: one, older: two, younger: null, decorated: null, plain: three, canonical: four, single: seven },
    ...channels,
  }
  expect(await stored()).toEqual({ ...after, serial: 'DS-2CD2043G2', none: null })
  // Nobody else's camera is in the way, and what was right is not touched.
  const { rows } = await t.services.db.owner((trx) =>
    sql<{ endpoint_uuid: string }>`select endpoint_uuid from device where uid = ${other}`.execute(trx),
  )
  expect(rows).toEqual([{ endpoint_uuid: one }])
  expect((await read(ids.canonical)).version).toBe(version)
  await migrate()
  expect(await stored()).toMatchObject(after)

  // Found as the text that cameras are added with.
  const site = await t.make.site()
  const nimble = await t.make.nimble()
  const again = await admin.call('device.create', {
    ...{ device_name: 'Again', site_id: site.uid, nimble_id: nimble.uid, UUID: `urn:uuid:${one}` },
    stream_address: 'rtsp://198.51.100.99/other',
  })
  expect(again).toMatchObject({ status: 400, body: { errors: { UUID: ['device_taken'] } } })
  const changed = await admin.call('device.update', { device_id: ids.younger, device_name: 'Second' })
  expect(changed).toMatchObject({ status: 200, body: { response: { UUID: null } } })
})
