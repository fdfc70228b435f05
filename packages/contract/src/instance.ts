import * as z from 'zod'
import { line, thing, uploaded } from './field.ts'
import { op } from './op.ts'

export const instanceInfo = z
  .object({
    instance_id: z.uuid(),
    name: z.string(),
    logo: z.string().nullable(),
    logo_dark: z.string().nullable(),
    default_language: z.enum(['en', 'fr']),
    default_dark: z.boolean(),
    map_center: z.object({ lat: z.number(), long: z.number(), zoom: z.number() }),
    support_contact: z.string(),
  })
  .meta({ id: 'Instance' })
export type InstanceInfo = z.infer<typeof instanceInfo>

export const instanceChange = z.strictObject({
  name: thing.optional(),
  logo: uploaded.nullable().optional(),
  logo_dark: uploaded.nullable().optional(),
  default_language: z.enum(['en', 'fr']).optional(),
  default_dark: z.boolean().optional(),
  map_center: z
    .strictObject({
      lat: z.number().min(-90).max(90),
      long: z.number().min(-180).max(180),
      zoom: z.number().min(0).max(22),
    })
    .optional(),
  support_contact: line().optional(),
})

export const instance = {
  info: op({
    method: 'GET',
    path: '/instance/info',
    summary: 'Name, logo and theme of this instance',
    access: 'public',
    input: z.strictObject({}),
    output: instanceInfo,
  }),
  update: op({
    method: 'PATCH',
    path: '/instance/update',
    summary: 'Change name, logo or theme of this instance',
    access: 'super_admin_only',
    input: instanceChange,
    output: instanceInfo,
  }),
}
