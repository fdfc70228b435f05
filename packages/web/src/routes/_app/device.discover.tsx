import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { optional, search, uuid } from '../../app/search.ts'
import { Discover } from '../../device/Discover.tsx'
import { loadSite, useNimbles, useSite } from '../../device/load.ts'

/** The site, then the edge servers. */
export const Route = createFileRoute('/_app/device/discover')({
  validateSearch: search({ sid: uuid, nid: optional(uuid) }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps: { sid } }) => loadSite(sid),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { sid, nid } = Route.useSearch()
  const site = useSite(sid)
  const nimbles = useNimbles(site)
  return <Discover key={sid} site={site} nimbles={nimbles} nimbleId={nid} />
}
