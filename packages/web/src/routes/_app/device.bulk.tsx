import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { search, tableSearch, uuid } from '../../app/search.ts'
import { BulkCreate } from '../../device/bulk/BulkCreate.tsx'
import { loadSite, useNimbles, useSite } from '../../device/load.ts'

/** The site, then the edge servers. */
export const Route = createFileRoute('/_app/device/bulk')({
  validateSearch: search({ sid: uuid, ...tableSearch }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps: { sid } }) => loadSite(sid),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const site = useSite(Route.useSearch().sid)
  return <BulkCreate key={site.site_id} site={site} nimbles={useNimbles(site)} />
}
