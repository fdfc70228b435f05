import { usecaseKeys } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, search } from '../../app/search.ts'
import { BundleDefaults } from '../../settings/BundleDefaults.tsx'

export const Route = createFileRoute('/_app/settings/bundle')({
  validateSearch: search({ uc: choice(oneOf(usecaseKeys)) }),
  beforeLoad: requireModule('admin_and_above'),
  loader: () => queryClient.ensureQueryData(api.bundle.list.query({})),
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { uc } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <BundleDefaults usecaseKey={uc} onChoose={(next) => void navigate({ search: { uc: next } })} />
}
