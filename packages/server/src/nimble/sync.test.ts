import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { states } from '../testing/states.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const configuration = (nimble: { uid: string }) =>
  admin.call('setting.nimbleGet', { nimble_id: nimble.uid }).then(({ body }) => body.response)

describe('how far each piece is at an edge server', () => {
  test('saved while it is away, sent until it has applied it, running when it says so, refused with its reason', async () => {
    const nimble = await t.make.nimble()
    const device = await t.make.device({}, await t.make.site(), nimble)
    const stream = await t.make.sourceOf(device)
    if (!stream) throw new Error('no stream')
    const says = states(t.services.db)
    const steps = async () => {
      const { body } = await admin.call('nimble.sync', { nimble_id: nimble.uid })
      const { sync, items } = body.response
      return [sync, ...items.map((item: { step: string; cause: string | null }) => [item.step, item.cause])]
    }
    const desired = async () =>
      (await admin.call('nimble.status', { nimble_id: nimble.uid })).body.response.desired_version
    expect(await steps()).toEqual(['pending', ['saved', null]])
    await says.nimble(nimble, 'unreachable')
    expect(await steps()).toEqual(['unreachable', ['saved', 'nimble_unreachable']])
    await says.nimble(nimble, 'online')
    expect(await steps()).toEqual(['pending', ['sent', null]])
    await says.nimble(nimble, 'online', { applied_version: await desired() })
    expect(await steps()).toEqual(['in_sync', ['applied', null]])
    await says.source(stream, 'streaming', {})
    expect(await steps()).toEqual(['in_sync', ['running', null]])
    await says.source(stream, 'refused', { cause: 'not_h264:hevc' })
    expect(await steps()).toEqual(['in_sync', ['refused', 'not_h264:hevc']])
  })

  test('a stream that its edge server tells of by itself waits for nothing else', async () => {
    const nimble = await t.make.nimble()
    const device = await t.make.device({}, await t.make.site(), nimble)
    const stream = await t.make.sourceOf(device)
    if (!stream) throw new Error('no stream')
    const says = states(t.services.db)
    const item = async () => (await admin.call('nimble.sync', { nimble_id: nimble.uid })).body.response.items[0]
    // It has applied no configuration as a whole.
    await says.nimble(nimble, 'online')
    await says.source(stream, 'streaming', { version: stream.version })
    expect(await item()).toMatchObject({ kind: 'source', step: 'running', applied_version: stream.version })
    await admin.call('source.update', { source_id: stream.uid, source_name: 'Other' })
    const drifted = { step: 'sent', cause: 'version_behind', applied_version: stream.version }
    expect(await item()).toMatchObject({ ...drifted, desired_version: stream.version + 1 })
  })

  test('a pipeline tells its own step and version; a channel that is refused for its own sake does not hold it up', async () => {
    const nimble = await t.make.nimble()
    const device = await t.make.device({}, await t.make.site(), nimble)
    const first = await t.make.channel({}, device)
    const second = await t.make.channel({ pipeline_id: first.pipeline_id, usecase_id: first.usecase_id }, device)
    const says = states(t.services.db)
    const [{ pipeline_id }] = (await admin.call('channel.list', { device_id: device.uid })).body.response
    const item = async () =>
      (await admin.call('nimble.sync', { nimble_id: nimble.uid })).body.response.items.find(
        ({ id }: { id: string }) => id === pipeline_id,
      )
    const { version } = (await admin.call('pipeline.get', { pipeline_id })).body.response
    expect(await item()).toMatchObject({ kind: 'pipeline', step: 'saved', device_id: null, site_id: null, cause: null })
    await says.nimble(nimble, 'online')
    expect(await item()).toMatchObject({ step: 'sent', applied_version: null, desired_version: version })
    await says.channel(first, 'refused', { cause: 'no_zone', pipeline_version: version })
    await says.channel(second, 'running', { pipeline_version: version })
    expect(await item()).toMatchObject({ step: 'running', applied_version: version, cause: null })
    await admin.call('pipeline.update', { pipeline_id, pipeline_elements: { 'decode.fps': 3 } })
    const drifted = { step: 'sent', cause: 'version_behind', applied_version: version }
    expect(await item()).toMatchObject({ ...drifted, desired_version: version + 1 })
  })

  test('an earlier edge server does not say the versions of pipelines: its channels show it', async () => {
    const nimble = await t.make.nimble()
    const channel = await t.make.channel({}, await t.make.device({}, await t.make.site(), nimble))
    const says = states(t.services.db)
    await says.nimble(nimble, 'online')
    await says.channel(channel, 'running')
    const item = async () =>
      (await admin.call('nimble.sync', { nimble_id: nimble.uid })).body.response.items.find(
        ({ kind }: { kind: string }) => kind === 'pipeline',
      )
    const { id, desired_version } = await item()
    expect(await item()).toMatchObject({ step: 'running', applied_version: desired_version })
    await admin.call('pipeline.update', { pipeline_id: id, pipeline_elements: { 'decode.fps': 3 } })
    expect(await item()).toMatchObject({ step: 'sent', applied_version: null })
  })

  test('a channel of which not even the version could be read is refused, and not behind', async () => {
    const nimble = await t.make.nimble()
    const channel = await t.make.channel({}, await t.make.device({}, await t.make.site(), nimble))
    const says = states(t.services.db)
    await says.nimble(nimble, 'online')
    await says.channel(channel, 'refused', { cause: 'not_understood', version: null })
    const { body } = await admin.call('nimble.sync', { nimble_id: nimble.uid })
    const item = body.response.items.find(({ id }: { id: string }) => id === channel.uid)
    expect(item).toMatchObject({ step: 'refused', cause: 'not_understood', applied_version: null })
  })

  test('a pipeline that nothing runs is not sent, and says so to those who see the whole edge server', async () => {
    const nimble = await t.make.nimble()
    const site = await t.make.site()
    const used = await t.make.channel({}, await t.make.device({}, site, nimble))
    const spare = await t.make.pipeline('pplcnt', nimble)
    const { body } = await admin.call('nimble.sync', { nimble_id: nimble.uid })
    const item = body.response.items.find(({ id }: { id: string }) => id === spare.uid)
    expect(item).toMatchObject({ step: 'saved', cause: 'pipeline_unused', applied_version: null })
    const person = await t.make.user('viewer')
    await t.make.assign(person, { site })
    const theirs = await (await t.signIn(person)).call('nimble.sync', { nimble_id: nimble.uid })
    const kinds = theirs.body.response.items.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['source', 'pipeline', 'channel'])
    expect(used.pipeline_id).not.toBe(spare.id)
  })

  test('shows people only the cameras that they reach', async () => {
    const nimble = await t.make.nimble()
    const [mine, other] = [await t.make.site(), await t.make.site()]
    const device = await t.make.device({}, mine, nimble)
    await t.make.device({}, other, nimble)
    const person = await t.make.user('viewer')
    await t.make.assign(person, { site: mine })
    const { body } = await (await t.signIn(person)).call('nimble.sync', { nimble_id: nimble.uid })
    expect(body.response.items.map((item: { device_id: string }) => item.device_id)).toEqual([device.uid])
  })

  test('cannot be sent again while it is away: says so at once', async () => {
    const nimble = await t.make.nimble()
    const { status, body } = await admin.call('nimble.resend', { nimble_id: nimble.uid })
    expect([status, body.error_code]).toEqual([503, 'nimble_unreachable'])
  })
})

