import { usecaseKeys } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api, queryClient } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { columnCounts } from '../../wall/columns.ts'
import { LiveWall } from '../../wall/LiveWall.tsx'

/** Needs the use cases that run at the customer's cameras. */
export const Route = createFileRoute('/_app/analytic')({
  validateSearch: z.object({ uc: z.enum(usecaseKeys).optional(), cols: z.enum(columnCounts).optional() }),
  beforeLoad: requireModule('viewer_nav'),
  loader: async () => {
    const customer = await loadCustomer()
    if (customer)
      await queryClient.ensureQueryData(api.customer.view.query({ customer_id: customer.customer_id, type: 1 }))
  },
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { selected } = useCustomer()
  const { uc, cols = '2' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <LiveWall
      customer={selected}
      uc={uc}
      columns={cols}
      onShow={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
    />
  )
}
