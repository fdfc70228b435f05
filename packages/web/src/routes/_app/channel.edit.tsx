import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { EditChannel } from '../../channel/EditChannel.tsx'
import { loadChannel, useChannel } from '../../channel/load.ts'

export const Route = createFileRoute('/_app/channel/edit')({
  validateSearch: z.object({
    cid: z.uuid(),
    uid: z.uuid(),
    did: z.uuid(),
    sid: z.uuid().optional(),
    tab: z.enum(['zones', 'tuning', 'settings']).optional().catch(undefined),
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
