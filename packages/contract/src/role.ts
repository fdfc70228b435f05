import { privileges, roles } from '@sightline/domain'
import * as z from 'zod'
import { op } from './op.ts'

export const rolePrivilege = z
  .object({
    role_key: z.enum(roles),
    /** What the role holds beyond its permissions. */
    privileges: z.array(z.enum(privileges)),
    /** Active people of this role, in all organizations. */
    people: z.int(),
    version: z.int(),
  })
  .meta({ id: 'RolePrivilege' })
export type RolePrivilege = z.infer<typeof rolePrivilege>

export const role = {
  privilegeList: op({
    method: 'GET',
    path: '/role/privilege/list',
    summary: 'What each role may see beyond its permissions',
    access: 'super_access',
    input: z.strictObject({}),
    output: z.array(rolePrivilege),
  }),
  privilegeUpdate: op({
    method: 'PATCH',
    path: '/role/privilege',
    summary: 'Replace what a role may see beyond its permissions',
    access: 'super_admin_only',
    input: z.strictObject({
      role_key: z.enum(roles),
      privileges: z.array(z.enum(privileges)).max(privileges.length),
      version: z.int().optional(),
    }),
    output: rolePrivilege,
  }),
}
