import { healths, usecaseKeys } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, search, text } from '../../app/search.ts'
import { MapScreen } from '../../map/MapScreen.tsx'

/** Needs the sites of the selected customer. `at` is where the map stands. */
export const Route = createFileRoute('/_app/map')({
  validateSearch: search({ uc: choice(oneOf(usecaseKeys)), health: choice(oneOf(healths)), at: choice(text(60)) }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { uc } }) => ({ uc }),
  loader: async ({ deps: { uc } }) => {
    const customer = await loadCustomer()
    if (customer)
      await queryClient.ensureQueryData(api.site.map.query({ customer_id: customer.customer_id, usecase_key: uc }))
  },
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { selected } = useCustomer()
  const shown = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <MapScreen
      customer={selected}
      {...shown}
      onShow={(change) =>
        void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false })
      }
    />
  )
}
