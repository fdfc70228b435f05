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

const months = [0, 3, 6, 9]

/**
 * The zone of a country whose clocks are alike everywhere; null for one where they differ, and for one that is not known.
 * Germany's two zones show the same time, and only the first is one that people know.
 */
export function onlyZoneOf(country: string, year: number): string | null {
  const clocks = zonesOf(country).map((timeZone) => {
    const clock = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    return { timeZone, shown: months.map((month) => clock.format(Date.UTC(year, month, 1))).join() }
  })
  const [first, ...others] = clocks
  return first && others.every(({ shown }) => shown === first.shown) ? first.timeZone : null
}
