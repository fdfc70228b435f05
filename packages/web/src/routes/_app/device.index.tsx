import { health } from '@sightline/contract'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { DeviceList } from '../../device/DeviceList.tsx'
import { useSite } from '../../device/load.ts'
import { tableSearch } from '../../ui/table-search.ts'

export const Route = createFileRoute('/_app/device/')({
  validateSearch: z.object({ sid: z.uuid(), health: health.optional().catch(undefined), ...tableSearch }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps: { sid } }) => queryClient.ensureQueryData(api.site.get.query({ site_id: sid })),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { sid, q, health } = Route.useSearch()
  return <DeviceList site={useSite(sid)} q={q} health={health} />
}
