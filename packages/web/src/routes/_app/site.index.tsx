import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { SiteList } from '../../site/SiteList.tsx'
import { tableSearch } from '../../ui/table-search.ts'

/** Needs a customer; then its sites load. */
export const Route = createFileRoute('/_app/site/')({
  validateSearch: z.object(tableSearch),
  beforeLoad: requireModule('viewer_nav'),
  loader: async () => {
    const customer = await loadCustomer()
    if (customer) await queryClient.ensureQueryData(api.site.list.query({ customer_id: customer.customer_id }))
  },
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  return <SiteList customer={useCustomer().selected} />
}
