/** One camera's settings for many, another camera in the place of one, and what each stream is for. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { desiredConfig } from '../nimble/desired.ts'
import { secretsOf } from '../secrets.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { newUid } from '../uid.ts'
import { passwordPlace } from './store.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const get = async (device_id: string) => (await admin.call('device.get', { device_id })).body.response
/** What the edge server is told of a camera. */
const sent = async (nimbleUid: string, deviceUid: string) =>
  (await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimbleUid))).sources.find(
    (source) => source.device_id === deviceUid,
  )

describe('settings of one camera for others', () => {
  test('go to each by itself, the password without ever being shown', async () => {
    const site = await t.make.site()
    const [here, there] = [await t.make.nimble(), await t.make.nimble()]
    const from = await t.make.device({ onvif_port: 8080, tags: JSON.stringify({ floor: 'one' }) }, site, here)
    await admin.call('device.update', { device_id: from.uid, username: 'root', password: 'Lantern!Quay42' })
    const [same, other] = [await t.make.device({}, site, here), await t.make.device({}, site, there)]
    const foreign = await t.make.device(
      {},
      await t.make.site({}, await t.make.customer({}, await t.make.organization())),
    )
    const to = [same.uid, other.uid, foreign.uid]
    const settings = ['credentials', 'tags', 'onvif_port', 'nimble']
    const password = 'Lantern!Quay42'
    const asked = { device_id: from.uid, to, settings, password }
    const rowsBefore = await Promise.all([same, other].map(({ uid }) => get(uid)))
    const planned = await admin.call('device.copy', { ...asked, dry_run: true })
    expect(await Promise.all([same, other].map(({ uid }) => get(uid)))).toEqual(rowsBefore)
    const answer = await admin.call('device.copy', asked)
    const changes = [
      { field: 'username', stream: null, before: null, after: 'root' },
      { field: 'password', stream: null, before: null, after: '****' },
      { field: 'device_tags', stream: null, before: null, after: 'floor=one' },
      { field: 'onvif_port', stream: null, before: null, after: 8080 },
    ]
    const moved = { field: 'nimble', stream: null, before: there.name, after: here.name }
    const done = { outcome: 'copied', error_code: null, restarts: [] }
    // What was told beforehand is what was done.
    for (const { body } of [planned, answer])
      expect(body.response.devices).toEqual([
        { device_id: same.uid, ...done, changes },
        { device_id: other.uid, ...done, changes: [...changes, moved] },
        { device_id: foreign.uid, outcome: 'failed', error_code: 'not_found', changes: [], restarts: [] },
      ])
    expect(planned.text + answer.text).not.toContain('Lantern')
    for (const uid of [same.uid, other.uid]) {
      expect(await get(uid)).toMatchObject({
        ...{ username: 'root', password: '****', onvif_port: 8080, device_tags: { floor: 'one' } },
        nimble_id: here.uid,
      })
      expect(await sent(here.uid, uid)).toMatchObject({ username: 'root', password: 'Lantern!Quay42' })
    }
    expect(await sent(there.uid, other.uid)).toBeUndefined()
    const rows = await t.services.db.owner((trx) => trx.selectFrom('trace').selectAll().execute())
    expect(JSON.stringify(rows)).not.toContain('Lantern')
  })

  test('only those that were named', async () => {
    const from = await t.make.device({ onvif_port: 8080, tags: JSON.stringify({ floor: 'one' }) })
    const to = await t.make.device({ username: 'own' })
    await admin.call('device.copy', { device_id: from.uid, to: [to.uid], settings: ['tags'] })
    const { nimble } = { nimble: (await get(to.uid)).nimble_id }
    expect(await get(to.uid)).toMatchObject({ username: 'own', onvif_port: null, device_tags: { floor: 'one' } })
    expect(nimble).not.toBe((await get(from.uid)).nimble_id)
  })
})

