import { createFileRoute } from '@tanstack/react-router'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { optional, search, uuid } from '../../app/search.ts'
import { CameraView } from '../../device/CameraView.tsx'
import { loadDevice, useDevice } from '../../device/load.ts'

export const Route = createFileRoute('/_app/device/view')({
  validateSearch: search({ did: uuid, sid: optional(uuid) }),
  beforeLoad: requireModule('viewer_nav'),
  loaderDeps: ({ search: { did } }) => ({ did }),
  loader: ({ deps: { did } }) => loadDevice(did),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const loaded = useDevice(Route.useSearch().did)
  return <CameraView key={loaded.device.device_id} {...loaded} />
}
