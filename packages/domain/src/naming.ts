/** Names that the server makes itself. */
import type { ZoneKind } from './geometry.ts'

const sidPrefix = 'channel/'

/** With its prefix, whether or not it was typed. */
export const withSidPrefix = (sid: string): string => (sid.startsWith(sidPrefix) ? sid : sidPrefix + sid)

/**
 * Stream name of a channel: its name in lower case with hyphens. Letters without an ASCII form fall away; when nothing
 * is left, or the name is taken, a number follows.
 */
export function channelSid(name: string, isTaken: (sid: string) => boolean): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
  const base = withSidPrefix(plain || 'channel')
  if (!isTaken(base)) return base
  for (let n = 2; ; n++) if (!isTaken(`${base}-${n}`)) return `${base}-${n}`
}

/** Highest number ever given per kind; numbers of deleted shapes are not given again. */
export type ShapeNumbers = Partial<Record<ZoneKind, number>>

/** Names for new shapes in order (`zone1`, `line1`, `zone2` …), and the numbers to remember. */
export function nameShapes(
  kinds: readonly ZoneKind[],
  given: ShapeNumbers,
): { names: string[]; numbers: ShapeNumbers } {
  const numbers = { ...given }
  const names = kinds.map((kind) => {
    const number = (numbers[kind] ?? 0) + 1
    numbers[kind] = number
    return `${kind}${number}`
  })
  return { names, numbers }
}
