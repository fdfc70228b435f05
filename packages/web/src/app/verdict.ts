/** Who may see what, as pure rules; `guards.ts` acts on them. */
import type { ModuleItem, UserInfo } from '@sightline/contract'
import { may, type Permission } from '@sightline/domain'

export type Verdict = 'open' | 'login' | 'root' | 'denied'

/** Paths in the module list have no trailing slash. */
export const bare = (pathname: string): string => (pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname)

/**
 * What becomes of a visit. A path that the server does not list leads to the root; one that it lists but whose rule
 * the person does not satisfy is shown as "no access". Signed out, whatever is not public leads to the sign-in.
 */
export function judge(user: UserInfo | null, list: readonly ModuleItem[], pathname: string, rule: Permission): Verdict {
  if (!user) return 'login'
  if (!list.some((item) => item.path === bare(pathname))) return 'root'
  return may(user.role_key, rule) ? 'open' : 'denied'
}

/** Where the root leads: to the dashboard, without one to the sites, signed out to the sign-in. */
export function rootTarget(user: UserInfo | null, list: readonly ModuleItem[]): '/login' | '/dashboard' | '/site' {
  if (!user) return '/login'
  return list.some((item) => item.path === '/dashboard') ? '/dashboard' : '/site'
}

/** Only an address of our own: `?next=` must not lead elsewhere. */
export function safeNext(next: string | undefined, origin: string): string {
  if (!next?.startsWith('/')) return '/'
  const url = URL.parse(next, origin)
  return url && url.origin === origin ? url.pathname + url.search + url.hash : '/'
}
