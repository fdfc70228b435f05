import type { LiveMessage } from '@sightline/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../scope.ts'
import type { Socket } from '../sockets.ts'
import { type TestApp, testApp } from '../testing/app.ts'
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
