import { createFileRoute } from '@tanstack/react-router'
import { requireModule } from '../../app/guards.ts'
import { choice, oneOf, search } from '../../app/search.ts'
import { CustomerWizard } from '../../customer/CustomerWizard.tsx'

const step = oneOf(['identity', 'address', 'site', 'review'])

export const Route = createFileRoute('/_app/customer/add')({
  validateSearch: search({ step: choice(step) }),
  beforeLoad: requireModule('edit'),
  component: Page,
})

function Page() {
  const { step = 'identity' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <CustomerWizard step={step} onStep={(next) => void navigate({ search: { step: next } })} />
}
