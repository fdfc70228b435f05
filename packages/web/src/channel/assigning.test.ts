import { expect, test } from 'vitest'
import { assignedOf, hasNoSite, isNarrowedBy, isWidenedBy } from './assigning.ts'

const person = (channel_ids: string[]) => ({ channel_ids, site_ids: ['site'], customer_ids: [] })

test('a person without assigned analytics sees all, which is not the same as none of the chosen', () => {
  expect(assignedOf(person([]), ['a'])).toBeNull()
  expect(assignedOf(person(['b']), ['a'])).toBe(0)
  expect(assignedOf(person(['a', 'b']), ['a', 'c'])).toBe(1)
})

test('the first analytic narrows, and taking the last away widens again', () => {
  expect(isNarrowedBy(person([]))).toBe(true)
  expect(isNarrowedBy(person(['a']))).toBe(false)
  expect(isWidenedBy(person(['a', 'b']), ['a'])).toBe(false)
  expect(isWidenedBy(person(['a', 'b']), ['b', 'a', 'c'])).toBe(true)
  expect(isWidenedBy(person([]), ['a'])).toBe(false)
})

test('without a site or a customer there is nothing to see, whatever is assigned', () => {
  expect(hasNoSite({ channel_ids: ['a'], site_ids: [], customer_ids: [] })).toBe(true)
  expect(hasNoSite({ channel_ids: [], site_ids: [], customer_ids: ['customer'] })).toBe(false)
})
