import { healths } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, search, tableSearch, text } from '../../app/search.ts'
import { SiteList } from '../../site/SiteList.tsx'

/** Needs a customer; then its sites load. */
export const Route = createFileRoute('/_app/site/')({
  validateSearch: search({
    ...tableSearch,
    health: choice(oneOf(healths)),
    country: choice(text(2)),
    tag: choice(text(200)),
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
  const customer = useCustomer().selected
  return (
    <SiteList
      key={customer?.customer_id}
      customer={customer}
      health={health}
      country={country}
      tag={tag}
      onFilter={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
    />
  )
}
