/** A use case assigned to a person narrows what they see, by the front door and by the side doors. */
import type { StreamMessage } from '@sightline/contract'
import { usecaseKeys } from '@sightline/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changed } from '../bus.ts'
import { keepMedia, mediaUrl } from '../media/store.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { openSocket, openStream } from '../testing/socket.ts'

let t: TestApp
let admin: Client
let narrowed: Client
let free: Client
type Row<T extends (...of: never[]) => Promise<unknown>> = Awaited<ReturnType<T>>
let counting: Row<TestApp['make']['channel']>
let fire: Row<TestApp['make']['channel']>
let device: Row<TestApp['make']['device']>
let site: Row<TestApp['make']['site']>
let fireEvent: string
let countEvent: string

beforeAll(async () => {
  t = await testApp()
  site = await t.make.site()
  device = await t.make.device({}, site)
  counting = await t.make.channel({ usecase_key: 'pplcnt' }, device)
  fire = await t.make.channel({ usecase_key: 'frdtec' }, device)
  countEvent = (await t.make.event(counting)).event_uuid
  fireEvent = (await t.make.event(fire, { metrics: { fire: 1 } })).event_uuid
  admin = await t.signIn('admin')
  narrowed = await t.signIn('user')
  free = await t.signIn('user')
  for (const { user } of [narrowed, free]) await t.make.assign(user as never, { site })
  const { body } = await admin.call('usecase.list')
  const usecase_id = body.response.find((one: { usecase_key: string }) => one.usecase_key === 'pplcnt').usecase_id
  const given = await admin.call('usecase.assign', { user_id: narrowed.user?.uid, usecase_id: [usecase_id] })
  expect(given.body.response).toEqual({ assigned: 1, skipped: 0 })
})
afterAll(() => t.close())

const idsOf = (answer: { body: { response: { channel_id: string }[] } }) =>
  answer.body.response.map((row) => row.channel_id).toSorted()

