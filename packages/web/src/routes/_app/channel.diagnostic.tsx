import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { Diagnostic } from '../../channel/Diagnostic.tsx'
import { loadChannel, useChannel } from '../../channel/load.ts'

export const Route = createFileRoute('/_app/channel/diagnostic')({
  validateSearch: z.object({ cid: z.uuid(), uid: z.uuid(), did: z.uuid(), sid: z.uuid().optional() }),
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
