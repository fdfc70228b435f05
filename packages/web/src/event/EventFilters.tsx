import { Group, Select, TextInput } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import { metricsOf, type UsecaseKey, usecaseKeys, usecases } from '@sightline/domain'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { portalNow } from '../app/clock.ts'
import { metricText } from '../i18n/words.ts'
import { CameraChoice } from './CameraChoice.tsx'
import classes from './event.module.css'
import { type Change, type EventSearch, periods, shows } from './search.ts'
import { localOf, momentOf } from './site-moment.ts'

const presets = Object.keys(periods) as (keyof typeof periods)[]
const own = 'own'

type Props = {
  search: EventSearch
  set: Change
  customer: Customer | null
  /** By whose clock dates are typed; undefined: the browser's. */
  zone: string | undefined
  /** Without the choice of what is listed. */
  isGallery?: boolean
}

/** Period, use case, analytic, metric and kind; all of it is in the address. */
export function EventFilters({ search, set, customer, zone, isGallery }: Props) {
  const { t } = useTranslation()
  const { period = 'h24', from, to, uc, cid, key, show } = search
  const isOwn = from !== undefined && to !== undefined
  const metrics = uc ? [...new Set([...metricsOf(uc), ...usecases[uc].lineMetrics])] : []
  return (
    <Group gap="xs" mb="md" className={classes.filters}>
      <Select
        aria-label={t('event.filter.period')}
        allowDeselect={false}
        value={isOwn ? own : period}
        onChange={(next) => {
          if (next !== own) return set({ period: next as EventSearch['period'], from: undefined, to: undefined })
          const end = portalNow()
          const hours = { h1: 1, h24: 24, d7: 168, d30: 720 }[period]
          set({ from: new Date(end - hours * 3_600_000).toISOString(), to: new Date(end).toISOString() })
        }}
        data={[
          ...presets.map((value) => ({ value, label: t(`chart.${value}`) })),
          { value: own, label: t('event.filter.own') },
        ]}
      />
      {isOwn && (
        <>
          <Moment
            label={t('event.filter.from')}
            value={from}
            zone={zone}
            isOk={(at) => at < to}
            onChange={(at) => set({ from: at })}
          />
          <Moment
            label={t('event.filter.to')}
            value={to}
            zone={zone}
            isOk={(at) => at > from}
            onChange={(at) => set({ to: at })}
          />
        </>
      )}
      <Select
        aria-label={t('event.filter.usecase')}
        placeholder={t('event.filter.allUsecases')}
        clearable
        value={uc ?? null}
        onChange={(next) =>
          set({
            uc: (next ?? undefined) as UsecaseKey | undefined,
            ...{ cid: undefined, uid: undefined, key: undefined },
          })
        }
        data={usecaseKeys.map((value) => ({ value, label: t(`usecase.name.${value}`) }))}
      />
      <CameraChoice
        value={cid}
        uc={uc}
        siteId={search.sid}
        customerId={customer?.customer_id}
        onChange={(next) => set({ cid: next, uid: undefined })}
      />
      {metrics.length > 1 && (
        <Select
          aria-label={t('event.filter.metric')}
          placeholder={t('event.filter.allMetrics')}
          clearable
          value={key ?? null}
          onChange={(next) => set({ key: (next ?? undefined) as EventSearch['key'] })}
          data={metrics.map((value) => ({ value, label: metricText(value, uc) }))}
        />
      )}
      {!isGallery && (
        <Select
          aria-label={t('event.filter.kind')}
          allowDeselect={false}
          value={show ?? 'began'}
          onChange={(next) => set({ show: next === 'began' ? undefined : (next as EventSearch['show']) })}
          data={(['began', ...shows] as const).map((value) => ({ value, label: t(`event.show.${value}`) }))}
        />
      )}
    </Group>
  )
}

type MomentProps = {
  label: string
  value: string
  zone: string | undefined
  /** Whether it is on the right side of the other end. */
  isOk: (at: string) => boolean
  onChange: (at: string) => void
}

/** Taken when it is complete: half a date would read everything anew. */
function Moment({ label, value, zone, isOk, onChange }: MomentProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<string | null>(null)
  const at = typed === null ? value : momentOf(typed, zone)
  const isWrong = at === null || !isOk(at)
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      value={typed ?? localOf(value, zone)}
      error={typed !== null && isWrong ? t('event.filter.wrongOrder') : undefined}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={() => {
        if (typed !== null && at && !isWrong) onChange(at)
        setTyped(null)
      }}
      onKeyDown={({ key }) => {
        if (key !== 'Enter' || typed === null || isWrong) return
        onChange(at)
        setTyped(null)
      }}
    />
  )
}
