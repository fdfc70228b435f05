/** How a site looks on a map, whoever draws it. */
import type { Health, SitePlace } from '@sightline/contract'

/** Of a group the worst shows. */
export const rankOf: Record<Health, number> = { unknown: 0, healthy: 1, 'needs attention': 2, offline: 3 }
/** Under white figures, so the same in light and dark, by rank. */
export const fills = ['#5d6679', '#067647', '#a35200', '#b3162c']

/** Those that have a place. */
export const placed = (sites: readonly SitePlace[]) =>
  sites.flatMap((site) => {
    const { lat, long } = site
    return lat === null || long === null ? [] : [{ site, lat, long }]
  })
