/** The only two guards of the routes: who may see a screen, and where a failed load goes. */
import type { Permission } from '@sightline/domain'
import { notFound, redirect, rootRouteId, SearchParamError } from '@tanstack/react-router'
import { CallFailed } from '../api.ts'
import { i18n } from '../i18n/index.ts'
import { session } from '../session.ts'
import { report } from './client.ts'
import { notify } from './messages.ts'
import { modules } from './modules.ts'
import { judge } from './verdict.ts'

/** The screen is there, but the person may not see it: said in place, without a notification. */
const denied = { isDenied: true }
const deny = () => notFound({ data: denied, routeId: '/_app' })
/** Whether what was "not found" is only out of reach. */
export const isDenied = (data: unknown): boolean => data === denied

type Visit = { location: { pathname: string; href: string } }

/** `beforeLoad` of a screen behind the sign-in. */
export const requireModule =
  (rule: Permission) =>
  ({ location }: Visit): void => {
    const verdict = judge(session.get() ?? null, modules.get(), location.pathname, rule)
    if (verdict === 'login') throw redirect({ to: '/login', search: { next: location.href } })
    if (verdict === 'root') throw redirect({ to: '/' })
    if (verdict === 'denied') throw deny()
  }

/** When somebody was sent from a screen that failed to load to another, where they have not arrived yet. */
let fledAt: number | null = null
/** A screen that is only loaded in advance sends nobody anywhere: that is forgotten after so long. */
const flightMs = 30_000
/** To be called when a navigation has ended, wherever. */
export function landed(): void {
  fledAt = null
}

/**
 * `onError` of a screen: a failed load says its own message and goes where the reachability table sends it. Two
 * exceptions: a 403 is said in place, and what has no row in that table (`notFound`) shows the 404 page when it is gone.
 */
export const fallbackTo =
  (to: '/dashboard' | '/site' | '/configuration', options: { notFound?: boolean } = {}) =>
  (error: unknown): void => {
    if (error instanceof CallFailed) {
      if (error.code === 403) throw deny()
      // Without the shell, as every error page.
      if (error.code === 404 && options.notFound) throw notFound({ routeId: rootRouteId })
      if (error.code === 401)
        throw redirect({ to: '/login', search: { next: location.pathname + location.search }, replace: true })
    }
    // The way out leads nowhere either: the error shows in place, with a way to try again.
    if (fledAt !== null && Date.now() - fledAt < flightMs) return
    fledAt = Date.now()
    // An address that was cut or typed lacks what it is about.
    if (error instanceof SearchParamError) notify({ type: 'error', text: i18n.t('errorPage.incomplete') })
    else report(error)
    throw redirect({ to: to as '/' })
  }
