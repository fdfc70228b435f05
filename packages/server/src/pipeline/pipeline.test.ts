import { pipelineCatalog, pipelineDefaults } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let admin: Client
let nimble: Awaited<ReturnType<TestApp['make']['nimble']>>
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  nimble = await t.make.nimble()
})
afterAll(() => t.close())

let count = 0
const create = (more: object = {}) =>
  admin.call('pipeline.create', {
    pipeline_name: `Fast ${++count}`,
    nimble_id: nimble.uid,
    pipeline_usecase: 'pplcnt',
    ...more,
  })

test('a pipeline is the use case’s defaults with what was set over them; a list of elements is read too', async () => {
  const { status, body } = await create({ pipeline_elements: [{ key: 'decode.fps', value: 2 }] })
  expect(status).toBe(201)
  expect(body.response).toMatchObject({
    pipeline_reference_key: 'pplcnt',
    pipeline_elements: { ...pipelineDefaults('pplcnt'), 'decode.fps': 2 },
  })
})

test('unknown elements are refused by name, and values outside their range', async () => {
  const pipeline_elements = { 'decode.warp': 1, 'decode.fps': 'many', 'analytic.window_s': 0 }
  expect(await create({ pipeline_elements })).toMatchObject({
    status: 400,
    body: {
      errors: {
        'pipeline_elements.decode.warp': ['unknown_property'],
        'pipeline_elements.decode.fps': ['number'],
        'pipeline_elements.analytic.window_s': ['range:1:60'],
      },
    },
  })
})

test('a change leaves the other elements as they were', async () => {
  const { pipeline_id } = (await create({ pipeline_elements: { 'decode.fps': 2 } })).body.response
  const { body } = await admin.call('pipeline.update', { pipeline_id, pipeline_elements: { 'motion.width': 640 } })
  expect(body.response.pipeline_elements).toMatchObject({ 'decode.fps': 2, 'motion.width': 640 })
  expect((await admin.call('pipeline.update', { pipeline_id, pipeline_name: 'Late', version: 1 })).status).toBe(412)
})

test('names are unique at the edge server', async () => {
  const { pipeline_name } = (await create()).body.response
  expect(await create({ pipeline_name })).toMatchObject({
    status: 400,
    body: { errors: { pipeline_name: ['name_taken'] } },
  })
})

test('one that a channel runs stays', async () => {
  const device = await t.make.device({}, undefined, nimble)
  await t.make.channel({}, device)
  const [{ pipeline_id }] = (await admin.call('channel.list', { device_id: device.uid })).body.response
  expect((await admin.call('pipeline.delete', { pipeline_id })).body).toMatchObject({ error_code: 'pipeline_in_use' })
  const spare = (await create()).body.response.pipeline_id
  expect((await admin.call('pipeline.delete', { pipeline_id: spare })).status).toBe(200)
  expect((await admin.call('pipeline.get', { pipeline_id: spare })).status).toBe(404)
})

test('a list names the channels that run each, of an edge server or of a model, of one’s own organization', async () => {
  const own = await t.make.nimble()
  const device = await t.make.device({}, undefined, own)
  const channel = await t.make.channel({}, device)
  const spare = (await create({ nimble_id: own.uid, pipeline_name: 'Spare' })).body.response.pipeline_id
  type Row = { pipeline_id: string; channels: { channel_id: string }[] }
  const list = async (who: Client, input: object) => (await who.call('pipeline.list', input)).body.response as Row[]
  const rows = await list(admin, { nimble_id: own.uid })
  expect(rows).toHaveLength(2)
  expect(rows.find(({ pipeline_id }) => pipeline_id === spare)?.channels).toEqual([])
  expect(rows.find(({ pipeline_id }) => pipeline_id !== spare)?.channels).toMatchObject([
    { channel_id: channel.uid, device_id: device.uid },
  ])
  expect(await list(admin, { model_id: crypto.randomUUID() })).toEqual([])
  const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  expect((await outsider.call('pipeline.list', { nimble_id: own.uid })).status).toBe(404)
  expect((await list(outsider, {})).map(({ pipeline_id }) => pipeline_id)).not.toContain(spare)
})

test('a change raises the version of each channel that runs it, which is what the edge server is sent', async () => {
  const device = await t.make.device({}, undefined, nimble)
  const { uid: channel_id } = await t.make.channel({}, device)
  const versionOf = async () => {
    const { items } = (await admin.call('nimble.sync', { nimble_id: nimble.uid })).body.response
    return (
      (items as { id: string; desired_version: number }[]).find(({ id }) => id === channel_id)?.desired_version ?? 0
    )
  }
  const [{ pipeline_id }] = (await admin.call('channel.list', { device_id: device.uid })).body.response
  const before = await versionOf()
  await admin.call('pipeline.update', { pipeline_id, pipeline_elements: { 'decode.fps': 3 } })
  expect(await versionOf()).toBe(before + 1)
})

test('the catalogue lists every element, or the one asked for', async () => {
  const all = await admin.call('pipeline.catalog', { nimble_id: nimble.uid })
  expect(all.body.response).toHaveLength(pipelineCatalog.length)
  const one = await admin.call('pipeline.catalog', { nimble_id: nimble.uid, key: 'decode.fps' })
  expect(one.body.response).toMatchObject([{ key: 'decode.fps', min: 0.5, max: 25, unit: 'fps' }])
})

test('a refresh raises the version of what should run', async () => {
  const first = await admin.call('pipeline.refresh', { nimble_id: nimble.uid })
  const second = await admin.call('pipeline.refresh', { nimble_id: nimble.uid })
  expect(second.body.response.version).toBe(first.body.response.version + 1)
})

test('a viewer reads defaults and pipelines, and changes none', async () => {
  const { pipeline_id } = (await create()).body.response
  const viewer = await t.signIn('viewer')
  expect((await viewer.call('pipeline.get', { pipeline_id })).status).toBe(200)
  expect((await viewer.call('pipeline.defaults', { usecase_key: 'pplocc' })).body.response).toEqual({
    usecase_key: 'pplocc',
    pipeline_elements: pipelineDefaults('pplocc'),
  })
  expect((await viewer.call('pipeline.delete', { pipeline_id })).status).toBe(403)
  const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  expect((await outsider.call('pipeline.get', { pipeline_id })).status).toBe(404)
})