describe('a password that cannot be opened any more, since it was sealed with another key', () => {
  const lose = ({ uid }: { uid: string }) =>
    t.services.db.owner((trx) =>
      trx
        .updateTable('device')
        .set({ password: secretsOf(randomBytes(32)).seal('Lantern!Quay42', passwordPlace(uid)) })
        .where('uid', '=', uid)
        .execute(),
    )

  test('is replaced by that of another camera, as by one that is typed', async () => {
    const nimble = await t.make.nimble()
    const at = (path: string) => t.make.device({ stream_address: `rtsp://198.51.100.80/${path}` }, undefined, nimble)
    const [from, to] = [await at('a'), await at('b')]
    await admin.call('device.update', { device_id: from.uid, password: 'Lantern!Quay42' })
    await lose(to)
    const asked = { device_id: from.uid, to: [to.uid], settings: ['credentials'] }
    expect((await admin.call('device.copy', asked)).body.response.devices).toMatchObject([{ outcome: 'copied' }])
    expect(await sent(nimble.uid, to.uid)).toMatchObject({ password: 'Lantern!Quay42' })
  })

  test('is given to nobody, which is said at its field, and holds up no other setting', async () => {
    const [from, to] = [await t.make.device({ onvif_port: 8080 }), await t.make.device()]
    await lose(from)
    const asked = { device_id: from.uid, to: [to.uid], settings: ['credentials', 'onvif_port'] }
    const unreadable = ['credentials_unreadable']
    for (const dry_run of [true, false])
      expect(await admin.call('device.copy', { ...asked, dry_run })).toMatchObject({
        ...{ status: 400, body: { error_code: 'credentials_unreadable', errors: { password: unreadable } } },
      })
    expect(await get(to.uid)).toMatchObject({ password: '', onvif_port: null })
    const { body } = await admin.call('device.copy', { ...asked, settings: ['onvif_port'] })
    expect(body.response.devices).toMatchObject([{ outcome: 'copied' }])
    await admin.call('device.copy', { ...asked, password: 'Lantern!Quay42' })
    expect(await get(to.uid)).toMatchObject({ password: '****' })
  })
})

