/** Names of things: letters of any script (with their marks), digits, space, hyphen, underscore. */
export const namePattern = /^[\p{L}\p{M}\p{N} _-]+$/u
/** People's names also allow apostrophes and full stops. */
export const personPattern = /^[\p{L}\p{M}\p{N} _\-'’.]+$/u

/** Equal for names that the database takes for the same. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase()

/** Shortens to 20 characters plus an ellipsis. */
export const truncate = (text: string, length = 20): string =>
  [...text].length > length ? `${[...text].slice(0, length).join('')}…` : text
