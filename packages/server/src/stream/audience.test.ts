import type { StreamFrame, StreamMessage } from '@sightline/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BusMessage, createBus } from '../bus.ts'
import type { Scope } from '../scope.ts'
import { closeCodes } from '../sockets.ts'
import { clientBacklogBytes, covers, createAudiences, tickMs } from './audience.ts'

const principal = { userId: 5, role: 'user' } as Scope['principal']
const user: Scope = { principal, tenantId: 1, siteIds: [10, 11], usecaseIds: null, channelUids: null }
const admin: Scope = { ...user, siteIds: null }
const everywhere: Scope = { ...admin, tenantId: null }
const as = (userId: number, scope: Scope): Scope => ({ ...scope, principal: { ...principal, userId } })

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const event = (channel: number, at: string, levels: Record<string, number>): BusMessage => ({
  tenantId: 1,
  siteId: 10,
  message: {
    type: 'event',
    channel_id: uuid(channel),
    site_id: uuid(10),
    usecase_key: 'pplcnt',
    records: 1,
    opened: 0,
    levels,
    window_s: 5,
    event_uuid: uuid(Number(at)),
    observed_at: `2026-05-04T12:00:0${at}.000Z`,
  },
})
const changed = (siteId: number | null, tenantId = 1, feature = 'device'): BusMessage => ({
  tenantId,
  siteId,
  message: { type: 'changed', feature, id: null },
})

it.each([
  ['a user, their site', user, changed(10), true],
  ['a user, another site', user, changed(12), false],
  ['a user, what belongs to no site', user, changed(null), true],
  ['an admin, any site of theirs', admin, changed(12), true],
  ['an admin, another organization', admin, changed(12, 2), false],
  ['a user, a channel of theirs', { ...user, channelUids: [uuid(1)] }, event(1, '1', {}), true],
  ['a user, another channel', { ...user, channelUids: [uuid(2)] }, event(1, '1', {}), false],
  ['a super role, any organization', everywhere, changed(12, 2), true],
] as const)('in reach: %s', (_, scope, message, visible) => {
  expect(covers(scope)(message)).toBe(visible)
})

