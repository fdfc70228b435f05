import type { LiveMessage } from '@sightline/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { noteHealth } from '../nimble/health.ts'
import { saveSources } from '../nimble/states.ts'
import type { Scope } from '../scope.ts'
import type { Socket } from '../sockets.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { openSocket } from '../testing/socket.ts'
import { states } from '../testing/states.ts'
import { until } from '../testing/until.ts'
import { live } from './handlers.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

/** A viewer of a camera with two channels. Answers whether it may go on once it is looked at again. */
async function open(usecaseIds: Scope['usecaseIds'] = null) {
  const device = await t.make.device()
  const channels = [
    await t.make.channel({ usecase_key: 'pplcnt', name: 'A' }, device),
    await t.make.channel({ usecase_key: 'pplcnt', name: 'B' }, device),
  ] as const
  const person = await t.make.user('user')
  const scope = {
    principal: person as never,
    tenantId: device.tenant_id,
    siteIds: null,
    usecaseIds,
    channelUids: null,
  } satisfies Scope
  const gone = new AbortController()
  const { promise, resolve } = Promise.withResolvers<Parameters<Socket<LiveMessage>['recheck']>[0]>()
  const socket: Socket<LiveMessage> = {
    send: () => undefined,
    sendText: () => undefined,
    sendBytes: () => undefined,
    bufferedBytes: () => 0,
    close: () => gone.abort(),
    gone: gone.signal,
    recheck: (allowed) => {
      resolve(allowed)
      return () => undefined
    },
  }
  const ctx = { app: t.services, scope } as unknown as Parameters<typeof live.open>[1]
  await live.open({ device_id: device.uid, mode: 'fmp4' } as Parameters<typeof live.open>[0], ctx, socket)
  const recheck = await promise
  return { device, channels, again: (now: Partial<Scope> = {}) => recheck({ ...scope, ...now }) }
}

describe('a viewer of the live picture', () => {
  test('goes on while they see the same, also when a channel gets another name', async () => {
    for (const usecaseIds of [null, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]]) {
      const { channels, again } = await open(usecaseIds)
      expect(await again()).toBe(true)
      await t.services.db.owner((trx) =>
        trx.updateTable('channel').set({ name: 'Z' }).where('uid', '=', channels[0].uid).execute(),
      )
      expect(await again()).toBe(true)
    }
  })

  test('is cut off when their use cases are narrowed or widened, also to or from none of this camera', async () => {
    const { channels, again } = await open()
    expect(await again({ usecaseIds: [] })).toBe(false)
    expect(await again({ usecaseIds: [channels[0].usecase_id] })).toBe(false)
    const none = await open([])
    expect(await none.again({ usecaseIds: null })).toBe(false)
  })
})

test('a camera is shown by another of its streams while the one meant for it gives no picture, and that is said', async () => {
  const [site, nimble, admin] = [await t.make.site(), await t.make.nimble(), await t.signIn('admin')]
  const device = await t.make.device({}, site, nimble)
  const [first, small] = [await t.make.sourceOf(device), await t.make.source({ role: 'live' }, device)]
  const main = first as typeof small
  const report = states(t.services.db)
  await report.nimble(nimble, 'online')
  const fares = async (now: 'streaming' | 'offline') => {
    await report.source(small, now)
    const messages = await noteHealth(t.services.db, { tenantId: nimble.tenant_id, id: nimble.id }, true, null)
    for (const message of messages) t.services.bus.publish(message)
  }
  await report.source(main, 'streaming')
  await fares('streaming')

  const joined = vi.spyOn(t.services.links, 'live')
  const page = await openSocket<LiveMessage>(t, admin, `/live?device_id=${device.uid}`)
  const feeds = () => joined.mock.calls.map(([, sourceUid]) => sourceUid)
  const isFallback = async () => {
    const said = page.messages.length
    joined.mock.lastCall?.[3].started('video/mp4')
    await until(() => page.messages.length > said, 'it is told what begins')
    return page.messages.findLast((message) => message.type === 'started')?.is_fallback
  }
  await until(() => feeds().length === 1, 'it is opened')
  expect(feeds()).toEqual([small.uid])
  expect(await isFallback()).toBe(false)

  await fares('offline')
  await until(() => feeds().length === 2, 'it is shown by the other')
  expect(feeds()[1]).toBe(main.uid)
  expect(await isFallback()).toBe(true)

  await fares('streaming')
  await until(() => feeds().length === 3, 'it is shown by its own again')
  expect(feeds()[2]).toBe(small.uid)
  expect(await isFallback()).toBe(false)

  // Who opens it meanwhile gets the other at once; nobody was cut off.
  await fares('offline')
  await until(() => feeds().length === 4, 'it is shown by the other again')
  const late = await openSocket<LiveMessage>(t, admin, `/live?device_id=${device.uid}`)
  await until(() => feeds().length === 5, 'it is opened once more')
  expect(feeds().slice(3)).toEqual([main.uid, main.uid])
  await Promise.all([page.close(), late.close()])
  expect((await page.closed).code).toBe(1005)
  joined.mockRestore()
})

test('it is shown again as soon as one of its streams is back, although the camera fares as before', async () => {
  const [site, nimble, admin] = [await t.make.site(), await t.make.nimble(), await t.signIn('admin')]
  const device = await t.make.device({}, site, nimble)
  const [first, small] = [await t.make.sourceOf(device), await t.make.source({ role: 'live' }, device)]
  const target = { ...nimble, tenantId: nimble.tenant_id } as never
  await states(t.services.db).nimble(nimble, 'online')
  const figures = { codec: null, width: null, height: null, fps: null, last_frame_at: null, failed_at: null }
  const fares = async (uid: string, state: 'streaming' | 'refused') => {
    const cause = state === 'refused' ? 'not_h264:hevc' : null
    const said = { ...figures, source_id: uid, state, cause, reconnects: 0, drops: 0 }
    const messages = await saveSources(t.services.db, target, [said])
    const health = await noteHealth(t.services.db, target, true, [device.uid])
    for (const message of [...messages, ...health]) t.services.bus.publish(message)
    return health
  }
  const main = (first as typeof small).uid
  await fares(main, 'refused')
  await fares(small.uid, 'refused')

  const joined = vi.spyOn(t.services.links, 'live')
  const page = await openSocket<LiveMessage>(t, admin, `/live?device_id=${device.uid}`)
  const feeds = () => joined.mock.calls.map(([, sourceUid]) => sourceUid)
  await until(() => feeds().length === 1, 'it is opened')
  expect(await fares(main, 'streaming')).toEqual([])
  await until(() => feeds().length === 2, 'it is shown by the other')
  expect(feeds()).toEqual([small.uid, main])
  await page.close()
  joined.mockRestore()
})
