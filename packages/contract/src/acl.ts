import { permissions } from '@sightline/domain'
import * as z from 'zod'
import { op } from './op.ts'

export const moduleItem = z
  .object({
    /** A path of the portal without language prefix or trailing slash. */
    path: z.string(),
    module: z.string(),
    /** The rules the caller satisfies there. */
    rules: z.array(z.enum(Object.keys(permissions) as [keyof typeof permissions])),
  })
  .meta({ id: 'Module' })
export type ModuleItem = z.infer<typeof moduleItem>

export const acl = {
  list: op({
    method: 'GET',
    path: '/acl/list',
    summary: 'Screens the caller can reach',
    access: 'public',
    input: z.strictObject({}),
    output: z.array(moduleItem),
  }),
}