describe('a look at what copying settings would change', () => {
  const copy = async (device_id: string, to: string[], settings: string[], more: object = {}) =>
    (await admin.call('device.copy', { device_id, to, settings, dry_run: true, ...more })).body.response.devices

  test('names the cameras that stay as they are, and notes nothing', async () => {
    const from = await t.make.device({ onvif_port: 8080, tags: JSON.stringify({ zone: 'A', floor: 'one' }) })
    const alike = await t.make.device({ onvif_port: 8080, tags: JSON.stringify({ floor: 'one', zone: 'A' }) })
    const differing = await t.make.device({ onvif_port: 8080, tags: JSON.stringify({ floor: '2' }) })
    expect(await copy(from.uid, [alike.uid, differing.uid], ['tags', 'onvif_port'])).toEqual([
      { device_id: alike.uid, outcome: 'unchanged', error_code: null, changes: [], restarts: [] },
      {
        ...{ device_id: differing.uid, outcome: 'copied', error_code: null, restarts: [] },
        changes: [{ field: 'device_tags', stream: null, before: 'floor=2', after: 'floor=one; zone=A' }],
      },
    ])
    const notes = await t.services.db.owner((trx) =>
      trx.selectFrom('trace').selectAll().where('object_uid', '=', from.uid).execute(),
    )
    expect(notes).toEqual([])
  })

  test('does not say whether a typed password is the one that is stored', async () => {
    const from = await t.make.device({ username: 'root' })
    const to = await t.make.device({ username: 'root' })
    await admin.call('device.update', { device_id: to.uid, password: 'Lantern!Quay42' })
    const told = async (password: string) => copy(from.uid, [to.uid], ['credentials'], { password })
    expect(await told('Lantern!Quay42')).toEqual(await told('guessed'))
  })

  test.each([true, false])(
    'nor does a camera with a guessed password at the same host say whether that is the stored one (dry run: %s)',
    async (dry_run) => {
      const there = () => t.make.device({ username: 'root', stream_address: 'rtsp://198.51.100.81/stream1' })
      const from = await there()
      await admin.call('device.update', { device_id: from.uid, password: 'Lantern!Quay42' })
      const told = async (password: string) => {
        const { uid } = await there()
        await admin.call('device.update', { device_id: uid, password })
        return (await copy(from.uid, [uid], ['credentials'], { dry_run })).map(
          ({ outcome, changes }: { outcome: string; changes: object[] }) => [outcome, changes],
        )
      }
      const [right, wrong] = [await told('Lantern!Quay42'), await told('guessed')]
      expect(right).toEqual(wrong)
      expect(right).toEqual([['copied', [{ field: 'password', stream: null, before: '****', after: '****' }]]])
    },
  )

  /** With a licence for one analytic. */
  const small = async () => {
    const nimble = await t.make.nimble()
    const license = { tenant_id: nimble.tenant_id, uid: newUid(), name: `For one ${nimble.uid}`, channel_limit: 1 }
    await t.services.db.owner(async (trx) => {
      const { id } = await trx.insertInto('license').values(license).returning('id').executeTakeFirstOrThrow()
      await trx.updateTable('nimble').set({ license_id: id }).where('id', '=', nimble.id).execute()
    })
    return nimble
  }

  test('tells which analytics start anew elsewhere, and whom the licence leaves out when all go', async () => {
    const site = await t.make.site()
    const here = await t.make.nimble()
    const from = await t.make.device({}, site, await small())
    const [one, two] = [await t.make.device({}, site, here), await t.make.device({}, site, here)]
    const channel = await t.make.channel({}, one)
    await t.make.channel({}, two)
    expect(await copy(from.uid, [one.uid, two.uid], ['nimble'])).toMatchObject([
      { outcome: 'copied', restarts: [{ channel_id: channel.uid }] },
      { outcome: 'failed', changes: [] },
    ])
  })

  test('leaves room in the licence where a camera before is refused for something else, as is then done', async () => {
    const site = await t.make.site()
    const here = await t.make.nimble()
    const at = (host: string, nimble = here) =>
      t.make.device({ stream_address: `rtsp://198.51.100.${host}/stream1` }, site, nimble)
    const [from, other, same] = [await at('82', await small()), await at('83'), await at('82')]
    await admin.call('device.update', { device_id: from.uid, password: 'Lantern!Quay42' })
    await t.make.channel({}, other)
    const channel = await t.make.channel({}, same)
    const told = (dry_run: boolean) => copy(from.uid, [other.uid, same.uid], ['credentials', 'nimble'], { dry_run })
    const planned = await told(true)
    expect(planned).toMatchObject([
      { outcome: 'failed', error_code: 'password_again' },
      { outcome: 'copied', restarts: [{ channel_id: channel.uid }] },
    ])
    expect(await told(false)).toEqual(planned)
  })
})

test('what each stream is used for goes to cameras with the same streams, and to no others', async () => {
  const two = async (name: string, roles: [string, string], path = '/small') => {
    const device = await t.make.device({ stream_address: `rtsp://198.51.100.70/${name}` })
    const { device_source } = await get(device.uid)
    const [{ source_id, source_name, source_address }] = device_source
    const { status } = await admin.call('device.update', {
      device_id: device.uid,
      device_source: [
        { source_id, source_name, source_address, role: roles[0] },
        { source_name: 'Small', source_address: `${source_address}${path}`, role: roles[1] },
      ],
    })
    expect(status).toBe(200)
    return device
  }
  const from = await two('a', ['analytics', 'live'])
  const [same, swapped] = [await two('b', ['analytics', 'live']), await two('c', ['live', 'analytics'])]
  const single = await t.make.device({ stream_address: 'rtsp://198.51.100.70/d' })
  const to = [same.uid, swapped.uid, single.uid]
  const asked = { device_id: from.uid, to, settings: ['stream_roles'] }
  const { body } = await admin.call('device.copy', asked)
  expect(body.response.devices).toMatchObject([
    { outcome: 'unchanged' },
    {
      outcome: 'copied',
      changes: [
        { field: 'stream_role', before: 'live', after: 'analytics' },
        { field: 'stream_role', stream: 'Small', before: 'analytics', after: 'live' },
      ],
    },
    { outcome: 'failed', error_code: 'other_streams' },
  ])
  const { device_source } = await get(swapped.uid)
  expect(device_source.map(({ role }: { role: string }) => role)).toEqual(['analytics', 'live'])
})

