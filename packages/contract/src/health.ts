import { healths } from '@sightline/domain'
import * as z from 'zod'

/** Grade of anything watched; shown as success, warning and error colours, `unknown` as neutral. */
export const health = z.enum(healths)
export type Health = z.infer<typeof health>

/** A stretch of time in which a camera fared alike; `end` null: now. */
export const healthStretch = z.object({
  start: z.string(),
  end: z.string().nullable(),
  state: health,
  cause: z.string().nullable(),
})

/** When people are told that a camera of a site fails: after so many minutes of it. */
export const healthRule = z
  .object({ site_id: z.uuid(), grace_minutes: z.int(), is_active: z.boolean(), version: z.int() })
  .meta({ id: 'HealthRule' })
export type HealthRule = z.infer<typeof healthRule>

/**
 * Two signs that do not depend on each other stand behind "offline" (no picture, and a fresh connection that brought
 * none) and behind an edge server that is away (the link was lost, and it does not answer when called again).
 */
export const healthSign = z.object({
  sign: z.enum(['picture', 'connection', 'link', 'call']),
  /** Null: nobody knows. */
  is_bad: z.boolean().nullable(),
  /** Of the last picture, the last vain connection, the last contact, the last vain call. */
  at: z.string().nullable(),
})

export const siteHealth = z
  .object({
    site_id: z.uuid(),
    site_health: health,
    rule: healthRule,
    devices: z.array(
      z.object({
        device_id: z.uuid(),
        device_name: z.string(),
        device_health: health,
        health_cause: z.string().nullable(),
        /** Null: not noted yet. */
        since: z.string().nullable(),
        signs: z.array(healthSign),
      }),
    ),
  })
  .meta({ id: 'SiteHealth' })
export type SiteHealth = z.infer<typeof siteHealth>
