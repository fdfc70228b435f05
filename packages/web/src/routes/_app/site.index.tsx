import { health } from '@sightline/contract'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { SiteList } from '../../site/SiteList.tsx'
import { tableSearch } from '../../ui/table-search.ts'

/** Needs a customer; then its sites load. */
export const Route = createFileRoute('/_app/site/')({
  validateSearch: z.object({
    ...tableSearch,
    health: health.optional().catch(undefined),
    country: z.string().length(2).optional().catch(undefined),
    tag: z.string().max(200).optional().catch(undefined),
  }),
  beforeLoad: requireModule('viewer_nav'),
  loader: async () => {
    const customer = await loadCustomer()
    if (customer) await queryClient.ensureQueryData(api.site.list.query({ customer_id: customer.customer_id }))
  },
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { health, country, tag } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <SiteList
      customer={useCustomer().selected}
      health={health}
      country={country}
      tag={tag}
      onFilter={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
    />
  )
}
