import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { DevicePage } from '../../device/DevicePage.tsx'
import { loadDevice, useDevice } from '../../device/load.ts'
import { type DeviceTab, deviceTabs } from '../../device/tabs.ts'

export const Route = createFileRoute('/_app/device/detail')({
  validateSearch: z.object({
    did: z.uuid(),
    sid: z.uuid().optional(),
    tab: z.enum(deviceTabs).optional().catch(undefined),
  }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { did } }) => ({ did }),
  loader: ({ deps: { did } }) => loadDevice(did),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { did, tab = 'analytics' } = Route.useSearch()
  const navigate = Route.useNavigate()
  const loaded = useDevice(did)
  const onTab = (next: DeviceTab) =>
    void navigate({ search: (now) => ({ ...now, tab: next === 'analytics' ? undefined : next }), replace: true })
  return <DevicePage key={loaded.device.device_id} {...loaded} tab={tab} onTab={onTab} />
}
