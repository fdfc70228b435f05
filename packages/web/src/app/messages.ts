/** Notifications: at most four on screen, the rest wait in a queue; what failed stays listed in the bell drawer. */
import { notificationDisplayMs } from '@sightline/domain'
import type { Message } from '../api-text.ts'
import { createStore } from '../store.ts'

export type Note = Message & {
  id: number
  /** How often the same text came while it was on screen or waiting. */
  count: number
  at: number
}

export type Messages = {
  shown: readonly Note[]
  queue: readonly Note[]
  /** Errors and warnings, newest first, until they are cleared: a notification that timed out is not lost. */
  kept: readonly Note[]
  /** Unread messages; reset when the drawer is opened. */
  badge: number
  /** The channel whose messages were cleared last, null for all. */
  cleared: { channelId: string | null } | null
}

export const shownAtOnce = 4
const keptAtMost = 50
export const noMessages: Messages = { shown: [], queue: [], kept: [], badge: 0, cleared: null }

const again = (notes: readonly Note[], same: Note) =>
  notes.map((note) => (note === same ? { ...note, count: note.count + 1 } : note))

/** Adds a message; the same text within the display time counts up instead of repeating itself. */
export function push(state: Messages, message: Message, id: number, at: number): Messages {
  const isSame = (note: Note) =>
    note.text === message.text && note.type === message.type && at - note.at < notificationDisplayMs
  const same = state.shown.find(isSame) ?? state.queue.find(isSame)
  if (same) return { ...state, shown: again(state.shown, same), queue: again(state.queue, same) }
  const note: Note = { ...message, id, count: 1, at }
  const isKept = message.type === 'error' || message.type === 'warning'
  const kept = isKept ? [note, ...state.kept].slice(0, keptAtMost) : state.kept
  const badge = isKept ? state.badge + 1 : state.badge
  return state.shown.length < shownAtOnce
    ? { ...state, kept, badge, shown: [...state.shown, note] }
    : { ...state, kept, badge, queue: [...state.queue, note] }
}

/** Takes a message off the screen and shows the next that waits. */
export function popNext(state: Messages, id: number): Messages {
  const [next, ...queue] = state.queue
  const shown = state.shown.filter((note) => note.id !== id)
  if (shown.length === state.shown.length) return state
  return next ? { ...state, shown: [...shown, next], queue } : { ...state, shown }
}

/** Replaces what is on screen and waiting, e.g. by nothing at sign-out. */
export const set = (state: Messages, notes: readonly Note[]): Messages => ({
  ...state,
  shown: notes.slice(0, shownAtOnce),
  queue: notes.slice(shownAtOnce),
})

/** Marks all as read, or those of one channel. */
export const clear = (state: Messages, channelId: string | null = null): Messages => ({
  ...state,
  badge: 0,
  cleared: { channelId },
})

export const messages = createStore<Messages>(noMessages)
let nextId = 1

export const notify = (message: Message): void => messages.set((now) => push(now, message, nextId++, Date.now()))
export const dismiss = (id: number): void => messages.set((now) => popNext(now, id))