describe('one tag for many cameras, in one call', () => {
  const tag = async (device_id: string[], key: string, value: string | null, who = admin) =>
    (await who.call('device.tag', { device_id, key, value })).body.response.devices.map(
      ({ outcome, error_code }: { outcome: string; error_code: string | null }) => error_code ?? outcome,
    )
  const tagsOf = async ({ uid }: { uid: string }) => (await get(uid)).device_tags

  test('is set or taken beside the other tags, each by itself', async () => {
    const one = await t.make.device({ tags: JSON.stringify({ floor: 'one', zone: 'A' }) })
    const bare = await t.make.device()
    const full = await t.make.device({
      tags: JSON.stringify(Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`tag ${i}`, 'x']))),
    })
    const foreign = await t.make.device(
      {},
      await t.make.site({}, await t.make.customer({}, await t.make.organization())),
    )
    const ids = [one.uid, bare.uid, full.uid, foreign.uid, bare.uid]
    expect(await tag(ids, 'floor', '2')).toEqual(['tagged', 'tagged', 'too_many', 'not_found'])
    expect([await tagsOf(one), await tagsOf(bare)]).toEqual([{ floor: '2', zone: 'A' }, { floor: '2' }])
    expect(await tag([one.uid, bare.uid, full.uid], 'floor', null)).toEqual(['tagged', 'tagged', 'tagged'])
    expect([await tagsOf(one), await tagsOf(bare)]).toEqual([{ zone: 'A' }, {}])
    expect(Object.keys(await tagsOf(full))).toHaveLength(32)
    expect(
      (await (await t.signIn('viewer')).call('device.tag', { device_id: [one.uid], key: 'a', value: 'b' })).status,
    ).toBe(403)
  })

  test('the trace says who was tagged with what, however many were asked for', async () => {
    const device = await t.make.device()
    await tag([device.uid, ...Array.from({ length: 430 }, () => crypto.randomUUID())], 'floor', 'attic')
    const { rows } = await t.services.db.owner((trx) =>
      sql<{ after: object }>`select after from trace where code = 'device.tag' order by id desc limit 1`.execute(trx),
    )
    expect(rows).toEqual([{ after: { key: 'floor', value: 'attic', tagged: 1, failed: 430, device_id: [device.uid] } }])
  })

  test('by several people at once: none of their tags is lost', async () => {
    const devices = [await t.make.device(), await t.make.device()]
    const ids = devices.map(({ uid }) => uid)
    const names = ['floor', 'zone', 'owner', 'since']
    await Promise.all(names.map((name, i) => tag(i % 2 ? ids : ids.toReversed(), name, 'x')))
    for (const device of devices) expect(Object.keys(await tagsOf(device)).toSorted()).toEqual(names.toSorted())
  })
})

