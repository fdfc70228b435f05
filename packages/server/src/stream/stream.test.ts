import type { StreamMessage } from '@sightline/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changed } from '../bus.ts'
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
