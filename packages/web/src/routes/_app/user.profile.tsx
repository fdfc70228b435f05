import { createFileRoute } from '@tanstack/react-router'
import { requireModule } from '../../app/guards.ts'
import { choice, oneOf, search, tableSearch } from '../../app/search.ts'
import { Profile } from '../../profile/Profile.tsx'
import { profileTabs } from '../../profile/tabs.ts'

export const Route = createFileRoute('/_app/user/profile')({
  validateSearch: search({ ...tableSearch, tab: choice(oneOf(profileTabs)) }),
  beforeLoad: requireModule('viewer_nav'),
  component: Page,
})

function Page() {
  const { tab = 'person' } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <Profile
      tab={tab}
      onTab={(next) => void navigate({ search: { tab: next === 'person' ? undefined : next }, replace: true })}
    />
  )
}
