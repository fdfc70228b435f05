import { usecaseKeys } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { CallFailed } from '../../api.ts'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { edgeQuery } from '../../app/edge.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, optional, search } from '../../app/search.ts'
import { Dashboard } from '../../dashboard/Dashboard.tsx'
import { viewOf, views } from '../../dashboard/views.ts'

/** Needs the licences, the edge servers (none is an answer too) and the selected customer. */
export const Route = createFileRoute('/_app/dashboard')({
  validateSearch: search({ uc: optional(oneOf(usecaseKeys)), view: choice(oneOf(views)) }),
  beforeLoad: requireModule('viewer_nav'),
  loader: async () => {
    await Promise.all([
      queryClient.ensureQueryData(api.license.list.query({})),
      queryClient.ensureQueryData(edgeQuery()).catch((error: unknown) => {
        if (!(error instanceof CallFailed && error.code === 404)) throw error
      }),
      loadCustomer(),
    ])
  },
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { selected } = useCustomer()
  const { uc, view } = Route.useSearch()
  return <Dashboard customer={selected} uc={uc} view={viewOf(view)} />
}
