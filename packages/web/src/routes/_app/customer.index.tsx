import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { CustomerList } from '../../customer/CustomerList.tsx'
import { tableSearch } from '../../ui/table-search.ts'

export const Route = createFileRoute('/_app/customer/')({
  validateSearch: z.object({ ...tableSearch, cuid: z.uuid().optional().catch(undefined) }),
  beforeLoad: requireModule('super_and_admin_access'),
  loader: () => queryClient.ensureQueryData(api.customer.list.query({})),
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { cuid } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <CustomerList
      openId={cuid}
      onOpen={(next) => void navigate({ search: (now) => ({ ...now, cuid: next }), replace: true })}
    />
  )
}
