import { Button } from '@mantine/core'
import type { Customer, Site, StorageData } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatBytes, formatNumber } from '../i18n/format.ts'
import { useMay } from '../session.ts'
import type { Column } from '../ui/DataTable.tsx'
import { Bone } from '../ui/Skeletons.tsx'
import classes from './site.module.css'

/** Whoever looks again meanwhile sees the same figures. */
const staleMs = 5 * 60_000

const bytesOf = (one: StorageData | undefined): number | null =>
  one && one.events_bytes !== null ? one.events_bytes + one.media_bytes : null

/**
 * What sites take of the portal's storage, as a column for those who may know. The list does not wait for it, and
 * does without should it fail: `notice` says so, beneath the table.
 */
export function useStorageColumn(customer: Customer | null): { columns: Column<Site>[]; notice: ReactNode } {
  const { t, i18n } = useTranslation()
  const mayKnow = useMay('admin_and_above')
  const query = useQuery({
    ...api.storage.data.query({ group: 'site', customer_id: customer?.customer_id }),
    enabled: mayKnow && customer !== null,
    staleTime: staleMs,
    meta: { op: 'storage.data', quiet: true },
  })
  const { data, isPending } = query
  // biome-ignore lint/correctness/useExhaustiveDependencies: figures are written in the language
  const columns = useMemo((): Column<Site>[] => {
    if (!mayKnow) return []
    const bySite = new Map(data?.map((one) => [one.site_id, one]))
    return [
      {
        id: 'storage',
        header: t('site.storage.title'),
        value: (site) => bytesOf(bySite.get(site.site_id)),
        align: 'right',
        cell: (site) => (
          <span className={classes.storage}>
            {isPending ? <Bone height={14} /> : <Figure of={bySite.get(site.site_id)} />}
          </span>
        ),
      },
    ]
  }, [mayKnow, data, isPending, t, i18n.language])
  const notice = query.isError && !data && (
    <p className={`${classes.cut} t2`} role="status">
      {t('site.storage.failed')}{' '}
      <Button size="compact-xs" variant="subtle" loading={query.isFetching} onClick={() => void query.refetch()}>
        {t('common.retry')}
      </Button>
    </p>
  )
  return { columns, notice }
}

function Figure({ of }: { of: StorageData | undefined }) {
  const { t } = useTranslation()
  const bytes = bytesOf(of)
  if (!of) return <span className="t3">–</span>
  return (
    <span
      className={bytes === null ? 't3' : 'num'}
      title={
        of.events_bytes === null
          ? t('site.storage.unmeasured', { count: of.events, shown: formatNumber(of.events) })
          : t('site.storage.parts', {
              count: of.events,
              shown: formatNumber(of.events),
              events: formatBytes(of.events_bytes),
              pictures: formatBytes(of.media_bytes),
            })
      }
    >
      {bytes === null ? '–' : formatBytes(bytes)}
    </span>
  )
}
