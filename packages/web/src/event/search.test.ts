import { expect, test } from 'vitest'
import { eventSearch, filtersOf, isFiltered, noFilter, selectionOf, without } from './search.ts'

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const all = eventSearch.parse({
  ...{ sid: id, cid: id, uid: id, uc: 'pplcnt', key: 'total', show: 'all' },
  ...{ from: '2026-11-22T12:00:00Z', to: '2026-11-22T13:00:00Z' },
})

test('every filter of an address is told, and each goes by itself', () => {
  expect(filtersOf(all)).toEqual(['sid', 'uc', 'cid', 'key', 'show', 'period'])
  for (const one of filtersOf(all))
    expect(filtersOf({ ...all, ...without(one) })).toEqual(filtersOf(all).filter((other) => other !== one))
  expect({ ...all, ...without('cid') }.uid).toBeUndefined()
  expect(Object.values({ ...all, ...noFilter }).filter(Boolean)).toEqual([])
})

test('a site alone narrows the list; half a period of one’s own, or one that ends now, does not', () => {
  expect(isFiltered({ sid: id })).toBe(true)
  expect(filtersOf({ from: '2026-11-22T12:00:00Z' })).toEqual([])
  expect(filtersOf({ period: 'd7' })).toEqual([])
})

test('a period that ends now has both its ends where the list was read, however long it has been open since', () => {
  const readAt = Date.parse('2026-11-22T12:00:00Z')
  const asked = { start: '2026-11-22T11:00:00.000Z', end: '2026-11-22T12:00:00.000Z' }
  expect(selectionOf({ period: 'h1' }, null, readAt)).toMatchObject(asked)
  expect(selectionOf({}, null, readAt)).toMatchObject({ ...asked, start: '2026-11-21T12:00:00.000Z' })
  const own = { from: '2026-11-20T12:00:00Z', to: '2026-11-20T13:00:00Z' }
  expect(selectionOf(own, null, readAt)).toMatchObject({ start: own.from, end: own.to })
})
