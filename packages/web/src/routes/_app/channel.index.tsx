import { usecaseKeys } from '@sightline/domain'
import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { oneOf, optional, search, tableSearch, uuid } from '../../app/search.ts'
import { ChannelList } from '../../channel/ChannelList.tsx'

export const Route = createFileRoute('/_app/channel/')({
  validateSearch: search({
    did: optional(uuid),
    sid: optional(uuid),
    cuid: optional(uuid),
    uc: optional(oneOf(usecaseKeys)),
    state: optional(oneOf(['attention'])),
    ...tableSearch,
  }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { did, sid, cuid } }) => ({ did, sid, cuid }),
  loader: async ({ deps: { did, sid, cuid } }) => {
    if (did) await queryClient.ensureQueryData(api.device.get.query({ device_id: did }))
    else if (sid) await queryClient.ensureQueryData(api.site.get.query({ site_id: sid }))
    else if (cuid) await queryClient.ensureQueryData(api.customer.get.query({ customer_id: cuid }))
  },
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { did, sid, cuid } = Route.useSearch()
  if (did) return <OfDevice key={did} did={did} />
  if (sid) return <OfSite key={sid} sid={sid} />
  return cuid ? <OfCustomer key={cuid} cuid={cuid} /> : <ChannelList device={null} />
}

function OfDevice({ did }: { did: string }) {
  return <ChannelList device={useSuspenseQuery(api.device.get.query({ device_id: did })).data} />
}

function OfSite({ sid }: { sid: string }) {
  const { site_id, site_name } = useSuspenseQuery(api.site.get.query({ site_id: sid })).data
  return <ChannelList device={null} within={{ name: site_name, site_id }} />
}

function OfCustomer({ cuid }: { cuid: string }) {
  const { customer_id, customer_name } = useSuspenseQuery(api.customer.get.query({ customer_id: cuid })).data
  return <ChannelList device={null} within={{ name: customer_name, customer_id }} />
}
