/** The only two guards of the routes: who may see a screen, and where a failed load goes. */
import type { ModuleItem, UserInfo } from '@sightline/contract'
import { may, type Permission } from '@sightline/domain'
import { notFound, redirect } from '@tanstack/react-router'
import { CallFailed } from '../api.ts'
import { session } from '../session.ts'
import { report } from './client.ts'
import { modules } from './modules.ts'

/** The screen is there, but the person's role may not see it: said in place, without a notification. */
export class AccessDenied extends Error {}

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

type Visit = { location: { pathname: string; href: string } }

/** `beforeLoad` of a screen behind the sign-in. */
export const requireModule =
  (rule: Permission) =>
  ({ location }: Visit): void => {
    const verdict = judge(session.get() ?? null, modules.get(), location.pathname, rule)
    if (verdict === 'login') throw redirect({ to: '/login', search: { next: location.href } })
    if (verdict === 'root') throw redirect({ to: '/' })
    if (verdict === 'denied') throw new AccessDenied()
  }

/**
 * `onError` of a screen: a failed load says its own message and goes where the reachability table sends it. Two
 * exceptions: a 403 is said in place, and what has no row in that table (`notFound`) shows the 404 page when it is gone.
 */
export const fallbackTo =
  (to: '/dashboard' | '/site' | '/configuration', options: { notFound?: boolean } = {}) =>
  (error: unknown): void => {
    if (error instanceof AccessDenied) throw error
    if (error instanceof CallFailed) {
      if (error.code === 403 || error.code === 401) throw error
      if (error.code === 404 && options.notFound) throw notFound()
    }
    report(error)
    throw redirect({ to: to as '/' })
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
