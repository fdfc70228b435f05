/** Promises that cross all operations: who may is never refused for it, and no secret leaves by a side door. */
import type { OpId } from '@sightline/contract'
import { allows, roles } from '@sightline/domain'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSession } from './auth/store.ts'
import { rowOf, type TestApp, testApp } from './testing/app.ts'
import { nowhere, samples } from './testing/samples.ts'

let t: TestApp
const lines: string[] = []
beforeAll(async () => {
  t = await testApp({}, {}, { level: 'trace', stream: { write: (line: string) => void lines.push(line) } })
})
afterAll(() => t.close())

describe('whom the table allows a call is refused it neither as a stranger nor by role', () => {
  /** Refused by what is asked and not by who asks: giving a role that is not theirs to give, or registering twice. */
  const byContent: OpId[] = ['user.register', 'upload.public']
  const plain = (Object.keys(samples) as OpId[]).filter((id) => {
    const { kind, path } = rowOf(id)
    return kind === undefined && !path.includes('{') && !byContent.includes(id)
  })
  test.each(roles)(
    '%s',
    async (role) => {
      const refused: string[] = []
      for (const id of plain.filter((one) => allows(rowOf(one).access, role))) {
        const { status, body } = await (await t.signIn(role)).call(id, samples[id](nowhere()))
        const isRefused = status === 401 || (status === 403 && body.error_code === 'forbidden') || status === 500
        // A person of that name and password does not exist.
        if (isRefused && id !== 'auth.login') refused.push(`${id} ${status}`)
      }
      expect(refused).toEqual([])
    },
    60_000,
  )
})

test('no planted secret stands in the log, in traces, or in another answer', async () => {
  const admin = await t.signIn('super_admin')
  const planted = {
    password: 'Planted-Sesame-71',
    wrong: 'Planted-Wrong-72',
    changed: 'Planted-Changed-73',
    camera: 'Planted-Camera-74',
    probe: 'Planted-Probe-75',
    setup: 'Planted-Setup-76',
    license: 'SL1.UGxhbnRlZC1MaWNlbnNlLTc3.UGxhbnRlZA',
    machine: 'sgl_Planted-Machine-78',
    query: 'Planted-Query-79',
  }
  const names = { firstname: 'Ann', lastname: 'Lee', email: 'planted@example.org', username: 'planted' }
  await admin.call('user.create', { ...names, password: planted.password, confirm_password: planted.password })
  const browser = t.stranger()
  await browser.call('auth.login', { username: 'planted', password: planted.wrong })
  expect((await browser.call('auth.login', { username: 'planted', password: planted.password })).status).toBe(200)
  await browser.call('user.password', {
    current: planted.password,
    password: planted.changed,
    confirm_password: planted.changed,
  })
  const token = browser.cookie?.split('=')[1] as string
  const csrf = browser.csrf as string
  await t.stranger().call('user.register', {
    ...names,
    password: planted.changed,
    confirm_password: planted.changed,
    token: planted.setup,
  })
  await admin.call('license.create', { license_name: 'Planted', license_key: planted.license })
  await admin.call('user.info', {}, { headers: { 'x-portal': planted.machine } })
  await admin.send({ url: `/api/v1/customer/list?token=${planted.query}` })
  const nimble = await t.make.nimble()
  const { body } = await admin.call('device.create', {
    device_name: 'Planted',
    site_id: (await t.make.site()).uid,
    nimble_id: nimble.uid,
    stream_address: 'rtsp://198.51.100.77/stream',
    username: 'viewer',
    password: planted.camera,
  })
  const probed = {
    nimble_id: nimble.uid,
    address: 'rtsp://198.51.100.77/stream',
    username: 'v',
    password: planted.probe,
  }
  const probe = await admin.call('device.probe', probed)
  const seen = await admin.call('device.view', { device_id: body.response.device_id })
  // What nobody expects: an error in the middle of a call that carries a password.
  await t.services.db.owner((trx) => sql`alter table app_user rename column phone to hidden`.execute(trx))
  const failed = { ...names, email: 'x@example.org', username: 'failing' }
  await admin.call('user.create', { ...failed, password: planted.password, confirm_password: planted.password })
  await t.services.db.owner((trx) => sql`alter table app_user rename column hidden to phone`.execute(trx))

  const { rows } = await t.services.db.owner((trx) =>
    sql<{ row: string }>`select trace::text as row from trace`.execute(trx),
  )
  const places = { log: lines.join(''), traces: rows.map(({ row }) => row).join(''), answers: probe.text + seen.text }
  const secrets = Object.entries({ ...planted, token, csrf })
  expect(lines.some((line) => line.includes('unexpected error'))).toBe(true)
  for (const [place, text] of Object.entries(places))
    expect(
      secrets.filter(([, secret]) => text.includes(secret)).map(([name]) => name),
      place,
    ).toEqual([])
})

test('of ten who take the last session away at once one does, and a session token holds 256 bits', async () => {
  const user = await t.make.user('viewer')
  const from = { ip: '198.51.100.1', userAgent: 'test', method: 'form' } as const
  const { token, uid } = await t.services.db.instance((trx) =>
    openSession(trx, { tenantId: user.tenant_id, userId: user.id }, from),
  )
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  const admin = await t.signIn('super_admin')
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => admin.call('user.sessionRevoke', { session_id: uid })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
})

test('a body that would change what objects are is refused', async () => {
  const admin = await t.signIn('super_admin')
  for (const payload of ['{"constructor":{"prototype":{"is_admin":true}}}', '{"__proto__":{"is_admin":true}}']) {
    const headers = { 'content-type': 'application/json' }
    const { status } = await admin.send({ method: 'PUT', url: '/api/v1/customer/create', payload, headers })
    expect(status).toBe(400)
  }
  expect(({} as { is_admin?: boolean }).is_admin).toBeUndefined()
})
