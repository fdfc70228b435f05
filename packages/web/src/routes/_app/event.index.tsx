import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { EventList } from '../../event/EventList.tsx'
import { eventSearch } from '../../event/search.ts'

/** Needs the channel when one is named, else the sites of the customer. */
export const Route = createFileRoute('/_app/event/')({
  validateSearch: eventSearch,
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { cid } }) => ({ cid }),
  loader: async ({ deps: { cid } }) => {
    const customer = await loadCustomer()
    if (cid) await queryClient.ensureQueryData(api.channel.id.query({ channel_id: cid }))
    else if (customer) await queryClient.ensureQueryData(api.site.list.query({ customer_id: customer.customer_id }))
  },
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { selected } = useCustomer()
  return <EventList key={selected?.customer_id} search={Route.useSearch()} customer={selected} />
}
