import { Button, Select } from '@mantine/core'
import type { Nimble, Site } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { edgeName } from '../i18n/seeded.ts'
import { CameraSearch } from '../ui/cameras/CameraSearch.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { NoEdge } from './NoEdge.tsx'

type Props = { site: Site; nimbles: readonly Nimble[]; nimbleId: string | undefined }

/** Looking for cameras in the network of an edge server. */
export function Discover({ site, nimbles, nimbleId }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const [chosen, setChosen] = useState(nimbleId)
  const nimble = nimbles.find((one) => one.nimble_id === chosen) ?? nimbles[0]
  const devices = useQuery(api.device.list.query({ site_id: site.site_id }))
  const search = { sid: site.site_id }
  return (
    <>
      <PageHeader title={t('device.discover')} meta={site.site_name}>
        <Button component={Go} to="/device/add" search={search} variant="default">
          {t('device.byAddress')}
        </Button>
        <Button component={Go} to="/device/bulk" search={search} variant="default">
          {t('device.many')}
        </Button>
      </PageHeader>
      {!nimble ? (
        <NoEdge />
      ) : (
        <Panel>
          {nimbles.length > 1 && (
            <Select
              mb="md"
              maw={420}
              label={t('device.form.nimble')}
              description={t('device.form.nimbleHint')}
              allowDeselect={false}
              value={nimble?.nimble_id ?? null}
              onChange={(next) => next && setChosen(next)}
              data={nimbles.map((one) => ({ value: one.nimble_id, label: edgeName(one) }))}
            />
          )}
          <CameraSearch
            key={nimble.nimble_id}
            nimble={nimble}
            site={site}
            devices={devices.data ?? []}
            onAdded={() => go('/device', search, { ignoreBlocker: true })}
          />
        </Panel>
      )}
    </>
  )
}
