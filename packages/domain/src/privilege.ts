/**
 * What a role may see beyond its permissions, as the administrator chooses: pictures of cameras as they are, or blurred
 * beyond recognition; and whether who sees them blurred may have them clear for a while, for a reason that is written down.
 */
export const privileges = ['picture.clear', 'picture.unblur'] as const
export type Privilege = (typeof privileges)[number]

/** How long pictures stay clear after a reason was given. */
export const unblurMinutes = 15

/** Whether pictures are shown as they are. @param unblurredUntil when a given reason ends, in ms; null: none was given */
export const seesClear = (held: readonly string[], unblurredUntil: number | null, nowMs: number): boolean =>
  held.includes('picture.clear' satisfies Privilege) ||
  // A reason that was given counts no longer once the role may give none.
  (held.includes('picture.unblur' satisfies Privilege) && unblurredUntil !== null && unblurredUntil > nowMs)
