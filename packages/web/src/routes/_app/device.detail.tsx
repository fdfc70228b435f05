import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { DevicePage } from '../../device/DevicePage.tsx'
import { loadDevice, useDevice } from '../../device/load.ts'

export const Route = createFileRoute('/_app/device/detail')({
  validateSearch: z.object({ did: z.uuid(), sid: z.uuid().optional() }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { did } }) => ({ did }),
  loader: ({ deps: { did } }) => loadDevice(did),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const loaded = useDevice(Route.useSearch().did)
  return <DevicePage key={loaded.device.device_id} {...loaded} />
}