describe('somebody with one use case', () => {
  test.each([
    ['channel.list', () => ({ device_id: device.uid })],
    ['channel.mine', () => ({})],
    ['channel.bySite', () => ({ site_id: site.uid })],
    ['channel.stats', () => ({ channel_id: [counting.uid, fire.uid] })],
  ] as const)('sees only its channels: %s; others see all', async (id, input) => {
    expect(idsOf(await narrowed.call(id, input()))).toEqual([counting.uid])
    expect(idsOf(await free.call(id, input()))).toEqual([counting.uid, fire.uid].toSorted())
  })

  test.each(['channel.id', 'channel.status', 'channel.ondemand'] as const)(
    'finds no other by its id: %s',
    async (id) => {
      expect((await narrowed.call(id, { channel_id: fire.uid })).status).toBe(404)
    },
  )

  test('sees a camera, a site and a customer with these channels alone', async () => {
    const one = (await narrowed.call('device.get', { device_id: device.uid })).body.response
    expect(one.source_channels).toMatchObject([{ channel_id: counting.uid }])
    const page = (await narrowed.call('device.view', { device_id: device.uid })).body.response
    expect(page.channels).toMatchObject([{ channel_id: counting.uid }])
    const face = (await narrowed.call('site.view', { site_id: site.uid })).body.response
    expect(face.site.site_active_channels).toBe(1)
    expect(face.usecases.map((row: { usecase_key: string }) => row.usecase_key)).toEqual(['pplcnt'])
    const { customer_id } = face.site
    const view = (await narrowed.call('customer.view', { customer_id, type: 1 })).body.response
    expect(view.totals).toMatchObject({ channels: 1, active_channels: 1 })
    expect(view.sites[0].devices[0].channels).toMatchObject([{ channel_id: counting.uid }])
    const [stream] = (await narrowed.call('source.mapping', { site_id: site.uid })).body.response
    expect(stream.channel_ids).toEqual([counting.uid])
    const zones = (await narrowed.call('static.list', { source_id: stream.source_id })).body.response
    expect(zones.map((zone: { channel_id: string }) => zone.channel_id)).toEqual([counting.uid])
  })

  test('reads no events of others: by list, by id, by figures, by chart', async () => {
    const { body } = await narrowed.call('event.range', { type: 1, site_id: site.uid })
    expect(idsOf({ body })).toEqual([counting.uid])
    expect((await narrowed.call('event.id', { event_uuid: countEvent })).status).toBe(200)
    expect((await narrowed.call('event.id', { event_uuid: fireEvent })).status).toBe(404)
    for (const id of ['event.stats', 'event.range'] as const) {
      const asked = { channel_id: fire.uid, usecase_key: 'frdtec', ...(id === 'event.range' && { type: 2 }) }
      expect((await narrowed.call(id, asked)).status).toBe(404)
      expect((await free.call(id, asked)).status).toBe(200)
    }
  })

  test('gets no picture of their events, and the stills of the camera', async () => {
    const keep = (channelId: number | null, createdBy: number | null) =>
      keepMedia(t.services, {
        tenantId: site.tenant_id,
        kind: 'snapshot',
        contentType: 'image/jpeg',
        body: Buffer.from([0xff, 0xd8, 0xff]),
        siteId: site.id,
        channelId,
        createdBy,
      })
    const open = async (who: Client, uid: string) =>
      (await who.send({ method: 'GET', url: mediaUrl(t.services.env, uid) })).status
    const ofFire = await keep(fire.id, null)
    expect([await open(narrowed, ofFire), await open(free, ofFire)]).toEqual([404, 200])
    for (const uid of [await keep(counting.id, null), await keep(null, null), await keep(fire.id, admin.user?.id ?? 0)])
      expect(await open(narrowed, uid)).toBe(200)
  })

  test('hears nothing of others on the live channel', async () => {
    const [own, all] = await Promise.all([openStream(t, narrowed), openStream(t, free)])
    for (const channel of [fire, counting]) {
      t.services.bus.publish(changed(channel, 'channel', channel.uid))
      t.services.bus.publish({
        tenantId: site.tenant_id,
        siteId: site.id,
        usecaseId: channel.usecase_id,
        message: {
          type: 'event',
          channel_id: channel.uid,
          site_id: site.uid,
          usecase_key: usecaseKeys[channel.usecase_id - 1] as 'pplcnt',
          records: 1,
          opened: 0,
          levels: {},
          window_s: 5,
          event_uuid: countEvent,
          observed_at: new Date().toISOString(),
        },
      })
    }
    const isLast = (message: StreamMessage) => message.type === 'event' && message.channel_id === counting.uid
    await Promise.all([own.message(isLast), all.message(isLast)])
    const heard = (messages: readonly StreamMessage[]) =>
      messages.flatMap((message) =>
        message.type === 'event' ? message.channel_id : message.type === 'changed' ? message.id : [],
      )
    expect(heard(own.messages)).toEqual([counting.uid, counting.uid])
    expect(heard(all.messages)).toHaveLength(4)
    await Promise.all([own.close(), all.close()])
  })

  test('opens no live picture of another channel', async () => {
    const socket = await openSocket(t, narrowed, `/live?channel_id=${fire.uid}`)
    expect((await socket.closed).code).toBe(4404)
  })

  test('is offered that use case alone', async () => {
    const { body } = await narrowed.call('usecase.list')
    expect(body.response.map((row: { usecase_key: string }) => row.usecase_key)).toEqual(['pplcnt'])
  })
})

test('an assignment to an admin narrows nothing', async () => {
  const other = await t.signIn('admin')
  await t.services.db.owner((trx) =>
    trx
      .insertInto('user_usecase')
      .values({ tenant_id: site.tenant_id, user_id: other.user?.id as number, usecase_id: counting.usecase_id })
      .execute(),
  )
  expect(idsOf(await other.call('channel.bySite', { site_id: site.uid }))).toHaveLength(2)
})
