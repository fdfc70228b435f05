import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { BulkCreate } from '../../device/bulk/BulkCreate.tsx'
import { loadSite, useNimbles, useSite } from '../../device/load.ts'

/** The site, then the edge servers. */
export const Route = createFileRoute('/_app/device/bulk')({
  validateSearch: z.object({ sid: z.uuid(), q: z.string().optional(), sort: z.string().optional() }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps: { sid } }) => loadSite(sid),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const site = useSite(Route.useSearch().sid)
  return <BulkCreate site={site} nimbles={useNimbles(site)} />
}
