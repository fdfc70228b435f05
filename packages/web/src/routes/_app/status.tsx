import { may } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { session } from '../../session.ts'
import { StatusPage } from '../../status/StatusPage.tsx'

export const Route = createFileRoute('/_app/status')({
  beforeLoad: requireModule('super_and_admin_access'),
  loader: () =>
    queryClient.ensureQueryData(
      // Administrators see inside; others what everyone may know.
      api.status.get.query({ is_detail: may(session.get()?.role_key ?? null, 'admin_and_above') }),
    ),
  onError: fallbackTo('/site'),
  component: StatusPage,
})
