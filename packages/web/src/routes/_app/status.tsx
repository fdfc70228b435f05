import { may } from '@sightline/domain'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { session } from '../../session.ts'
import { StatusPage, statusInput } from '../../status/StatusPage.tsx'

export const Route = createFileRoute('/_app/status')({
  beforeLoad: requireModule('super_and_admin_access'),
  loader: () =>
    queryClient.ensureQueryData(
      api.status.get.query(statusInput(may(session.get()?.role_key ?? null, 'admin_and_above'))),
    ),
  onError: fallbackTo('/site'),
  component: StatusPage,
})
