import type { EventEntity } from '@sightline/contract'
import { expect, test } from 'vitest'
import { type EventPages, goingOnTokens, withPage } from './pages.ts'

/** As far as the list looks at an event. */
const event = (event_uuid: string, ended_at: string | null = '2026-05-04T10:00:00Z', kind = 'open') =>
  ({ event_uuid, kind, occasion: { is_instant: false, ended_at, end_cause: null } }) as unknown as EventEntity

const list: EventPages = {
  pageParams: [undefined, 'b', 'd'],
  pages: [
    { events: [event('a'), event('b')], page: { total: 5, next_page_token: 'b' } },
    { events: [event('c', null), event('d')], page: { total: 5, next_page_token: 'd' } },
    { events: [event('e')], page: { total: 5, next_page_token: null } },
  ],
}
const ids = ({ pages }: EventPages) => pages.flatMap(({ events }) => events.map(({ event_uuid }) => event_uuid))

test('of a long list only the pages are read again on which something goes on', () => {
  expect(goingOnTokens(list)).toEqual(['b'])
})

test('a page that was read again takes its place, and the others stay', () => {
  const fresh = { events: [event('c'), event('d')], page: { total: 5, next_page_token: 'd' } }
  const next = withPage(list, 'b', fresh)
  expect(next.pages[1]).toBe(fresh)
  expect(next.pages[0]).toBe(list.pages[0])
  expect(goingOnTokens(next)).toEqual([])
})

test('nothing is listed twice or lost where events came while a page was read again', () => {
  const going = {
    ...list,
    pages: list.pages.with(0, { ...list.pages[0], events: [event('a', null), event('b')] } as never),
  }
  const next = withPage(going, undefined, {
    events: [event('new'), event('a')],
    page: { total: 6, next_page_token: 'a' },
  })
  expect(ids(next)).toEqual(['a', 'b', 'c', 'd', 'e'])
  // What was going on is known to be over all the same.
  expect(goingOnTokens(next)).toEqual(['b'])
})

test('on the last page what came is listed', () => {
  const next = withPage({ pageParams: [undefined], pages: list.pages.slice(0, 1) }, undefined, {
    events: [event('new'), event('a'), event('b')],
    page: { total: 6, next_page_token: null },
  })
  expect(ids(next)).toEqual(['new', 'a', 'b'])
})
