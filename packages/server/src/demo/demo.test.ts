import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DemoCamera } from '@sightline/contract'
import type { PortalSays, SimcamSays, ToPortal, ToSimcam } from '@sightline/contract/supervisor'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { createDemo, type ParentChannel } from './supervisor.ts'

const program = fileURLToPath(new URL('../../../simcam/src/main.ts', import.meta.url))

/** The portal's parent as the start command is one: it runs the simulated cameras and passes wishes on. */
function startCommand() {
  const channel = new EventEmitter()
  let simcam: ChildProcess | null = null
  let waiting: number[] = []
  let cameras: DemoCamera[] = []
  const tell = (message: ToPortal) => channel.emit('message', message)
  const ask = (request: number, message: ToSimcam) => {
    waiting.push(request)
    simcam ??= fork(program, { execArgv: [] }).on('message', (said: SimcamSays) => {
      if (said.type !== 'failed') cameras = said.cameras
      const answer = { type: 'demo' as const, cameras, ...(said.type === 'failed' && { error: said.sentence }) }
      const requests = waiting
      waiting = []
      for (const request of requests) tell({ ...answer, request })
    })
    simcam.send(message)
  }
  const parent: ParentChannel = {
    on: (event, listener) => channel.on(event, listener),
    send(message: PortalSays) {
      if (message.type === 'demo.start') ask(message.request, { type: 'start', count: message.count })
      else if (message.type === 'demo.list') tell({ type: 'demo', cameras, request: message.request })
      else if (message.type === 'demo.stop') ask(message.request, { type: 'stop' })
      else if (message.type === 'demo.fault')
        ask(message.request, { type: 'fault', UUID: message.UUID, fault: message.fault })
    },
  }
  return { parent, stop: () => simcam?.disconnect() }
}

const deviceOf = (t: TestApp, uid: string) =>
  t.services.db.owner((trx) => trx.selectFrom('device').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow())

