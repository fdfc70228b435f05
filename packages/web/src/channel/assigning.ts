/** What a person sees by the analytics that were assigned to them: none assigned, all of their sites; else those alone. */
import type { User } from '@sightline/contract'

type Person = Pick<User, 'channel_ids' | 'site_ids' | 'customer_ids'>

/** Roles that assignments narrow; everybody above sees the whole organization. */
export const narrowedRoles = ['user', 'viewer'] as const

/** How many of these analytics a person was assigned; null when nothing was, and they see all of their sites. */
export function assignedOf({ channel_ids }: Person, ids: readonly string[]): number | null {
  return channel_ids.length === 0 ? null : ids.filter((id) => channel_ids.includes(id)).length
}

/** From all of their sites to what is assigned alone: the first assignment does it. */
export const isNarrowedBy = ({ channel_ids }: Person): boolean => channel_ids.length === 0

/** Back to all of their sites: taking away the last does it. */
export const isWidenedBy = ({ channel_ids }: Person, taken: readonly string[]): boolean =>
  channel_ids.length > 0 && channel_ids.every((id) => taken.includes(id))

/** Assigned analytics never widen what is seen: without a site there is nothing to see. */
export const hasNoSite = ({ site_ids, customer_ids }: Person): boolean =>
  site_ids.length === 0 && customer_ids.length === 0
