import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { optional, search, uuid } from '../../app/search.ts'
import { EventDetail } from '../../event/EventDetail.tsx'

export const Route = createFileRoute('/_app/event/detail')({
  validateSearch: search({ eid: uuid, cid: optional(uuid), uid: optional(uuid) }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { eid } }) => ({ eid }),
  loader: ({ deps: { eid } }) => queryClient.ensureQueryData(api.event.id.query({ event_uuid: eid })),
  onError: fallbackTo('/dashboard', { notFound: true }),
  component: Page,
})

function Page() {
  const { eid } = Route.useSearch()
  const { data } = useSuspenseQuery(api.event.id.query({ event_uuid: eid }))
  return <EventDetail key={eid} event={data} />
}
