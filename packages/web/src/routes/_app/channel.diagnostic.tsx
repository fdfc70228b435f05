import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { optional, search, uuid } from '../../app/search.ts'
import { Diagnostic } from '../../channel/Diagnostic.tsx'
import { loadChannel, useChannel } from '../../channel/load.ts'

export const Route = createFileRoute('/_app/channel/diagnostic')({
  validateSearch: search({ cid: uuid, uid: uuid, did: uuid, sid: optional(uuid) }),
  beforeLoad: requireModule('user_nav'),
  loaderDeps: ({ search: { cid, uid, did } }) => ({ cid, uid, did }),
  loader: ({ deps }) => loadChannel(deps),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { channel, device } = useChannel(Route.useSearch())
  return <Diagnostic key={channel.channel_id} channel={channel} device={device} />
}
