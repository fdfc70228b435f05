import { may, type Permission, type Role } from './role.ts'

/** A screen of the portal: its path without language prefix or trailing slash, and who gets there. */
export type Screen = {
  path: string
  module: string
  /** Who may navigate to it; `signed_out`: only before signing in. */
  nav: Permission | 'everyone' | 'signed_out'
  /** Rules that decide on the buttons of the screen. */
  change?: readonly Permission[]
}

/** Every screen of this version. What is not here does not exist: the portal redirects such a path to its root. */
export const screens: readonly Screen[] = [
  { path: '/', module: 'Root', nav: 'everyone' },
  { path: '/login', module: 'Login', nav: 'signed_out' },
  { path: '/register', module: 'Register', nav: 'signed_out' },
  { path: '/logout', module: 'Logout', nav: 'everyone' },
  { path: '/support', module: 'Support', nav: 'everyone' },
  { path: '/400', module: 'BadRequest', nav: 'everyone' },
  { path: '/404', module: 'NotFound', nav: 'everyone' },
  { path: '/500', module: 'GenericError', nav: 'everyone' },
  { path: '/onboarding', module: 'Onboarding', nav: 'super_admin_only' },
  { path: '/dashboard', module: 'Dashboard', nav: 'viewer_nav' },
  { path: '/analytic', module: 'AnalyticView', nav: 'viewer_nav' },
  { path: '/map', module: 'MapView', nav: 'viewer_nav' },

  { path: '/customer', module: 'Customer', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/customer/add', module: 'AddCustomer', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/customer/edit', module: 'EditCustomer', nav: 'super_and_admin_access', change: ['edit'] },

  { path: '/site', module: 'Site', nav: 'viewer_nav', change: ['edit'] },
  { path: '/site/detail', module: 'SiteDetail', nav: 'viewer_nav', change: ['edit'] },
  { path: '/site/view', module: 'SiteView', nav: 'viewer_nav' },
  { path: '/site/add', module: 'AddSite', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/site/onboard', module: 'OnboardSites', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/site/edit', module: 'EditSite', nav: 'super_and_admin_access', change: ['edit'] },

  { path: '/device', module: 'DeviceList', nav: 'viewer_nav', change: ['edit'] },
  { path: '/device/detail', module: 'DeviceID', nav: 'viewer_nav', change: ['edit'] },
  { path: '/device/view', module: 'CameraView', nav: 'viewer_nav' },
  { path: '/device/add', module: 'AddDevice', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/device/bulk', module: 'BulkCreateDevices', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/device/discover', module: 'DiscoverDevices', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/device/edit', module: 'EditDevice', nav: 'super_and_admin_access', change: ['edit'] },

  { path: '/channel', module: 'ChannelList', nav: 'viewer_nav', change: ['edit'] },
  { path: '/channel/detail', module: 'ChannelID', nav: 'viewer_nav', change: ['edit'] },
  { path: '/channel/add', module: 'AddChannel', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/channel/edit', module: 'EditChannel', nav: 'user_nav', change: ['edit'] },
  { path: '/channel/diagnostic', module: 'ChannelDiagnostic', nav: 'user_nav', change: ['user_edit', 'edit'] },

  { path: '/event', module: 'EventsList', nav: 'viewer_nav' },
  { path: '/event/detail', module: 'EventID', nav: 'viewer_nav' },
  { path: '/event/gallery', module: 'Gallery', nav: 'viewer_nav' },

  { path: '/configuration', module: 'Configurations', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/configuration/add', module: 'AddConfiguration', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/configuration/edit', module: 'EditConfiguration', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/configuration/detail', module: 'ConfigurationDetail', nav: 'super_and_admin_access', change: ['edit'] },
  { path: '/deployment', module: 'Deployment', nav: 'super_nav', change: ['super_admin_only'] },
  { path: '/model', module: 'Model', nav: 'viewer_nav', change: ['edit'] },
  { path: '/license', module: 'License', nav: 'super_and_admin_access', change: ['super_admin_only'] },
  { path: '/settings/role', module: 'RolePrivilege', nav: 'super_admin_only' },
  { path: '/settings/bundle', module: 'BundleDefaults', nav: 'admin_and_above', change: ['super_admin_only'] },
  { path: '/status', module: 'Status', nav: 'super_and_admin_access' },
  { path: '/user/profile', module: 'UserProfile', nav: 'viewer_nav' },
]

/** The screens that somebody of this role reaches (`null`: nobody signed in), each with the rules they satisfy there. */
export const screensFor = (role: Role | null): { path: string; module: string; rules: Permission[] }[] =>
  screens
    .filter(({ nav }) => (nav === 'everyone' ? true : nav === 'signed_out' ? role === null : may(role, nav)))
    .map(({ path, module, nav, change = [] }) => ({
      path,
      module,
      rules: [nav, ...change].filter((rule): rule is Permission => isRule(rule) && may(role, rule)),
    }))

const isRule = (rule: Screen['nav']): rule is Permission => rule !== 'everyone' && rule !== 'signed_out'
