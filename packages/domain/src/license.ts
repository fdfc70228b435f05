import { licenseExpiringDays } from './limits.ts'
import { type BundleKey, type UsecaseKey, usecases } from './usecase.ts'

/**
 * `upcoming`: it begins later, and until then takes no channel. `foreign`: signed by somebody whose keys no longer count
 * here; takes no channel either.
 */
export type LicenseState = 'valid' | 'foreign' | 'upcoming' | 'expiring' | 'expired' | 'exceeded'

const dayMs = 86_400_000

/** @param now milliseconds since the epoch */
export function licenseState(terms: LicenseTerms, now: number): LicenseState {
  const { isForeign, limit, used, validFrom, expiresAt } = terms
  if (isForeign) return 'foreign'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  if (validFrom !== null && validFrom > now) return 'upcoming'
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

/** What of a licence counts for further channels: times in milliseconds since the epoch, `bundles` null covers all. */
export type LicenseTerms = {
  isForeign: boolean
  limit: number
  used: number
  validFrom: number | null
  expiresAt: number | null
  bundles: readonly string[] | null
}

export type LicenseRefusal =
  | { code: 'license_foreign' | 'license_not_yet_valid' | 'license_expired' | 'license_limit' }
  | { code: 'license_bundle'; bundle: BundleKey }

/** The first bundle of these use cases that a licence does not cover; null when it covers all. @param bundles null covers all */
export function uncovered(bundles: LicenseTerms['bundles'], wanted: readonly UsecaseKey[]): BundleKey | null {
  if (bundles === null) return null
  return wanted.map((key) => usecases[key].bundle).find((bundle) => !bundles.includes(bundle)) ?? null
}

/**
 * Why a licence does not take so many more channels of these use cases; null when it does. Without any it says whether
 * there is room for one of whatever it covers. The portal refuses by it, and screens say it beforehand.
 */
export function licenseRefusal(terms: LicenseTerms, wanted: readonly UsecaseKey[], now: number): LicenseRefusal | null {
  const { isForeign, limit, used, validFrom, expiresAt } = terms
  if (isForeign) return { code: 'license_foreign' }
  if (validFrom !== null && validFrom > now) return { code: 'license_not_yet_valid' }
  if (expiresAt !== null && expiresAt <= now) return { code: 'license_expired' }
  if (used + Math.max(1, wanted.length) > limit) return { code: 'license_limit' }
  const bundle = uncovered(terms.bundles, wanted)
  return bundle && { code: 'license_bundle', bundle }
}

/** What keeps a licence from other terms: more channels than they allow, or of a bundle that they leave out. */
export function renewalRefusal(
  { limit, bundles }: Pick<LicenseTerms, 'limit' | 'bundles'>,
  inUse: readonly UsecaseKey[],
): { code: 'license_too_small' } | { code: 'license_bundle_in_use'; bundle: BundleKey } | null {
  if (inUse.length > limit) return { code: 'license_too_small' }
  const bundle = uncovered(bundles, inUse)
  return bundle && { code: 'license_bundle_in_use', bundle }
}
