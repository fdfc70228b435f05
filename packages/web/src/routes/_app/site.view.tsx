import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { search, uuid } from '../../app/search.ts'
import { SiteView } from '../../site/SiteView.tsx'

/** `/site/view?sid=…` is written into reports that customers keep: this address must stay. */
export const Route = createFileRoute('/_app/site/view')({
  validateSearch: search({ sid: uuid }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps }) => queryClient.ensureQueryData(api.site.view.query({ site_id: deps.sid })),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { sid } = Route.useSearch()
  const { data } = useSuspenseQuery({ ...api.site.view.query({ site_id: sid }), refetchInterval: 30_000 })
  return <SiteView key={sid} view={data} />
}
