import { useSyncExternalStore } from 'react'

/** A value with subscribers, for what lives outside React: session, messages, banner, live state. */
export type Store<T> = {
  get: () => T
  set: (next: T | ((now: T) => T)) => void
  subscribe: (listener: () => void) => () => void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      const changed = typeof next === 'function' ? (next as (now: T) => T)(value) : next
      if (Object.is(changed, value)) return
      value = changed
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The store's value, or a part of it; the part must be stable while the value is (no fresh objects). */
export function useStore<T>(store: Store<T>): T
export function useStore<T, P>(store: Store<T>, part: (value: T) => P): P
export function useStore<T, P>(store: Store<T>, part?: (value: T) => P): T | P {
  const read = () => (part ? part(store.get()) : store.get())
  return useSyncExternalStore(store.subscribe, read, read)
}
