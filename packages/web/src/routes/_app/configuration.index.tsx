import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { loadEdges } from '../../app/edge.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { EdgeList } from '../../nimble/EdgeList.tsx'

export const Route = createFileRoute('/_app/configuration/')({
  beforeLoad: requireModule('super_and_admin_access'),
  loader: () => Promise.all([queryClient.ensureQueryData(api.license.list.query({})), loadEdges()]),
  onError: fallbackTo('/site'),
  component: EdgeList,
})
