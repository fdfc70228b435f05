import { licenseExpiringDays } from './limits.ts'

export type LicenseState = 'valid' | 'expiring' | 'expired' | 'exceeded'

const dayMs = 86_400_000

/** @param now, expiresAt milliseconds since the epoch; `expiresAt` null never ends */
export function licenseState(limit: number, used: number, expiresAt: number | null, now: number): LicenseState {
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  if (used > limit) return 'exceeded'
  if (expiresAt !== null && expiresAt - now <= licenseExpiringDays * dayMs) return 'expiring'
  return 'valid'
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
