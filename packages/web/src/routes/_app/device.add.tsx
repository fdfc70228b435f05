import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { search, uuid } from '../../app/search.ts'
import { DeviceForm } from '../../device/DeviceForm.tsx'
import { loadSite, useNimbles, useSite } from '../../device/load.ts'
import { NoEdge } from '../../device/NoEdge.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

/** The site, then the edge servers. */
export const Route = createFileRoute('/_app/device/add')({
  validateSearch: search({ sid: uuid }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  loader: ({ deps: { sid } }) => loadSite(sid),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const site = useSite(Route.useSearch().sid)
  const nimbles = useNimbles(site)
  const { data } = useSuspenseQuery(api.device.list.query({ site_id: site.site_id }))
  return (
    <>
      <PageHeader title={t('device.add')} meta={site.site_name} />
      {nimbles.length === 0 ? (
        <NoEdge />
      ) : (
        <DeviceForm
          key={site.site_id}
          site={site}
          nimbles={nimbles}
          taken={data.map(({ device_name }) => device_name)}
        />
      )}
    </>
  )
}
