import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { requireModule } from '../../app/guards.ts'
import { CustomerWizard } from '../../customer/CustomerWizard.tsx'

const step = z.enum(['identity', 'address', 'site', 'review'])

export const Route = createFileRoute('/_app/customer/add')({
  validateSearch: z.object({ step: step.optional().catch(undefined) }),
  beforeLoad: requireModule('edit'),
  component: Page,
})

function Page() {
  const { step = 'identity' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <CustomerWizard step={step} onStep={(next) => void navigate({ search: { step: next } })} />
}
