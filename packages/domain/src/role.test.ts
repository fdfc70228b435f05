import { describe, expect, test } from 'vitest'
import {
  allows,
  grantable,
  may,
  type Permission,
  permissions,
  type Role,
  reachesEveryOrganization,
  roles,
} from './role.ts'

describe('the permission table, rule by rule', () => {
  const table: [Permission, Role[]][] = [
    ['super_admin_only', ['super_admin']],
    ['admin_and_above', ['super_admin', 'admin']],
    ['user_and_above', ['super_admin', 'admin', 'user']],
    ['super_viewer_and_above', ['super_admin', 'admin', 'user', 'super_viewer']],
    ['viewer_and_above', ['super_admin', 'admin', 'user', 'super_viewer', 'viewer']],
    ['super_access', ['super_admin', 'super_viewer']],
    ['super_and_admin_access', ['super_admin', 'admin', 'super_viewer']],
    ['edit', ['super_admin', 'admin']],
    ['user_edit', ['super_admin', 'admin', 'user']],
    ['delete', ['admin', 'user', 'super_viewer', 'viewer']],
    ['alert_activation', ['super_admin', 'admin', 'user']],
    ['super_nav', ['super_admin', 'super_viewer']],
    ['user_nav', ['super_admin', 'admin', 'user', 'super_viewer']],
    ['viewer_nav', ['super_admin', 'admin', 'user', 'super_viewer', 'viewer']],
  ]
  test.each(table)('%s: %j', (rule, who) => {
    expect(roles.filter((role) => may(role, rule)).sort()).toEqual([...who].sort())
  })
  test('holds these rules and no others', () => {
    expect(Object.keys(permissions).sort()).toEqual(table.map(([rule]) => rule).sort())
  })
})

test('nobody signed in satisfies no rule, and may call what is public', () => {
  for (const rule of Object.keys(permissions) as Permission[]) expect(may(null, rule)).toBe(false)
  expect(allows('public', null)).toBe(true)
  expect(allows('viewer_and_above', null)).toBe(false)
})

test('super roles reach every organization', () => {
  expect(roles.filter(reachesEveryOrganization)).toEqual(['super_admin', 'super_viewer'])
})

test('nobody gives a role that reaches further than their own', () => {
  expect(grantable).toEqual({
    super_admin: roles,
    admin: ['admin', 'user', 'viewer'],
    user: [],
    super_viewer: [],
    viewer: [],
  })
})
