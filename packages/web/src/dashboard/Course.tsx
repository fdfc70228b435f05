import { Select } from '@mantine/core'
import type { EventSeries } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { axisStart, MetricChart } from '../ui/analytics/MetricChart.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'

const refreshMs = 30_000
const hourMs = 3_600_000

const seriesOf = (data: unknown): EventSeries | null => (data && !Array.isArray(data) ? (data as EventSeries) : null)

/** The last 24 hours of one use case over all cameras of the customer; by the minute while there is less than an hour. */
export function Course({ customerId, usecases }: { customerId: string; usecases: readonly UsecaseKey[] }) {
  const { t } = useTranslation()
  const [wanted, setWanted] = useState<UsecaseKey | null>(null)
  const usecase_key = wanted && usecases.includes(wanted) ? wanted : (usecases[0] as UsecaseKey)
  const asked = { customer_id: customerId, usecase_key, type: 2 } as const
  const reading = { refetchInterval: refreshMs, placeholderData: (before: unknown) => before as never }
  const query = useQuery({ ...api.event.range.query({ ...asked, agg_frequency: '15m' }), ...reading })
  const day = seriesOf(query.data)
  const isNew = day !== null && Date.parse(day.end) - axisStart(day) < hourMs
  const minutes = useQuery({
    ...api.event.range.query({ ...asked, start: '-1h', agg_frequency: '1m' }),
    ...reading,
    enabled: isNew,
  })
  const series = isNew ? seriesOf(minutes.data) : day
  return (
    <Panel
      title={
        <>
          {t(isNew ? 'dashboard.firstHour' : 'dashboard.hourly')}
          {/* Heard alone: on screen the column says it. */}
          {usecases.length === 1 && <span className="sr"> · {t(`usecase.name.${usecase_key}`)}</span>}
        </>
      }
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
      {query.isError && !day ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : minutes.isError && !series ? (
        <ErrorPanel error={minutes.error} onRetry={() => void minutes.refetch()} />
      ) : series ? (
        <MetricChart data={series} height={220} />
      ) : (
        <BlockSkeleton height={220} />
      )}
    </Panel>
  )
}
