import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, oneOf, optional, search, uuid } from '../../app/search.ts'
import { DevicePage } from '../../device/DevicePage.tsx'
import { loadDevice, useDevice } from '../../device/load.ts'
import { type DeviceTab, deviceTabs } from '../../device/tabs.ts'

export const Route = createFileRoute('/_app/device/detail')({
  validateSearch: search({ did: uuid, sid: optional(uuid), tab: choice(oneOf(deviceTabs)) }),
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
