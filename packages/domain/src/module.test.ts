import { describe, expect, test } from 'vitest'
import { screens, screensFor } from './module.ts'
import { roles } from './role.ts'

const pathsFor = (role: Parameters<typeof screensFor>[0]) => screensFor(role).map(({ path }) => path)

test('every path is written without trailing slash and stands once', () => {
  const paths = screens.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  for (const path of paths) expect(path).toMatch(/^\/([a-z0-9]+(\/[a-z0-9]+)?)?$/)
})

test('signed out, only sign-in, registration, support and the error pages are there, without any rule', () => {
  expect(pathsFor(null)).toEqual(['/', '/login', '/register', '/logout', '/support', '/400', '/404', '/500'])
  expect(screensFor(null).flatMap(({ rules }) => rules)).toEqual([])
})

test('signed in, the sign-in screens are gone', () => {
  for (const role of roles) expect(pathsFor(role)).not.toContain('/login')
})

describe('who gets where', () => {
  test.each([
    ['viewer', '/dashboard', true],
    ['viewer', '/channel/edit', false],
    ['user', '/channel/edit', true],
    ['user', '/customer', false],
    ['super_viewer', '/customer', true],
    ['admin', '/onboarding', false],
    ['super_admin', '/onboarding', true],
  ] as const)('%s to %s: %s', (role, path, reaches) => {
    expect(pathsFor(role).includes(path)).toBe(reaches)
  })
})

test('a screen says which of its change rules the caller satisfies', () => {
  const rulesAt = (role: 'super_viewer' | 'admin', path: string) =>
    screensFor(role).find((screen) => screen.path === path)?.rules
  expect(rulesAt('super_viewer', '/site/edit')).toEqual(['super_and_admin_access'])
  expect(rulesAt('admin', '/site/edit')).toEqual(['super_and_admin_access', 'edit'])
  expect(rulesAt('admin', '/license')).toEqual(['super_and_admin_access'])
})
