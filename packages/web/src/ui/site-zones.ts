import type { Site } from '@sightline/contract'
import { useQueries } from '@tanstack/react-query'
import { api } from '../app/client.ts'

/** Sites seldom move. */
const staleMs = 300_000

/** Zones that a screen knows already, by site. */
export type KnownZones = ReadonlyMap<string, string>
const none: KnownZones = new Map()

/** The sites that a list speaks of, without reading all there are; undefined while one is not known, and when it is gone. */
export function useSites(siteIds: readonly string[]): (siteId: string) => Site | undefined {
  const ids = [...new Set(siteIds)]
  const found = useQueries({
    queries: ids.map((site_id) => ({
      ...api.site.get.query({ site_id }),
      staleTime: staleMs,
      meta: { op: 'site.get' as const, quiet: true },
      retry: false,
    })),
  })
  return (id) => found[ids.indexOf(id)]?.data
}

/** Time zones of the sites that a list speaks of. */
export function useSiteZones(siteIds: readonly string[], known = none): (siteId: string) => string | undefined {
  const siteOf = useSites(siteIds.filter((id) => !known.has(id)))
  return (id) => known.get(id) ?? siteOf(id)?.site_address.site_timezone
}
