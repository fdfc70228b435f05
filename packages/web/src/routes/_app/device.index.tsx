import { healths } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, search, tableSearch, uuid } from '../../app/search.ts'
import { DeviceList } from '../../device/DeviceList.tsx'
import { useSite } from '../../device/load.ts'

export const Route = createFileRoute('/_app/device/')({
  validateSearch: search({ sid: uuid, health: choice(oneOf(healths)), ...tableSearch }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps: { sid } }) => queryClient.ensureQueryData(api.site.get.query({ site_id: sid })),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { sid, q, health } = Route.useSearch()
  return <DeviceList key={sid} site={useSite(sid)} q={q} health={health} />
}
