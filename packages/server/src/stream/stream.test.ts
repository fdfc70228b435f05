import type { StreamMessage } from '@sightline/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changed } from '../bus.ts'
import { usecaseUid } from '../db/seed.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { openStream } from '../testing/socket.ts'
import { tickMs } from './audience.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

const open = async (client: Awaited<ReturnType<TestApp['signIn']>>) => {
  const socket = await openStream(t, client)
  await socket.message((message) => message.type === 'hello')
  return socket
}
const isAbout = (id: string) => (message: StreamMessage) => message.type === 'changed' && message.id === id

test('what somebody changes is told to everyone who may see it, and to nobody else', async () => {
  const [site, other] = [await t.make.site(), await t.make.site()]
  const nimble = await t.make.nimble()
  const person = await t.make.user('user')
  await t.make.assign(person, { site })
  const [admin, user, outsider, superViewer] = await Promise.all([
    t.signIn('admin').then(open),
    t.signIn(person).then(open),
    t.signIn(await t.make.user('admin', {}, await t.make.organization())).then(open),
    t.signIn('super_viewer').then(open),
  ])
  const editor = await t.signIn('admin')
  const create = async (siteUid: string) => {
    const { body } = await editor.call('device.create', {
      device_name: 'Gate',
      site_id: siteUid,
      nimble_id: nimble.uid,
      stream_address: 'rtsp://192.168.1.7/x',
    })
    return body.response.device_id as string
  }
  const hidden = await create(other.uid)
  const seen = await create(site.uid)

  for (const socket of [admin, superViewer]) for (const id of [hidden, seen]) await socket.message(isAbout(id))
  await user.message(isAbout(seen))
  // Messages come in order: what was not told before the later one was not told at all.
  expect(user.messages.some(isAbout(hidden))).toBe(false)

  t.services.bus.publish(changed({ tenant_id: (await t.make.home()).tenant_id }, 'last', null))
  await user.message((message) => message.type === 'changed' && message.feature === 'last')
  expect(outsider.messages.map((message) => message.type)).toEqual(['hello'])
  await Promise.all([admin, user, outsider, superViewer].map((socket) => socket.close()))
})

test('an open list of another administrator hears of everything that one makes, changes, gives and removes', async () => {
  const editor = await t.signIn('super_admin')
  const other = await open(await t.signIn('super_admin'))
  const told = async (features: string[], ...call: Parameters<typeof editor.call>) => {
    const from = other.messages.length
    const { status, text, body } = await editor.call(...call)
    expect([call[0], status < 300 ? 'ok' : text]).toEqual([call[0], 'ok'])
    for (const feature of features)
      await other.message(
        (message) =>
          message.type === 'changed' && message.feature === feature && other.messages.indexOf(message) >= from,
      )
    return body.response
  }
  const { organization_id } = await told(['organization'], 'organization.create', { organization_name: 'Told Corp' })
  await told(['organization'], 'organization.update', { organization_id, raw_days: 9 })
  const { customer_id } = await told(['customer'], 'customer.create', { customer_name: 'Told' })
  await told(['customer'], 'customer.update', { customer_id, description: 'often' })
  const place = { customer_id, site_address: { site_timezone: 'America/Toronto' } }
  const { site_id } = await told(['site'], 'site.create', { site_name: 'Told', ...place })
  await told(['site'], 'site.update', { site_id, site_name: 'Told again' })
  await told(['site'], 'site.import', { sites: [{ site_name: 'Told too', ...place }] })
  const password = 'Correct-Horse-7'
  const named = { firstname: 'Ada', lastname: 'Told', username: 'ada.told', email: 'ada.told@example.org' }
  const secret = { password, confirm_password: password, role_key: 'user' }
  const { user_id } = await told(['user'], 'user.create', { ...named, ...secret })
  await told(['user'], 'user.update', { user_id, phone: '+15145550100' })
  const channel = await t.make.channel()
  const usecase_id = [usecaseUid('pplcnt')]
  for (const what of ['assign', 'unassign'] as const) {
    await told(['user'], `site.${what}`, { user_id, site_id: [site_id] })
    await told(['user', 'customer'], `customer.${what}`, { user_id, customer_id: [customer_id] })
    await told(['user'], `channel.${what}`, { user_id, channel_id: [channel.uid] })
    await told(['user', 'usecase'], `usecase.${what}`, { user_id, usecase_id })
  }
  await told(['usecase'], 'usecase.assign', { customer_id, usecase_id })
  await told(['bundle'], 'bundle.defaultsSet', { bundle_usecase: 'pplcnt', defaults: null })
  await told(['user'], 'user.delete', { user_id })
  for (const { site_id } of (await editor.call('site.list', { customer_id })).body.response)
    await told(['site'], 'site.delete', { site_id })
  await told(['customer'], 'customer.destroy', { customer_id })
  await told(['organization'], 'organization.delete', { organization_id })
  await other.close()
})

test('who is given something looks again at what they reach; nobody else is told to', async () => {
  const [person, beside] = [await t.make.user('user'), await t.make.user('user')]
  const [theirs, others] = [await open(await t.signIn(person)), await open(await t.signIn(beside))]
  const site = await t.make.site()
  await (await t.signIn('admin')).call('site.assign', { user_id: person.uid, site_id: [site.uid] })
  const isOf = (feature: string) => (message: StreamMessage) =>
    message.type === 'changed' && message.feature === feature
  await theirs.message(isOf('site'))
  t.services.bus.publish(changed({ tenant_id: site.tenant_id }, 'last', null))
  await others.message(isOf('last'))
  expect(others.messages.some(isOf('site'))).toBe(false)
  await Promise.all([theirs.close(), others.close()])
})

test('who was cut off misses nothing, if not for long', async () => {
  const viewer = await t.signIn('viewer')
  const { tenant_id } = await t.make.home()
  const first = await openStream(t, viewer)
  await first.message((message) => message.type === 'hello')
  await first.close()
  t.services.bus.publish(changed({ tenant_id }, 'meanwhile', null))
  await new Promise((resolve) => setTimeout(resolve, 2 * tickMs))
  const second = await openStream(t, viewer, first.cursor())
  await second.message((message) => message.type === 'changed' && message.feature === 'meanwhile')
  expect(second.messages[0]).toMatchObject({ type: 'hello', resumed: true })
  await second.close()
})

test('nobody signed in gets nothing', async () => {
  const socket = await openStream(t, t.stranger())
  expect(socket.messages).toEqual([])
  await socket.closed
})