test('a camera put in the place of another keeps ids, channels, zones and history, and the trace says what it was', async () => {
  const device = await t.make.device({ stream_address: 'rtsp://198.51.100.10/old', endpoint_uuid: 'urn:uuid:old' })
  const channel = await t.make.channel({}, device)
  await t.make.event(channel)
  const read = async () => {
    const [shown] = (await admin.call('channel.list', { device_id: device.uid })).body.response
    const { zones, channel_id, source_id, pipeline_id } = shown
    const events = (await admin.call('event.range', { type: 1, channel_id })).body.response
    return { channel_id, source_id, pipeline_id, zones, events }
  }
  const before = await read()
  expect([before.zones.length, before.events.length]).toEqual([1, 1])
  const swapped = await admin.call('device.update', {
    device_id: device.uid,
    stream_address: 'rtsp://198.51.100.20/new',
    UUID: 'urn:uuid:0F1E2D3C-4b5a-4697-8877-665544332211',
    username: 'root',
    password: 'Lantern!Quay42',
  })
  expect(swapped.body.response).toMatchObject({
    device_id: device.uid,
    UUID: '0f1e2d3c-4b5a-4697-8877-665544332211',
    stream_address: 'rtsp://198.51.100.20/new',
    device_source: [{ source_id: before.source_id, source_address: 'rtsp://198.51.100.20/new' }],
  })
  expect(await read()).toEqual(before)
  const row = await t.services.db.owner((trx) =>
    trx
      .selectFrom('trace')
      .selectAll()
      .where('object_uid', '=', device.uid)
      .where('code', '=', 'device.update')
      .executeTakeFirstOrThrow(),
  )
  expect(row.before).toMatchObject({ stream_address: 'rtsp://198.51.100.10/old', UUID: 'urn:uuid:old', username: null })
  expect(row.after).toMatchObject({
    stream_address: 'rtsp://198.51.100.20/new',
    UUID: '0f1e2d3c-4b5a-4697-8877-665544332211',
    password: '****',
  })
})

describe('a camera with two streams', () => {
  async function two() {
    const device = await t.make.device({ stream_address: 'rtsp://198.51.100.60/main' })
    const channel = await t.make.channel({}, device)
    await t.make.event(channel)
    const add = {
      device_id: device.uid,
      source_name: 'Sub',
      source_address: 'rtsp://198.51.100.60:554/sub',
      role: 'live',
    }
    const sub = (await admin.call('source.create', add)).body.response
    const { device_source } = await get(device.uid)
    const events = async () =>
      (await admin.call('event.range', { type: 1, channel_id: channel.uid })).body.response.length
    return { device_id: device.uid, main: device_source[0], sub, channel, events }
  }
  const shown = async (device_id: string) =>
    (await get(device_id)).device_source.map((one: { role: string; source_address: string; source_id: string }) => [
      one.role,
      one.source_address,
      one.source_id,
    ])

  test('follows its address with both: nothing is read from the old place any more', async () => {
    const { device_id, main, sub } = await two()
    const moved = { stream_address: 'rtsp://198.51.100.61:8554/live/1', username: 'root', password: 'new' }
    expect((await admin.call('device.update', { device_id, ...moved })).status).toBe(200)
    expect(await shown(device_id)).toEqual([
      ['both', 'rtsp://198.51.100.61:8554/live/1', main.source_id],
      ['live', 'rtsp://198.51.100.61:8554/sub', sub.source_id],
    ])
    // A new path at the same place says nothing of the other stream.
    await admin.call('device.update', { device_id, stream_address: 'rtsp://198.51.100.61:8554/live/2' })
    expect((await shown(device_id))[1][1]).toBe('rtsp://198.51.100.61:8554/sub')
  })

  test('gives its place to one with one stream: the small one goes, analytics and history stay', async () => {
    const { device_id, main, channel, events } = await two()
    const { body } = await admin.call('device.update', {
      ...{
        device_id,
        UUID: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        onvif_port: 8000,
        username: 'root',
        password: 'new',
      },
      device_source: [{ source_id: main.source_id, source_name: 'Main', source_address: 'rtsp://198.51.100.62/1' }],
    })
    expect(body.response).toMatchObject({
      ...{ stream_address: 'rtsp://198.51.100.62/1', UUID: '3fa85f64-5717-4562-b3fc-2c963f66afa6', onvif_port: 8000 },
      source_channels: [{ channel_id: channel.uid, source_id: main.source_id }],
    })
    expect(await shown(device_id)).toEqual([['both', 'rtsp://198.51.100.62/1', main.source_id]])
    expect(await events()).toBe(1)
  })

  test('gives its place to one with two: each takes its part, in one call', async () => {
    const { device_id, main, sub } = await two()
    await admin.call('device.update', {
      device_id,
      device_source: [
        {
          ...{ source_id: main.source_id, source_name: 'Main' },
          source_address: 'rtsp://198.51.100.63/1',
          role: 'analytics',
        },
        { ...{ source_id: sub.source_id, source_name: 'Sub' }, source_address: 'rtsp://198.51.100.63/2', role: 'live' },
        { source_name: 'Third', source_address: 'rtsp://198.51.100.63/3' },
      ],
    })
    expect(await shown(device_id)).toEqual([
      ['analytics', 'rtsp://198.51.100.63/1', main.source_id],
      ['live', 'rtsp://198.51.100.63/2', sub.source_id],
      ['both', 'rtsp://198.51.100.63/3', expect.any(String)],
    ])
  })

  test('keeps a stream that analytics run on, the default, and what is not its own; takes none twice, nor an address beside the list', async () => {
    const { device_id, main, sub, channel } = await two()
    const stranger = await two()
    const put = (...device_source: object[]) => admin.call('device.update', { device_id, device_source })
    const stream = (source_id: string | undefined, source_address = 'rtsp://198.51.100.64/1') => ({
      ...{ source_id, source_name: 'One', source_address },
    })
    expect((await put(stream(sub.source_id))).body.errors).toEqual({ device_source: ['default_required'] })
    expect((await put(stream(main.source_id), stream(stranger.sub.source_id))).body.errors).toEqual({
      'device_source.1.source_id': ['not_found'],
    })
    expect((await put(stream(main.source_id), stream(main.source_id))).body.errors).toEqual({
      'device_source.1.source_id': ['not_found'],
    })
    const both = { device_id, stream_address: main.source_address, device_source: [stream(main.source_id)] }
    expect((await admin.call('device.update', both)).body.errors).toEqual({ stream_address: ['address_or_streams'] })
    expect((await put(stream(main.source_id, 'rtsp://127.0.0.1/x'))).body.errors).toEqual({
      'device_source.0.source_address': ['address_refused'],
    })
    await admin.call('channel.refactor', { channel_id: channel.uid, source_id: sub.source_id })
    expect((await put(stream(main.source_id))).body.error_code).toBe('source_in_use')
    expect(await shown(device_id)).toHaveLength(2)
  })
})

