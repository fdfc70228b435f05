import { Button, SegmentedControl, Select, Stack } from '@mantine/core'
import type { Nimble, Site } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { edgeName } from '../../i18n/seeded.ts'
import { readDraft } from '../../ui/draft.ts'
import { Go, useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { NoEdge } from '../NoEdge.tsx'
import { ImportFile } from './ImportFile.tsx'
import { ImportGrid } from './ImportGrid.tsx'
import { useImport } from './useImport.ts'

type Way = 'grid' | 'file'

/** Many cameras at once: typed in a grid, or read from a file. */
export function BulkCreate({ site, nimbles }: { site: Site; nimbles: readonly Nimble[] }) {
  const { t } = useTranslation()
  const go = useGo()
  const fileDraft = `device.import:${site.site_id}`
  const [way, setWay] = useState<Way>(() => (readDraft(fileDraft) ? 'file' : 'grid'))
  const [nimbleId, setNimbleId] = useState(nimbles[0]?.nimble_id ?? '')
  const importing = useImport({ site_id: site.site_id, nimble_id: nimbleId }, site.site_name)
  const search = { sid: site.site_id }
  const isBusy = importing.state.phase === 'adding' || importing.state.phase === 'judging'
  return (
    <>
      <PageHeader title={t('bulk.title')} meta={site.site_name}>
        <Button component={Go} to="/device/discover" search={search} variant="default">
          {t('device.discover')}
        </Button>
      </PageHeader>
      {nimbles.length === 0 ? (
        <NoEdge />
      ) : (
        <Stack gap="md">
          <SegmentedControl
            aria-label={t('bulk.title')}
            style={{ alignSelf: 'flex-start' }}
            value={way}
            disabled={isBusy}
            onChange={(next) => {
              setWay(next as Way)
              importing.reset()
            }}
            data={[
              { value: 'grid', label: t('bulk.way.grid') },
              { value: 'file', label: t('bulk.way.file') },
            ]}
          />
          {nimbles.length > 1 && (
            <Select
              maw={420}
              label={t('device.form.nimble')}
              description={t('bulk.nimbleHint')}
              allowDeselect={false}
              disabled={isBusy}
              value={nimbleId}
              onChange={(next) => next && setNimbleId(next)}
              data={nimbles.map((one) => ({ value: one.nimble_id, label: edgeName(one) }))}
            />
          )}
          {way === 'grid' ? (
            <ImportGrid
              siteId={site.site_id}
              nimbleId={nimbleId}
              importing={importing}
              onAll={() => go('/device', search)}
            />
          ) : (
            <ImportFile
              draft={fileDraft}
              importing={importing}
              onAll={() => go('/device', search)}
              nimbleId={nimbleId}
              nimbles={nimbles}
            />
          )}
        </Stack>
      )}
    </>
  )
}
