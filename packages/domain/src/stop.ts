const sameWishMs = 1000

/**
 * Whether a signal to stop asks to hurry. Ctrl-C in a terminal goes to npm, to the start command and to what that started,
 * and the first two pass it on: what comes within a second of the first is the same wish.
 * @param first when the first one came, @param now both in ms of a clock that is never set
 */
export const isHurry = (first: number, now: number): boolean => now - first > sameWishMs
