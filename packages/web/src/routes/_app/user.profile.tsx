import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { requireModule } from '../../app/guards.ts'
import { Profile } from '../../profile/Profile.tsx'
import { profileTabs } from '../../profile/tabs.ts'
import { tableSearch } from '../../ui/table-search.ts'

export const Route = createFileRoute('/_app/user/profile')({
  validateSearch: z.object({ ...tableSearch, tab: z.enum(profileTabs).optional().catch(undefined) }),
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
