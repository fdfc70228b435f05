import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { search, uuid } from '../../app/search.ts'
import { DeviceForm } from '../../device/DeviceForm.tsx'
import { loadDevice, useDevice, useNimbles } from '../../device/load.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'

export const Route = createFileRoute('/_app/device/edit')({
  validateSearch: search({ sid: uuid, did: uuid }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { did } }) => ({ did }),
  loader: ({ deps: { did } }) => loadDevice(did),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { device, site } = useDevice(Route.useSearch().did)
  const nimbles = useNimbles(site)
  return (
    <>
      <PageHeader title={t('device.edit')} meta={device.device_name} />
      <DeviceForm key={device.device_id} site={site} nimbles={nimbles} device={device} taken={[]} />
    </>
  )
}
