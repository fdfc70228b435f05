import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, optional, search, uuid } from '../../app/search.ts'
import { EditChannel } from '../../channel/EditChannel.tsx'
import { loadChannel, useChannel } from '../../channel/load.ts'

export const Route = createFileRoute('/_app/channel/edit')({
  validateSearch: search({
    cid: uuid,
    uid: uuid,
    did: uuid,
    sid: optional(uuid),
    tab: choice(oneOf(['zones', 'tuning', 'settings'])),
  }),
  beforeLoad: requireModule('user_nav'),
  loaderDeps: ({ search: { cid, uid, did } }) => ({ cid, uid, did }),
  loader: ({ deps }) => loadChannel(deps),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { tab, ...ids } = Route.useSearch()
  const { channel, device } = useChannel(ids)
  return <EditChannel key={channel.channel_id} channel={channel} device={device} tab={tab} />
}
