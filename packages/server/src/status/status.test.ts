import { roles, screensFor } from '@sightline/domain'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { multipart } from '../testing/multipart.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

describe('the application status', () => {
  test('says to anybody what there is, and nothing of the inside', async () => {
    const { status, body } = await t.stranger().call('status.get')
    expect(status).toBe(200)
    expect(body.response).toEqual({
      nimble_module: false,
      websocket_module: true,
      smtp_module: false,
      sms_module: false,
      is_onboarding: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      brand_name: 'Sightline',
      auth_providers: [],
      license_count: 1,
      issues_licenses: true,
    })
  })

  test('tells its details to admins alone', async () => {
    const detail = { is_detail: true }
    expect((await t.stranger().call('status.get', detail)).status).toBe(401)
    for (const role of ['user', 'super_viewer', 'viewer'] as const)
      expect((await (await t.signIn(role)).call('status.get', detail)).status).toBe(403)
    const nimble = await t.make.nimble({ name: 'Edge of the status' })
    const { body } = await (await t.signIn('admin')).call('status.get', detail)
    expect(body.response).toMatchObject({
      database: { row_security: true, version: expect.any(String) },
      jobs: { running: 0, waiting: 0, failed: 0, kinds: [] },
      tzdata: process.versions.tz,
    })
    const [disk] = body.response.disks
    expect(disk).toMatchObject({ path: t.services.env.dataDir, to_free_bytes: expect.any(Number) })
    expect(disk.free_bytes).toBeGreaterThan(0)
    expect(disk.use).toBeLessThan(1)
    expect(body.response.modules).toContainEqual({
      ...{ name: nimble.name, state: 'new', since: null, cause: null },
      ...{ nimble_id: nimble.uid, is_local: false, waiting_events: null },
    })
  })

  test('counts the long work of the organization by kind, what failed for a day', async () => {
    const user = await t.make.user('admin')
    const job = (kind: string, state: 'queued' | 'running' | 'failed' | 'completed', updated_at = new Date()) => ({
      ...{ tenant_id: user.tenant_id, uid: crypto.randomUUID(), kind, state, updated_at },
    })
    const old = new Date(Date.now() - 25 * 3_600_000)
    const rows = [
      ...[job('device.import', 'running'), job('device.import', 'queued'), job('device.import', 'completed')],
      ...[job('usecase.report', 'failed'), job('usecase.report', 'failed', old)],
    ]
    await t.services.db.owner((trx) => trx.insertInto('job').values(rows).execute())
    const { body } = await (await t.signIn(user)).call('status.get', { is_detail: true })
    expect(body.response.jobs).toEqual({
      ...{ running: 1, waiting: 1, failed: 1 },
      kinds: [
        { kind: 'device.import', running: 1, waiting: 1, failed: 0 },
        { kind: 'usecase.report', running: 0, waiting: 0, failed: 1 },
      ],
    })
  })
})

test('the module list is that of the caller’s role, and of a stranger without one', async () => {
  expect((await t.stranger().call('acl.list')).body.response).toEqual(screensFor(null))
  for (const role of roles)
    expect((await (await t.signIn(role)).call('acl.list')).body.response).toEqual(screensFor(role))
})

describe('the instance', () => {
  test('shows its name to anybody, and changes for a super_admin', async () => {
    const superAdmin = await t.signIn('super_admin')
    const { body } = await superAdmin.call('instance.update', { name: 'Tour de contrôle', default_language: 'fr' })
    expect(body.response).toMatchObject({ name: 'Tour de contrôle', default_language: 'fr', default_dark: false })
    expect((await t.stranger().call('instance.info')).body.response).toEqual(body.response)
    expect((await t.stranger().call('status.get')).body.response.brand_name).toBe('Tour de contrôle')
  })

  test('shows its logo to anybody from the moment it is the logo', async () => {
    const superAdmin = await t.signIn('super_admin')
    const file = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const { body } = await superAdmin.send({ method: 'POST', url: '/api/v1/upload', ...multipart({ file }) })
    const logo = body.response.path as string
    expect((await t.stranger().send({ url: logo })).status).toBe(401)
    expect((await superAdmin.call('instance.update', { logo })).status).toBe(200)
    expect((await t.stranger().send({ url: logo })).status).toBe(200)
    expect((await superAdmin.call('instance.update', { logo: '/evil/media/x' })).status).toBe(400)
  })
})
