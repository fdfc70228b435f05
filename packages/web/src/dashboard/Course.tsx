import { Select } from '@mantine/core'
import type { UsecaseKey } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { MetricChart } from '../ui/analytics/MetricChart.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'

const refreshMs = 30_000

/** The last 24 hours of one use case over all cameras of the customer. */
export function Course({ customerId, usecases }: { customerId: string; usecases: readonly UsecaseKey[] }) {
  const { t } = useTranslation()
  const [wanted, setWanted] = useState<UsecaseKey | null>(null)
  const usecase_key = wanted && usecases.includes(wanted) ? wanted : (usecases[0] as UsecaseKey)
  const query = useQuery({
    ...api.event.range.query({ customer_id: customerId, usecase_key, type: 2, agg_frequency: '15m' }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  })
  const series = query.data && !Array.isArray(query.data) ? query.data : null
  return (
    <Panel
      title={t('dashboard.hourly')}
      aside={
        usecases.length > 1 && (
          <Select
            size="xs"
            allowDeselect={false}
            aria-label={t('event.filter.usecase')}
            value={usecase_key}
            onChange={(next) => setWanted(next as UsecaseKey)}
            data={usecases.map((value) => ({ value, label: t(`usecase.name.${value}`) }))}
          />
        )
      }
    >
      {query.isError && !series ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : series ? (
        <MetricChart data={series} height={220} />
      ) : (
        <BlockSkeleton height={220} />
      )}
    </Panel>
  )
}
