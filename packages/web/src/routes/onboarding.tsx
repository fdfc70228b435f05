import { createFileRoute } from '@tanstack/react-router'
import { requireModule } from '../app/guards.ts'
import { Minimal } from '../app/Minimal.tsx'
import { choice, oneOf, search } from '../app/search.ts'
import { Onboarding } from '../onboarding/Onboarding.tsx'
import { stepIds } from '../onboarding/steps.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'

/** The first run: from an empty portal to the first counted person. */
export const Route = createFileRoute('/onboarding')({
  validateSearch: search({ step: choice(oneOf(stepIds)) }),
  beforeLoad: requireModule('super_admin_only'),
  component: Page,
})

function Page() {
  const { step } = Route.useSearch()
  const navigate = Route.useNavigate()
  const isSignedIn = useStore(session, Boolean)
  if (!isSignedIn) return null
  return (
    <Minimal wide>
      <Onboarding step={step} onStep={(next) => void navigate({ search: { step: next } })} />
    </Minimal>
  )
}
