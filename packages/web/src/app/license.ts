import type { License } from '@sightline/contract'
import { type LicenseRefusal, licenseRefusal, type UsecaseKey } from '@sightline/domain'
import { portalNow } from './clock.ts'

export type LicenseRoom = {
  /** The licence of the edge server; null when it has none. */
  license: License | null
  /** How many more channels it takes now; 0 when it takes none. */
  left: number
  /** Why it takes none, as a message id. */
  why: LicenseRefusal['code'] | 'license_missing' | null
}

/** What the licence of an edge server takes of a use case, or of whatever it covers, by the portal's own rule. */
export function licenseRoom(
  licenses: readonly License[],
  nimbleId: string | null,
  usecase: UsecaseKey | null,
): LicenseRoom {
  const license = licenses.find(({ nimble_ids }) => nimbleId !== null && nimble_ids.includes(nimbleId)) ?? null
  if (!license) return { license, left: 0, why: 'license_missing' }
  const time = (moment: string | null) => (moment === null ? null : Date.parse(moment))
  const { channel_limit: limit, channels_used: used } = license
  const terms = {
    isForeign: license.state === 'foreign',
    limit,
    used,
    validFrom: time(license.valid_from),
    expiresAt: time(license.expires_at),
    bundles: license.bundles,
  }
  const why = licenseRefusal(terms, usecase ? [usecase] : [], portalNow())?.code ?? null
  return { license, left: why ? 0 : limit - used, why }
}
