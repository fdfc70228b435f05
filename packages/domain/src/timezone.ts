/** Names that were tried: trying one takes 60 µs, and each row of a list of sites has one. */
const known = new Set<string>()
/** More than there are. Upper and lower case do not matter, so one name has any number of spellings. */
const mostKnown = 1000

/** Whether the runtime knows an IANA time zone of that name. */
export function isZone(name: string): boolean {
  if (known.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    return false
  }
  if (known.size < mostKnown) known.add(name)
  return true
}

/** The time zones of a country (ISO 3166-1 alpha-2), by IANA's tables; none where the runtime does not know them. */
export function zonesOf(country: string): string[] {
  if (!/^[A-Z]{2}$/.test(country)) return []
  // ECMA-402 Intl.Locale Info, which not every runtime has.
  const place = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones?: () => string[] | undefined }
  return place.getTimeZones?.() ?? []
}

/** Places with a name of their own whose clock nobody in the country means: Büsingen is a village within Switzerland. */
const exclaves = new Set(['Europe/Busingen'])

/**
 * The zone of a country that has one; null for one with several, and for one that is not known. Several whose clocks are
 * alike today are several: they have rules of their own, and people know theirs by its city.
 */
export function onlyZoneOf(country: string): string | null {
  const [zone, ...others] = zonesOf(country).filter((one) => !exclaves.has(one))
  return others.length === 0 ? (zone ?? null) : null
}

/** The name under which the runtime knows a zone: Asia/Kolkata and Asia/Calcutta are one. One it does not know stays as it is. */
export const canonicalZone = (zone: string): string =>
  isZone(zone) ? new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone : zone
