import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { loadEdges } from '../../app/edge.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, search, uuid } from '../../app/search.ts'
import { LicenseList } from '../../license/LicenseList.tsx'

/** Needs the licences and the edge servers. */
export const Route = createFileRoute('/_app/license')({
  validateSearch: search({ lid: choice(uuid) }),
  beforeLoad: requireModule('super_and_admin_access'),
  loader: () => Promise.all([queryClient.ensureQueryData(api.license.list.query({})), loadEdges()]),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  return <LicenseList openId={Route.useSearch().lid} />
}
