import type { StreamMessage } from '@sightline/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BusMessage } from '../bus.ts'
import type { Scope } from '../scope.ts'
import { closeCodes } from '../sockets.ts'
import { clientBacklogBytes, isVisible, streamClient, tickMs } from './client.ts'

const principal = { userId: 5, role: 'user' } as Scope['principal']
const user: Scope = { principal, tenantId: 1, siteIds: [10, 11], usecaseIds: null, channelUids: null }
const admin: Scope = { principal, tenantId: 1, siteIds: null, usecaseIds: null, channelUids: null }
const everywhere: Scope = { principal, tenantId: null, siteIds: null, usecaseIds: null, channelUids: null }

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
    event_uuid: uuid(Number(at)),
    observed_at: `2026-05-04T12:00:0${at}.000Z`,
  },
})
const changed = (siteId: number | null, tenantId = 1): BusMessage => ({
  tenantId,
  siteId,
  message: { type: 'changed', feature: 'device', id: null },
})

describe('who sees a message', () => {
  it.each([
    ['a user, their site', user, changed(10), true],
    ['a user, another site', user, changed(12), false],
    ['a user, what belongs to no site', user, changed(null), true],
    ['an admin, any site of theirs', admin, changed(12), true],
    ['an admin, another organization', admin, changed(12, 2), false],
    ['a super role, any organization', everywhere, changed(12, 2), true],
    ['oneself, one’s job', user, { ...changed(null), userId: 5 }, true],
    ['somebody else, one’s job', admin, { ...changed(null), userId: 6 }, false],
  ] as const)('%s', (_, scope, message, visible) => {
    expect(isVisible(scope, message)).toBe(visible)
  })
})

describe('a client of the stream', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function connect(scope: Scope) {
    const sent: StreamMessage[] = []
    const gone = new AbortController()
    const state = { buffered: 0, closed: null as number | null }
    const client = streamClient(
      {
        send: (message) => void sent.push(message),
        bufferedBytes: () => state.buffered,
        close: (code) => {
          state.closed = code
        },
        gone: gone.signal,
      },
      scope,
    )
    return { client, sent, state, gone }
  }

  it('gets one message a tick about one channel, with the records added up and the newest numbers', () => {
    const { client, sent } = connect(user)
    client.hear(event(1, '3', { total: 3, up: 1 }))
    client.hear(event(1, '2', { total: 2, down: 1 }))
    client.hear(event(2, '1', { total: 9 }))
    expect(sent).toEqual([])
    vi.advanceTimersByTime(tickMs)
    expect(sent).toMatchObject([
      { channel_id: uuid(1), records: 2, levels: { total: 3, up: 1, down: 1 }, event_uuid: uuid(3) },
      { channel_id: uuid(2), records: 1, levels: { total: 9 } },
    ])
    vi.advanceTimersByTime(10 * tickMs)
    expect(sent).toHaveLength(2)
  })

  it('hears no more of a site that was taken away', () => {
    const { client, sent } = connect(user)
    client.see({ ...user, siteIds: [11], usecaseIds: null, channelUids: null })
    client.hear(changed(10))
    vi.advanceTimersByTime(tickMs)
    expect(sent).toEqual([])
  })

  it('is cut when it does not read', () => {
    const { client, state } = connect(user)
    state.buffered = clientBacklogBytes + 1
    client.hear(changed(10))
    vi.advanceTimersByTime(tickMs)
    expect(state.closed).toBe(closeCodes.overloaded)
  })

  it('gets nothing after it went', () => {
    const { client, sent, gone } = connect(user)
    client.hear(changed(10))
    gone.abort()
    vi.advanceTimersByTime(tickMs)
    client.hear(changed(10))
    vi.advanceTimersByTime(tickMs)
    expect(sent).toEqual([])
  })
})
