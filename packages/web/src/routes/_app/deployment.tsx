import { createFileRoute } from '@tanstack/react-router'
import { loadEdges } from '../../app/edge.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, search, uuid } from '../../app/search.ts'
import { Deployment } from '../../nimble/Deployment.tsx'

/** Needs the edge servers; what runs on each is read when it is opened. */
export const Route = createFileRoute('/_app/deployment')({
  validateSearch: search({ nid: choice(uuid) }),
  beforeLoad: requireModule('super_nav'),
  loader: () => loadEdges(),
  onError: fallbackTo('/dashboard'),
  component: Page,
})

function Page() {
  const { nid } = Route.useSearch()
  const navigate = Route.useNavigate()
  return <Deployment openId={nid} onOpen={(next) => void navigate({ search: { nid: next }, replace: true })} />
}
