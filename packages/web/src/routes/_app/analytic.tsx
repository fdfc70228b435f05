import { usecaseKeys } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, optional, search } from '../../app/search.ts'
import { cameraPieces } from '../../ui/cameras/customer-cameras.ts'
import { columnCounts } from '../../wall/columns.ts'
import { LiveWall } from '../../wall/LiveWall.tsx'

/** Needs the use cases that run at the customer's cameras. */
export const Route = createFileRoute('/_app/analytic')({
  validateSearch: search({
    uc: optional(oneOf(usecaseKeys)),
    cols: optional(oneOf(columnCounts)),
    kiosk: choice(oneOf(['1'])),
  }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { uc } }) => ({ uc }),
  loader: async ({ deps: { uc } }) => {
    const customer = await loadCustomer()
    if (customer) await queryClient.ensureInfiniteQueryData(cameraPieces(customer.customer_id, uc))
  },
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { selected } = useCustomer()
  const { uc, cols = '2', kiosk } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <LiveWall
      customer={selected}
      uc={uc}
      columns={cols}
      isKiosk={kiosk === '1'}
      onShow={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
    />
  )
}
