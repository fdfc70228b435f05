import { usecaseKeys } from '@sightline/domain'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { ChannelList } from '../../channel/ChannelList.tsx'
import { tableSearch } from '../../ui/table-search.ts'

export const Route = createFileRoute('/_app/channel/')({
  validateSearch: z.object({ did: z.uuid().optional(), uc: z.enum(usecaseKeys).optional(), ...tableSearch }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { did } }) => ({ did }),
  loader: async ({ deps: { did } }) => {
    if (did) await queryClient.ensureQueryData(api.device.get.query({ device_id: did }))
  },
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { did } = Route.useSearch()
  return did ? <OfDevice did={did} /> : <ChannelList device={null} />
}

function OfDevice({ did }: { did: string }) {
  return <ChannelList device={useSuspenseQuery(api.device.get.query({ device_id: did })).data} />
}
