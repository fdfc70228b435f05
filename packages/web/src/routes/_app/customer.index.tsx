import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, search, tableSearch, uuid } from '../../app/search.ts'
import { CustomerList } from '../../customer/CustomerList.tsx'
import { OrganizationList } from '../../organization/OrganizationList.tsx'
import { useMay } from '../../session.ts'

const tab = oneOf(['organizations'])

export const Route = createFileRoute('/_app/customer/')({
  validateSearch: search({ ...tableSearch, cuid: choice(uuid), tab: choice(tab) }),
  beforeLoad: requireModule('super_and_admin_access'),
  loader: () => queryClient.ensureQueryData(api.customer.list.query({})),
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { cuid, tab } = Route.useSearch()
  const navigate = Route.useNavigate()
  const seesOrganizations = useMay('super_nav')
  if (tab === 'organizations' && seesOrganizations) return <OrganizationList />
  return (
    <CustomerList
      openId={cuid}
      onOpen={(next) => void navigate({ search: (now) => ({ ...now, cuid: next }), replace: true })}
    />
  )
}