describe('of a camera’s streams', () => {
  const stream = (role: string, more: object = {}) => ({
    source_name: `Stream ${role}`,
    source_address: `rtsp://198.51.100.30/${role}`,
    role,
    ...more,
  })

  test('one alone is for looking at and one alone for analytics, as they are added and changed', async () => {
    const device = await t.make.device()
    const add = async (role: string) => admin.call('source.create', { device_id: device.uid, ...stream(role) })
    const live = (await add('live')).body.response
    expect((await add('live')).body.errors).toEqual({ role: ['role_taken'] })
    const analytics = (await add('analytics')).body.response
    const change = (source_id: string, role: string) => admin.call('source.update', { source_id, role })
    expect((await change(analytics.source_id, 'live')).body.errors).toEqual({ role: ['role_taken'] })
    expect((await change(live.source_id, 'live')).status).toBe(200)
    expect((await change(live.source_id, 'both')).status).toBe(200)
    expect((await change(analytics.source_id, 'live')).status).toBe(200)
  })

  test('two of one role are refused with the camera itself', async () => {
    const { uid: site_id } = await t.make.site()
    const { uid: nimble_id } = await t.make.nimble()
    const draft = { device_name: 'Two', site_id, nimble_id, stream_address: 'rtsp://198.51.100.30/live' }
    const { body } = await admin.call('device.create', {
      ...draft,
      device_source: [stream('live'), stream('live', { source_address: 'rtsp://198.51.100.30/again' })],
    })
    expect(body.errors).toEqual({ 'device_source.1.role': ['role_taken'] })
  })
})
