import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { oneOf, optional, search, tableSearch, uuid } from '../../app/search.ts'
import { EdgeDetail } from '../../nimble/EdgeDetail.tsx'
import { edgeTabs } from '../../nimble/tabs.ts'
import { useGo } from '../../ui/Go.tsx'

export const Route = createFileRoute('/_app/configuration/detail')({
  validateSearch: search({ ...tableSearch, nid: uuid, tab: optional(oneOf(edgeTabs)) }),
  beforeLoad: requireModule('super_and_admin_access'),
  loaderDeps: ({ search: { nid } }) => ({ nid }),
  loader: ({ deps: { nid: nimble_id } }) =>
    Promise.all([
      queryClient.ensureQueryData(api.nimble.get.query({ nimble_id })),
      queryClient.ensureQueryData(api.nimble.status.query({ nimble_id })),
    ]),
  onError: fallbackTo('/configuration'),
  component: Page,
})

function Page() {
  const { nid, tab } = Route.useSearch()
  const go = useGo()
  const { data } = useSuspenseQuery(api.nimble.get.query({ nimble_id: nid }))
  return (
    <EdgeDetail key={nid} nimble={data} tab={tab} onTab={(next) => go('/configuration/detail', { nid, tab: next })} />
  )
}
