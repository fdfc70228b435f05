import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UserInfo } from '@sightline/contract'
import { type Permission, type Role, roles, screens, screensFor } from '@sightline/domain'
import { describe, expect, test } from 'vitest'
import { bare, judge, rootTarget, safeNext, type Verdict } from './verdict.ts'

const as = (role_key: Role) => ({ role_key }) as UserInfo
const listOf = (role: Role | null) => screensFor(role)

describe('a visit', () => {
  const rows: [who: Role | null, path: string, rule: Permission, verdict: Verdict][] = [
    [null, '/site', 'viewer_nav', 'login'],
    [null, '/nowhere', 'viewer_nav', 'login'],
    ['viewer', '/site', 'viewer_nav', 'open'],
    ['viewer', '/site/', 'viewer_nav', 'open'],
    ['viewer', '/nowhere', 'viewer_nav', 'root'],
    ['viewer', '/customer', 'super_and_admin_access', 'root'],
    ['super_viewer', '/site/add', 'edit', 'denied'],
    ['super_viewer', '/configuration', 'super_and_admin_access', 'open'],
    ['admin', '/site/add', 'edit', 'open'],
    ['admin', '/onboarding', 'super_admin_only', 'root'],
    ['super_admin', '/onboarding', 'super_admin_only', 'open'],
  ]
  test.each(rows)('of %s to %s under %s: %s', (who, path, rule, verdict) => {
    expect(judge(who && as(who), listOf(who), path, rule)).toBe(verdict)
  })
})

test('a listed path whose rule is not satisfied is "no access", not the root', () => {
  const list = [{ path: '/secret', module: 'Secret', rules: [] }]
  expect(judge(as('viewer'), list, '/secret', 'edit')).toBe('denied')
})

test('the trailing slash of a path does not matter, the root keeps its own', () => {
  expect([bare('/site/'), bare('/site'), bare('/')]).toEqual(['/site', '/site', '/'])
})

test('the root leads to the dashboard, without one to the sites, signed out to the sign-in', () => {
  expect(rootTarget(as('viewer'), listOf('viewer'))).toBe('/dashboard')
  expect(rootTarget(as('viewer'), [])).toBe('/site')
  expect(rootTarget(null, listOf(null))).toBe('/login')
})

test.each([
  ['/site?sid=1', '/site?sid=1'],
  [undefined, '/'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('after the sign-in, next=%s leads to %s', (next, target) => {
  expect(safeNext(next, 'https://portal.example')).toBe(target)
})

/** Screens by the path table of the design: who may navigate to it. A form asks for the right to change. */
const rules: Record<string, Permission> = {
  '/onboarding': 'super_admin_only',
  '/dashboard': 'viewer_nav',
  '/analytic': 'viewer_nav',
  '/map': 'viewer_nav',
  '/customer': 'super_and_admin_access',
  '/customer/add': 'edit',
  '/customer/edit': 'edit',
  '/site': 'viewer_nav',
  '/site/detail': 'viewer_nav',
  '/site/view': 'viewer_nav',
  '/site/add': 'edit',
  '/site/onboard': 'edit',
  '/site/edit': 'edit',
  '/device': 'viewer_nav',
  '/device/detail': 'viewer_nav',
  '/device/view': 'viewer_nav',
  '/device/add': 'edit',
  '/device/bulk': 'edit',
  '/device/discover': 'edit',
  '/device/edit': 'edit',
  '/channel': 'viewer_nav',
  '/channel/detail': 'viewer_nav',
  '/channel/add': 'edit',
  '/channel/edit': 'user_nav',
  '/channel/diagnostic': 'user_nav',
  '/settings/role': 'super_admin_only',
  '/settings/bundle': 'admin_and_above',
  '/event': 'viewer_nav',
  '/event/detail': 'viewer_nav',
  '/event/gallery': 'viewer_nav',
  '/configuration': 'super_and_admin_access',
  '/configuration/add': 'edit',
  '/configuration/edit': 'edit',
  '/configuration/detail': 'super_and_admin_access',
  '/deployment': 'super_nav',
  '/license': 'super_and_admin_access',
  '/model': 'viewer_nav',
  '/status': 'super_and_admin_access',
  '/user/profile': 'viewer_nav',
}

const folder = new URL('../routes', import.meta.url).pathname
const routes = new Map(
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const id = /create(?:File)Route\('([^']*)'\)/.exec(text)?.[1] ?? file
      return [bare(id.replace(/^\/_app/, '') || '/'), text]
    }),
)

test.each(screens.filter(({ nav }) => nav !== 'everyone' && nav !== 'signed_out').map(({ path }) => path))(
  '%s has a route with its guard, and says where a failed load leads',
  (path) => {
    const text = routes.get(path)
    expect(text, 'a route file').toBeDefined()
    expect(text).toContain(`requireModule('${rules[path]}')`)
    if (/\bloader:/.test(text ?? '')) expect(text).toMatch(/onError: fallbackTo\(/)
  },
)

test('every role that a screen lists for reaches it, or is told that it may not change', () => {
  for (const role of roles)
    for (const { path } of listOf(role)) {
      const rule = rules[path]
      if (rule) expect(['open', 'denied']).toContain(judge(as(role), listOf(role), path, rule))
    }
})
