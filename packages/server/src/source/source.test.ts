import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let admin: Client
let site: Awaited<ReturnType<TestApp['make']['site']>>
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  site = await t.make.site()
})
afterAll(() => t.close())

const camera = () => t.make.device({}, site)
const add = (deviceUid: string, more: object = {}) =>
  admin.call('source.create', {
    source_name: 'Sub',
    device_id: deviceUid,
    source_address: 'rtsp://192.168.5.5/sub',
    ...more,
  })
const read = async (device_id: string) => (await admin.call('device.get', { device_id })).body.response

describe('streams of a camera', () => {
  test('a second one has the next stream id; the first stays the default', async () => {
    const { uid } = await camera()
    const { status, body } = await add(uid)
    expect(status).toBe(201)
    expect(body.response).toMatchObject({
      stream_id: `${uid}/2`,
      rate: 25,
      type: 'rtsp',
      role: 'both',
      is_default: false,
    })
    expect((await read(uid)).device_source).toHaveLength(2)
  })

  test('a new default takes the mark, and the camera’s address follows it', async () => {
    const { uid, stream_address } = await camera()
    await add(uid, { is_default: true })
    const device = await read(uid)
    expect(device.stream_address).toBe('rtsp://192.168.5.5/sub')
    expect(device.device_source.map((one: { source_address: string }) => one.source_address)).toEqual([
      'rtsp://192.168.5.5/sub',
      stream_address,
    ])
    const mapping = (await admin.call('source.mapping', { site_id: site.uid, is_default: true })).body.response
    expect(mapping.filter((one: { device_id: string }) => one.device_id === uid)).toMatchObject([
      { source_name: 'Sub' },
    ])
  })

  test('of many who choose the default at once each succeeds, and one stream has it', async () => {
    const { uid } = await camera()
    const added = [await add(uid), await add(uid), await add(uid)].map((answer) => answer.body.response.source_id)
    const answers = await Promise.all(
      [...added, ...added].map((source_id) => admin.call('source.update', { source_id, is_default: true })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    const mapping = (await admin.call('source.mapping', { site_id: site.uid, is_default: true })).body.response
    expect(mapping.filter((one: { device_id: string }) => one.device_id === uid)).toHaveLength(1)
  })

  test('there are four at most', async () => {
    const { uid } = await camera()
    for (let i = 0; i < 3; i++) expect((await add(uid)).status).toBe(201)
    expect(await add(uid)).toMatchObject({ status: 400, body: { errors: { device_id: ['at_most:4'] } } })
  })

  test.each([
    ['this machine', { source_address: 'rtsp://localhost/x' }, { source_address: ['address_refused'] }],
    ['a rate of zero', { rate: 0 }, { rate: ['greater_than:0'] }],
    ['an odd stream id', { stream_id: 'a b' }, { stream_id: ['name_characters'] }],
    [
      'the edge server of another camera',
      { nimble_id: '01890000-0000-7000-8000-000000000000' },
      { nimble_id: ['not_found'] },
    ],
  ])('%s is refused by field', async (_, more, errors) => {
    expect(await add((await camera()).uid, more)).toMatchObject({ status: 400, body: { errors } })
  })

  test('the stream id is unique at the edge server', async () => {
    const { uid } = await camera()
    expect((await add(uid, { stream_id: 'north/1' })).status).toBe(201)
    expect(await add(uid, { stream_id: 'north/1' })).toMatchObject({
      status: 400,
      body: { errors: { stream_id: ['name_taken'] } },
    })
  })

  test('the default stays, one that analytics use stays, another goes', async () => {
    const device = await camera()
    const { source_id } = (await add(device.uid)).body.response
    const main = await t.make.sourceOf(device)
    const remove = (id: string | undefined) => admin.call('source.delete', { source_id: id })
    expect((await remove(main?.uid)).body.error_code).toBe('default_source')
    await t.make.channel({}, device)
    expect((await remove(main?.uid)).body).toMatchObject({ error_code: 'source_in_use', args: { count: 1 } })
    expect((await remove(source_id)).status).toBe(200)
  })

  test('the mapping names the channels of each stream', async () => {
    const device = await camera()
    const channel = await t.make.channel({}, device)
    const { body } = await admin.call('source.mapping', { site_id: site.uid })
    const own = body.response.find((one: { device_id: string }) => one.device_id === device.uid)
    expect(own).toMatchObject({ site_id: site.uid, device_name: device.name, channel_ids: [channel.uid] })
  })

  test('the mapping of an edge server holds the streams that it reads, and of another organization’s none', async () => {
    const [device, other] = [await camera(), await t.make.device()]
    const { uid: nimble_id } = await t.services.db.owner((trx) =>
      trx.selectFrom('nimble').select('uid').where('id', '=', other.nimble_id).executeTakeFirstOrThrow(),
    )
    const devices = async (of: object, who = admin) =>
      (await who.call('source.mapping', of)).body.response.map((one: { device_id: string }) => one.device_id)
    expect(await devices({ nimble_id })).toEqual([other.uid])
    expect(await devices({ nimble_id, site_id: site.uid })).toEqual([])
    expect(await devices({})).toEqual(expect.arrayContaining([device.uid, other.uid]))
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect(await devices({ nimble_id }, outsider)).toEqual([])
  })

  test('another organization reaches none of it', async () => {
    const device = await camera()
    const main = await t.make.sourceOf(device)
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect((await outsider.call('source.update', { source_id: main?.uid, rate: 5 })).status).toBe(404)
    expect((await outsider.call('source.delete', { source_id: main?.uid })).status).toBe(404)
    expect((await outsider.call('source.mapping', {})).body.response).toEqual([])
  })
})
