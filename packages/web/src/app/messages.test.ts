import { notificationDisplayMs } from '@sightline/domain'
import { expect, test } from 'vitest'
import { clear, type Messages, noMessages, popNext, push, set, shownAtOnce } from './messages.ts'

const fill = (count: number, type: 'success' | 'error' = 'success'): Messages =>
  Array.from({ length: count }).reduce<Messages>(
    (state, _, index) => push(state, { type, text: `message ${index}` }, index, 0),
    noMessages,
  )
const texts = (notes: Messages['shown']) => notes.map((note) => note.text)

test('four messages show at once, the others wait in order', () => {
  const state = fill(6)
  expect(texts(state.shown)).toEqual(['message 0', 'message 1', 'message 2', 'message 3'])
  expect(texts(state.queue)).toEqual(['message 4', 'message 5'])
})

test('a message that goes makes room for the next that waits', () => {
  const state = popNext(fill(6), 1)
  expect(texts(state.shown)).toEqual(['message 0', 'message 2', 'message 3', 'message 4'])
  expect(texts(state.queue)).toEqual(['message 5'])
})

test('taking away a message that is gone already changes nothing', () => {
  const state = fill(5)
  expect(popNext(state, 99)).toBe(state)
})

test('the same text within the display time counts up, later it is a new message', () => {
  const once = push(noMessages, { type: 'error', text: 'gone' }, 1, 0)
  const twice = push(once, { type: 'error', text: 'gone' }, 2, notificationDisplayMs - 1)
  expect(twice.shown).toMatchObject([{ text: 'gone', count: 2 }])
  const later = push(once, { type: 'error', text: 'gone' }, 3, notificationDisplayMs)
  expect(later.shown).toHaveLength(2)
})

test('the same text of another type is another message', () => {
  const state = push(fill(1), { type: 'warning', text: 'message 0' }, 9, 0)
  expect(state.shown).toHaveLength(2)
})

test('what waits counts up too', () => {
  const state = push(fill(5), { type: 'success', text: 'message 4' }, 9, 10)
  expect(state.queue).toMatchObject([{ text: 'message 4', count: 2 }])
})

test('errors stay listed and raise the badge after their message is gone, successes do not', () => {
  const state = popNext(fill(1, 'error'), 0)
  expect(state).toMatchObject({ shown: [], badge: 1, kept: [{ text: 'message 0' }] })
  expect(fill(2).badge).toBe(0)
})

test('clearing resets the badge and says for which channel', () => {
  expect(clear(fill(2, 'error'), 'c1')).toMatchObject({ badge: 0, cleared: { channelId: 'c1' } })
})

test('setting replaces what shows and what waits', () => {
  const { shown, queue } = set(noMessages, [...fill(6).shown, ...fill(6).queue])
  expect([shown.length, queue.length]).toEqual([shownAtOnce, 2])
  expect(set(fill(6), [])).toMatchObject({ shown: [], queue: [] })
})
