import { licenseExpiringDays } from './limits.ts'
import { type BundleKey, type UsecaseKey, usecases } from './usecase.ts'

export type LicenseState = 'valid' | 'expiring' | 'expired' | 'exceeded'

const dayMs = 86_400_000

/** @param now, expiresAt milliseconds since the epoch; `expiresAt` null never ends */
export function licenseState(limit: number, used: number, expiresAt: number | null, now: number): LicenseState {
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  if (used > limit) return 'exceeded'
  if (expiresAt !== null && expiresAt - now <= licenseExpiringDays * dayMs) return 'expiring'
  return 'valid'
}

/** Whole days that are left, 0 on the last one and afterwards. Banners tell of 30, 7 and 1. */
export const daysUntil = (expiresAt: number, now: number): number => Math.max(0, Math.floor((expiresAt - now) / dayMs))

const stages = [licenseExpiringDays, 7, 1, 0]

/**
 * Which warning is due for a licence: the days of its stage (30, 7, 1; 0 once it has ended), null when none is. A
 * warning that was put away comes back with the next stage.
 */
export function expiryStage(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null
  return stages.findLast((days) => expiresAt - now <= days * dayMs) ?? null
}

/** The first bundle of these use cases that a licence does not cover; null when it covers all. @param bundles null covers all */
export function uncovered(bundles: readonly string[] | null, wanted: readonly UsecaseKey[]): BundleKey | null {
  if (bundles === null) return null
  return wanted.map((key) => usecases[key].bundle).find((bundle) => !bundles.includes(bundle)) ?? null
}

/** Why a licence takes no further channel, as a message id; null when it does. */
export function licenseRefusal(
  limit: number,
  used: number,
  validFrom: number | null,
  expiresAt: number | null,
  now: number,
): 'license_not_yet_valid' | 'license_expired' | 'license_limit' | null {
  if (validFrom !== null && validFrom > now) return 'license_not_yet_valid'
  if (expiresAt !== null && expiresAt <= now) return 'license_expired'
  return used >= limit ? 'license_limit' : null
}
