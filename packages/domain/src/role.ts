/** Roles and the permission table of the specification, section 6: one table for server and screens. */

export const roles = ['super_admin', 'admin', 'user', 'super_viewer', 'viewer'] as const
export type Role = (typeof roles)[number]

/** Each rule of the table with the roles that satisfy it. */
export const permissions = {
  super_admin_only: ['super_admin'],
  admin_and_above: ['super_admin', 'admin'],
  user_and_above: ['super_admin', 'admin', 'user'],
  super_viewer_and_above: ['super_admin', 'admin', 'user', 'super_viewer'],
  viewer_and_above: ['super_admin', 'admin', 'user', 'super_viewer', 'viewer'],
  super_access: ['super_admin', 'super_viewer'],
  super_and_admin_access: ['super_admin', 'admin', 'super_viewer'],
  edit: ['super_admin', 'admin'],
  user_edit: ['super_admin', 'admin', 'user'],
  /** Governs leaving: removing one's own association, never destroying data. */
  delete: ['admin', 'user', 'super_viewer', 'viewer'],
  alert_activation: ['super_admin', 'admin', 'user'],
  super_nav: ['super_admin', 'super_viewer'],
  user_nav: ['super_admin', 'admin', 'user', 'super_viewer'],
  viewer_nav: ['super_admin', 'admin', 'user', 'super_viewer', 'viewer'],
} as const satisfies Record<string, readonly Role[]>
export type Permission = keyof typeof permissions

/** Permissions are evaluated only while signed in: nobody (`null`) satisfies none. */
export const may = (role: Role | null, permission: Permission): boolean =>
  role !== null && (permissions[permission] as readonly Role[]).includes(role)

/** Who may call an operation: `public` needs no session. */
export type AccessRule = 'public' | Permission

export const allows = (access: AccessRule, role: Role | null): boolean => access === 'public' || may(role, access)

/** super_admin and super_viewer reach every organization of the instance. */
export const reachesEveryOrganization = (role: Role): boolean => may(role, 'super_access')

/** Roles that a person of `role` may give to others; super_viewer ranks above admin because it sees every organization. */
export const grantable: Record<Role, readonly Role[]> = {
  super_admin: roles,
  admin: ['admin', 'user', 'viewer'],
  user: [],
  super_viewer: [],
  viewer: [],
}
