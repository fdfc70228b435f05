import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, search, uuid } from '../../app/search.ts'
import { SiteDetail } from '../../site/SiteDetail.tsx'
import { siteTabs } from '../../site/tabs.ts'

export const Route = createFileRoute('/_app/site/detail')({
  validateSearch: search({ sid: uuid, tab: choice(oneOf(siteTabs)) }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps }) => queryClient.ensureQueryData(api.site.get.query({ site_id: deps.sid })),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { sid, tab = 'cameras' } = Route.useSearch()
  const navigate = Route.useNavigate()
  const { data: site } = useSuspenseQuery(api.site.get.query({ site_id: sid }))
  return (
    <SiteDetail
      key={sid}
      site={site}
      tab={tab}
      onTab={(next) => void navigate({ search: { sid, tab: next === 'cameras' ? undefined : next }, replace: true })}
    />
  )
}
