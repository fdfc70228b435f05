import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { session } from '../session.ts'
import { asksBeforeUnload, begin, mayLeave, type Work } from './leaving.ts'

const ids = ['cuid', 'sid', 'did', 'cid', 'nid'] as const

/** The page, and of what it is: another tab or step of it is no other place. */
const placeOf = ({ pathname, search }: { pathname: string; search: Partial<Record<string, unknown>> }): string =>
  [pathname, ...ids.map((id) => search[id])].join(' ')

/** Asks before this screen is left, or the tab closed, while something on it is not saved. */
export function useUnsaved(work: Work): void {
  const now = useRef(work)
  useEffect(() => {
    now.current = work
  })
  useEffect(
    () =>
      begin({
        isUnsaved: () => now.current.isUnsaved(),
        isSaving: () => now.current.isSaving?.() ?? false,
        forget: () => now.current.forget(),
        lost: () => now.current.lost?.() ?? [],
      }),
    [],
  )
  useBlocker({
    // Without a session there is nothing to stay for: the draft is kept, and the way leads to the sign-in.
    shouldBlockFn: async ({ current, next }) =>
      Boolean(session.get()) && placeOf(current) !== placeOf(next) && !(await mayLeave()),
    enableBeforeUnload: () => asksBeforeUnload(now.current),
  })
}
