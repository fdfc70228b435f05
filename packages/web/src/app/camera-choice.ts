/** What is decided about a found camera: its name, and which of its streams is read. */
import type { Discovered, Probe } from '@sightline/contract'

/** A name for a found camera: what it calls itself, without letters that names do not take, and not one that is taken. */
export function cameraName(found: Pick<Discovered, 'name' | 'model' | 'host'>, taken: readonly string[]): string {
  const own = (found.name || found.model || `Camera ${found.host}`)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 56)
  const base = own.length >= 2 ? own : 'Camera'
  if (!taken.includes(base)) return base
  for (let number = 2; ; number++) if (!taken.includes(`${base} ${number}`)) return `${base} ${number}`
}

type Profile = Probe['profiles'][number]

const pixels = (profile: Profile) => {
  const [width = 0, height = 0] = (profile.resolution ?? '').split('x').map(Number)
  return width * height
}

/** The stream to read: H.264, the largest up to full HD; null when the camera offers no H.264. */
export function bestProfile(profiles: readonly Profile[]): Profile | null {
  const readable = profiles.filter((profile) => /^(h\.?264|avc)/i.test(profile.codec ?? ''))
  const fits = readable.filter((profile) => pixels(profile) <= 1920 * 1080)
  return (fits.length > 0 ? fits : readable).toSorted((a, b) => pixels(b) - pixels(a))[0] ?? null
}
