import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { optional, search, uuid } from '../../app/search.ts'
import { ChannelPage } from '../../channel/ChannelPage.tsx'
import { loadChannel, useChannel } from '../../channel/load.ts'

export const Route = createFileRoute('/_app/channel/detail')({
  validateSearch: search({ cid: uuid, uid: uuid, did: uuid, sid: optional(uuid) }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { cid, uid, did } }) => ({ cid, uid, did }),
  loader: ({ deps }) => loadChannel(deps),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const loaded = useChannel(Route.useSearch())
  return <ChannelPage key={loaded.channel.channel_id} {...loaded} />
}