describe('simulated cameras', () => {
  let t: TestApp
  let superAdmin: Client
  const command = startCommand()
  beforeAll(async () => {
    t = await testApp({}, { demo: createDemo(command.parent) })
    superAdmin = await t.signIn('super_admin')
  })
  afterAll(async () => {
    command.stop()
    await t.close()
  })

  test('start, may then be cameras of this machine, misbehave on demand, and stop', async () => {
    const started = await superAdmin.call('demo.start', { count: 2 })
    expect(started.status, started.text).toBe(200)
    const [camera] = started.body.response
    expect(camera).toMatchObject({ host: '127.0.0.1', fault: 'none', name: expect.any(String) })

    const site = await t.make.site()
    const nimble = await t.make.nimble({ is_local: true })
    const draft = { device_name: 'Demo', site_id: site.uid, nimble_id: nimble.uid }
    const added = await superAdmin.call('device.create', { ...draft, stream_address: camera.stream_address })
    expect(added).toMatchObject({ status: 201, body: { response: { is_demo: true } } })
    const besides = `rtsp://127.0.0.1:${camera.rtsp_port + 1000}/x`
    const refused = await superAdmin.call('device.create', { ...draft, device_name: 'X1', stream_address: besides })
    expect(refused.body.errors).toEqual({ stream_address: ['address_refused'] })

    const { body } = await superAdmin.call('demo.fault', { UUID: camera.UUID, fault: 'stall' })
    expect(body.response).toMatchObject({ UUID: camera.UUID, fault: 'stall' })
    expect((await superAdmin.call('demo.fault', { UUID: 'nobody', fault: 'stall' })).body.error_code).toBe(
      'demo_failed',
    )

    const device_id = added.body.response.device_id
    await t.make.channel({ name: 'Counts people', auto_recovery: true }, { ...(await deviceOf(t, device_id)) })
    const real = await t.make.device({}, site, nimble)
    const goes = { devices: [{ device_id, device_name: 'Demo' }], channels: [{ channel_name: 'Counts people' }] }
    const dry = await superAdmin.call('demo.stop', { dry_run: true })
    expect(dry.body.response).toMatchObject({ ...goes, running: 2 })
    expect((await superAdmin.call('device.get', { device_id })).status).toBe(200)
    expect((await superAdmin.call('demo.stop', {})).body.errors).toEqual({ dry_run: ['required'] })
    expect((await superAdmin.call('demo.stop', { dry_run: false })).body.response).toMatchObject(goes)
    expect((await superAdmin.call('device.get', { device_id })).status).toBe(404)
    expect((await superAdmin.call('device.get', { device_id: real.uid })).status).toBe(200)
    const left = await t.services.db.owner(async (trx) => ({
      channels: await trx.selectFrom('channel').select('uid').where('name', '=', 'Counts people').execute(),
      running: await superAdmin.call('demo.stop', { dry_run: true }),
    }))
    expect([left.channels, left.running.body.response]).toEqual([[], { devices: [], channels: [], running: 0 }])
    const late = await superAdmin.call('device.create', {
      ...draft,
      device_name: 'X2',
      stream_address: camera.stream_address,
    })
    expect(late.body.errors).toEqual({ stream_address: ['address_refused'] })
  })

  test('leave alone a camera that became a real one through its stream, and take one renamed after they stopped', async () => {
    const [camera] = (await superAdmin.call('demo.start', { count: 1 })).body.response
    const site = await t.make.site()
    const nimble = await t.make.nimble({ is_local: true })
    const add = async (device_name: string) => {
      const { stream_address } = camera
      const draft = { device_name, site_id: site.uid, nimble_id: nimble.uid, stream_address }
      return (await superAdmin.call('device.create', draft)).body.response
    }
    const [swapped, beside, chosen, stays] = [
      await add('Swapped'),
      await add('Beside'),
      await add('Chosen'),
      await add('Stays'),
    ]
    const source_address = 'rtsp://198.51.100.7/main'
    const [{ source_id }] = swapped.device_source
    expect((await superAdmin.call('source.update', { source_id, source_address })).status).toBe(200)
    for (const [{ device_id }, is_default] of [
      [beside, false],
      [chosen, true],
    ]) {
      const stream = { device_id, source_name: 'Real', source_address, role: 'live', is_default }
      expect((await superAdmin.call('source.create', stream)).status).toBe(201)
    }
    for (const [{ device_id }, is_demo] of [
      [swapped, false],
      [chosen, false],
      [stays, true],
    ])
      expect(await deviceOf(t, device_id)).toMatchObject({ is_demo })
    await command.parent.send?.({ type: 'demo.stop', request: 0 })
    await expect.poll(async () => (await superAdmin.call('demo.list')).body.response).toEqual([])
    const { device_id } = stays
    const renamed = await superAdmin.call('device.update', { device_id, device_name: 'Renamed' })
    expect(renamed.body.response).toMatchObject({ is_demo: true })
    expect((await superAdmin.call('demo.stop', { dry_run: false })).body.response.devices).toEqual([
      { device_id, device_name: 'Renamed' },
    ])
    for (const { device_id } of [swapped, beside, chosen])
      expect((await superAdmin.call('device.get', { device_id })).status).toBe(200)
  })

  test('are the super admin’s', async () => {
    for (const role of ['admin', 'super_viewer', 'viewer'] as const)
      expect((await (await t.signIn(role)).call('demo.start', { count: 1 })).status).toBe(403)
  })

  test.each([
    [0, 'greater_than:0'],
    [17, 'too_many'],
  ])('%i of them are refused', async (count, id) => {
    expect(await superAdmin.call('demo.start', { count })).toMatchObject({
      status: 400,
      body: { errors: { count: [id] } },
    })
  })
})

test('a portal that no start command runs says so', async () => {
  const t = await testApp()
  const superAdmin = await t.signIn('super_admin')
  const answer = await superAdmin.call('demo.start', { count: 1 })
  expect(answer).toMatchObject({
    status: 409,
    body: { error_code: 'demo_unavailable', message: expect.stringContaining('npm start') },
  })
  expect((await superAdmin.call('demo.list')).body.response).toEqual([])
  await t.close()
})