describe('a client of the stream', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const hello = { time: '2026-05-04T12:00:00.000Z', version: '1' }
  function portal() {
    const bus = createBus()
    const audiences = createAudiences(bus)
    const connect = (scope: Scope, after?: string) => {
      const frames: StreamFrame[] = []
      const gone = new AbortController()
      const state = { buffered: 0, closed: null as number | null }
      const socket = {
        sendText: (utf8: Uint8Array) => void frames.push(JSON.parse(Buffer.from(utf8).toString())),
        bufferedBytes: () => state.buffered,
        close: (code: number) => {
          state.closed = code
        },
        gone: gone.signal,
      }
      const see = audiences.join(socket, scope, hello, after)
      const told = (): StreamMessage[] =>
        frames.flatMap(({ messages }) => messages).filter(({ type }) => type !== 'hello')
      const isResumed = () => frames[0]?.messages[0]?.type === 'hello' && frames[0].messages[0].resumed
      return { see, frames, told, isResumed, cursor: () => frames.at(-1)?.cursor, state, leave: () => gone.abort() }
    }
    return { tell: bus.publish, connect }
  }
  const tick = () => void vi.advanceTimersByTime(tickMs)

  it('gets one frame a tick, in it one message about a channel, with the records added up and the newest numbers', () => {
    const { tell, connect } = portal()
    const client = connect(user)
    tell(event(1, '3', { total: 3, up: 1 }))
    tell(event(1, '2', { total: 2, down: 1 }))
    tell(event(2, '1', { total: 9 }))
    expect(client.told()).toEqual([])
    tick()
    expect(client.frames).toHaveLength(2)
    expect(client.told()).toMatchObject([
      { channel_id: uuid(1), records: 2, levels: { total: 3, up: 1 }, event_uuid: uuid(3) },
      { channel_id: uuid(2), records: 1, levels: { total: 9 } },
    ])
    vi.advanceTimersByTime(10 * tickMs)
    expect(client.frames).toHaveLength(2)
  })

  it('gets of one person’s messages only its own, together with what all see', () => {
    const { tell, connect } = portal()
    const [mine, other] = [connect(as(5, admin)), connect(as(6, admin))]
    tell({ ...changed(null, 1, 'mine'), userId: 5 })
    tell({ ...changed(null, 1, 'other'), userId: 6 })
    tell({ ...changed(null, 1, 'mine'), userId: 7 })
    tell(changed(null, 1, 'all'))
    tick()
    expect(mine.told()).toMatchObject([{ feature: 'mine' }, { feature: 'all' }])
    expect(other.told()).toMatchObject([{ feature: 'other' }, { feature: 'all' }])
  })

  it('hears no more of a site that was taken away', () => {
    const { tell, connect } = portal()
    const client = connect(user)
    client.see({ ...user, siteIds: [11] })
    tell(changed(10))
    tick()
    expect(client.told()).toEqual([])
    tell(changed(11))
    tick()
    expect(client.told()).toHaveLength(1)
  })

  it('is cut when it does not read, and the others are not', () => {
    const { tell, connect } = portal()
    const [slow, quick] = [connect(user), connect(user)]
    slow.state.buffered = clientBacklogBytes + 1
    tell(changed(10))
    tick()
    expect(slow.state.closed).toBe(closeCodes.overloaded)
    expect(quick.state.closed).toBeNull()
  })

  it('gets nothing after it went', () => {
    const { tell, connect } = portal()
    const client = connect(user)
    tell(changed(10))
    client.leave()
    tick()
    client.see(admin)
    tell(changed(10))
    tick()
    expect(client.told()).toEqual([])
  })

  it('that comes back in time is told what it missed, once and in order, and nothing of another person', () => {
    const { tell, connect } = portal()
    const client = connect(as(5, user))
    tell(changed(10, 1, 'before'))
    tick()
    const after = client.cursor()
    client.leave()
    for (const feature of ['one', 'two']) {
      tell(changed(10, 1, feature))
      tell({ ...changed(10, 1, `${feature} of another`), userId: 6 })
      tell({ ...changed(10, 1, `${feature} of mine`), userId: 5 })
      tell(changed(12, 1, 'out of reach'))
      tick()
    }
    const again = connect(as(5, user), after)
    expect(again.isResumed()).toBe(true)
    expect(again.told().map((message) => message.type === 'changed' && message.feature)).toEqual([
      'one',
      'one of mine',
      'two',
      'two of mine',
    ])
    // And from there on as everybody.
    expect(connect(as(5, user), again.cursor()).told()).toEqual([])
    tell(changed(10, 1, 'later'))
    tick()
    expect(again.told()).toHaveLength(5)
  })

  it.each<[string, (tell: (message: BusMessage) => void, cursor: string) => string]>([
    [
      'too late',
      (_, cursor) => {
        vi.advanceTimersByTime(61_000)
        return cursor
      },
    ],
    [
      'after more than is kept',
      (tell, cursor) => {
        for (let i = 0; i < 12_000; i++) tell(changed(10, 1, `${'x'.repeat(100)}${i}`))
        tick()
        tell(changed(10))
        tick()
        return cursor
      },
    ],
    ['with a cursor of another portal', () => 'AAAAAAAAAAAA.1'],
    ['with a cursor of the future', (_, cursor) => cursor.replace(/\d+$/, '99')],
    ['with a cursor that is none', () => 'x'],
  ])('that comes back %s is told to read again', (_, wait) => {
    const one = portal()
    const client = one.connect(user)
    one.tell(changed(10))
    tick()
    const cursor = client.cursor() as string
    client.leave()
    const again = one.connect(user, wait(one.tell, cursor))
    expect(again.isResumed()).toBe(false)
    expect(again.told()).toEqual([])
  })

  it('finds less kept where many see different things, since all of it together is bounded', () => {
    const told = (clients: number) => {
      const { tell, connect } = portal()
      const client = connect(user)
      for (let i = 1; i < clients; i++) connect({ ...user, siteIds: [100 + i] })
      tell(changed(10))
      tick()
      const after = client.cursor()
      client.leave()
      for (let i = 0; i < 10; i++) {
        tell(changed(10, 1, `${'x'.repeat(50_000)}${i}`))
        tick()
      }
      return connect(user, after).isResumed()
    }
    expect([told(2), told(100)]).toEqual([true, false])
  })

  it('that went takes no room from the others, whatever it would reach by now', () => {
    const { tell, connect } = portal()
    const [client, gone] = [connect(user), connect(as(6, user))]
    gone.leave()
    for (let i = 1; i < 100; i++) gone.see({ ...user, siteIds: [100 + i] })
    tell(changed(10))
    tick()
    const after = client.cursor()
    client.leave()
    for (let i = 0; i < 10; i++) {
      tell(changed(10, 1, `${'x'.repeat(50_000)}${i}`))
      tick()
    }
    expect(connect(user, after).isResumed()).toBe(true)
  })

  it('that reaches something else by now is told to read again', () => {
    const { tell, connect } = portal()
    const client = connect(admin)
    tell(changed(12))
    tick()
    client.leave()
    const again = connect(user, client.cursor())
    expect(again.isResumed()).toBe(false)
    expect(again.told()).toEqual([])
  })
})
