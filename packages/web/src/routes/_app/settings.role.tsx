import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { RolePrivileges } from '../../settings/RolePrivileges.tsx'

export const Route = createFileRoute('/_app/settings/role')({
  beforeLoad: requireModule('super_admin_only'),
  loader: () => queryClient.ensureQueryData(api.role.privilegeList.query({})),
  onError: fallbackTo('/dashboard'),
  component: RolePrivileges,
})
