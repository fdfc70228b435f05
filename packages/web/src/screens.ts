import type { Permission } from '@sightline/domain'
import type { en } from './i18n/en/index.ts'

/** Path of a screen, without language prefix. */
export type Path = keyof (typeof en)['screen']

/** Query ids of the portal's addresses; every one a UUID. */
export const idKeys = [
  'cuid',
  'sid',
  'did',
  'cid',
  'uid',
  'tid',
  'aid',
  'rid',
  'nid',
  'eid',
  'ntid',
  'usr',
  'lid',
] as const
export type IdKey = (typeof idKeys)[number]

type Group = 'monitor' | 'manage' | 'insight' | 'administration'

/** The menu, in our order. An entry shows when its path is in the server's module list and its rule holds. */
export const menu: readonly { group: Group; entries: readonly { path: Path; rule: Permission }[] }[] = [
  {
    group: 'monitor',
    entries: [
      { path: '/dashboard', rule: 'viewer_nav' },
      { path: '/analytic', rule: 'viewer_nav' },
      { path: '/event', rule: 'viewer_nav' },
      { path: '/notification', rule: 'viewer_nav' },
      { path: '/map', rule: 'viewer_nav' },
    ],
  },
  {
    group: 'manage',
    entries: [
      { path: '/customer', rule: 'super_and_admin_access' },
      { path: '/site', rule: 'viewer_nav' },
      { path: '/site/alert', rule: 'user_nav' },
      { path: '/site/schedule', rule: 'user_nav' },
    ],
  },
  {
    group: 'insight',
    entries: [
      { path: '/report', rule: 'user_nav' },
      { path: '/report/rule', rule: 'user_nav' },
    ],
  },
  {
    group: 'administration',
    entries: [
      { path: '/configuration', rule: 'super_and_admin_access' },
      { path: '/deployment', rule: 'super_nav' },
      { path: '/model', rule: 'super_and_admin_access' },
      { path: '/license', rule: 'super_and_admin_access' },
      { path: '/user', rule: 'super_and_admin_access' },
      { path: '/settings', rule: 'super_and_admin_access' },
      { path: '/settings/role', rule: 'super_admin_only' },
      { path: '/settings/bundle', rule: 'admin_and_above' },
      { path: '/status', rule: 'super_and_admin_access' },
      { path: '/trace', rule: 'super_and_admin_access' },
    ],
  },
]

/** Single keys after `g`, and where they go. */
export const gotoKeys: Readonly<Record<string, Path>> = {
  d: '/dashboard',
  s: '/site',
  e: '/event',
  n: '/notification',
  m: '/map',
}