describe('the configuration as one document', () => {
  test('is replaced whole: what is left out is as in the example; licence and cameras stay', async () => {
    const nimble = await t.make.nimble({ retry_times: 7, connection_timeout: 90 })
    await t.make.device({}, await t.make.site(), nimble)
    const before = await configuration(nimble)
    expect(before).toMatchObject({ retry_times: 7, connection_timeout: 90 })
    const { name, address, port } = before
    const { status, body } = await admin.call('nimble.override', {
      nimble_id: nimble.uid,
      configuration: { name, address, port, sinks: [] },
      version: before.version,
    })
    expect(status).toBe(200)
    expect(body.response).toMatchObject({ retry_times: -1, connection_timeout: 60, sinks: [] })
    expect(body.response.license_id).not.toBeNull()
    expect((await admin.call('nimble.sync', { nimble_id: nimble.uid })).body.response.items).toHaveLength(1)
  })

  test('goes and comes back the same', async () => {
    const nimble = await t.make.nimble()
    const before = await configuration(nimble)
    const { body } = await admin.call('setting.nimbleSet', { ...before, connection_timeout: 120 })
    expect(body.response).toEqual({ ...before, connection_timeout: 120, version: before.version + 1 })
    expect(await configuration(nimble)).toEqual(body.response)
  })

  test.each([
    ['an older state', { version: 0 }, 412, undefined],
    ['a timeout out of range', { connection_timeout: 59 }, 400, { connection_timeout: ['timeout_range'] }],
    ['the address of this portal', { address: '127.0.0.1' }, 400, { address: ['address_refused'] }],
  ])('refuses %s', async (_, change, status, errors) => {
    const nimble = await t.make.nimble({ address: '198.51.100.11' })
    const answer = await admin.call('setting.nimbleSet', { ...(await configuration(nimble)), ...change })
    expect([answer.status, answer.body.errors]).toEqual([status, errors])
  })

  test('refuses a name or an address and port that another has', async () => {
    const [nimble, other] = [await t.make.nimble(), await t.make.nimble({ address: '198.51.100.12' })]
    const own = await configuration(nimble)
    const theirs = await configuration(other)
    const set = async (change: object) => (await admin.call('setting.nimbleSet', { ...own, ...change })).body.errors
    expect(await set({ name: theirs.name.toUpperCase() })).toEqual({ name: ['name_taken'] })
    expect(await set({ address: theirs.address, port: theirs.port })).toEqual({ address: ['address_taken'] })
  })
})
