import { usecaseKeys } from '@sightline/domain'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { oneOf, optional, search, uuid } from '../../app/search.ts'
import { AddChannel } from '../../channel/AddChannel.tsx'

export const Route = createFileRoute('/_app/channel/add')({
  validateSearch: search({ did: uuid, sid: optional(uuid), uc: optional(oneOf(usecaseKeys)) }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { did } }) => ({ did }),
  loader: async ({ deps: { did } }) => {
    const device = await queryClient.ensureQueryData(api.device.get.query({ device_id: did }))
    await queryClient.ensureQueryData(api.site.get.query({ site_id: device.site_id }))
  },
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { did, uc } = Route.useSearch()
  const { data } = useSuspenseQuery(api.device.get.query({ device_id: did }))
  return <AddChannel key={did} device={data} usecaseKey={uc} />
}
