import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { Gallery } from '../../event/Gallery.tsx'
import { eventSearch } from '../../event/search.ts'

/** Needs the channel when one is named. */
export const Route = createFileRoute('/_app/event/gallery')({
  validateSearch: eventSearch,
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { cid } }) => ({ cid }),
  loader: async ({ deps: { cid } }) => {
    await loadCustomer()
    if (cid) await queryClient.ensureQueryData(api.channel.id.query({ channel_id: cid }))
  },
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { selected } = useCustomer()
  return <Gallery key={selected?.customer_id} search={Route.useSearch()} customer={selected} />
}
