import type { UserInfo } from '@sightline/contract'
import { may, type Permission } from '@sightline/domain'
import { createStore, useStore } from './store.ts'

/** Who is signed in; null when nobody is, undefined until the first answer of `GET /user/info`. */
export const session = createStore<UserInfo | null | undefined>(undefined)

export const csrfToken = (): string | null => session.get()?.csrf_token ?? null

/** The signed-in person. Only for screens behind the guard. */
export function useUser(): UserInfo {
  const user = useStore(session)
  if (!user) throw new Error('This screen needs a signed-in person.')
  return user
}

/** Whether the signed-in person satisfies a rule of the permission table; nobody satisfies none. */
export const useMay = (rule: Permission): boolean => useStore(session, (user) => may(user?.role_key ?? null, rule))
