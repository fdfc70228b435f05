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
