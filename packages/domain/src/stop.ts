/**
 * Ctrl-C in a terminal goes to npm, to the start command and to what that started, and the first two pass it on; a service
 * manager tells every process of a service. What comes within this time of a first signal to stop is the same wish; what
 * comes later is one to hurry.
 */
export const sameWishMs = 1000
