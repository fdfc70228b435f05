import { useQueries } from '@tanstack/react-query'
import { api } from '../app/client.ts'

/** Sites seldom move. */
const staleMs = 300_000

/** Zones that a screen knows already, by site. */
export type KnownZones = ReadonlyMap<string, string>
const none: KnownZones = new Map()

/** Time zones of the sites that a list speaks of; undefined while one is not known, and for a site that is gone. */
export function useSiteZones(siteIds: readonly string[], known = none): (siteId: string) => string | undefined {
  const ids = [...new Set(siteIds)].filter((id) => !known.has(id))
  const found = useQueries({
    queries: ids.map((site_id) => ({
      ...api.site.get.query({ site_id }),
      staleTime: staleMs,
      meta: { op: 'site.get' as const, quiet: true },
      retry: false,
    })),
  })
  return (id) => known.get(id) ?? found[ids.indexOf(id)]?.data?.site_address.site_timezone
}
