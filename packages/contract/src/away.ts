/** Sent by a page with what it reads by itself while nobody is at it: such a call does not keep the session open. */
export const awayHeader = 'x-away'
