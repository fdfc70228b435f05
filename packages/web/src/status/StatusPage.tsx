import { Button } from '@mantine/core'
import type { ApplicationStatus } from '@sightline/contract'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import type { en } from '../i18n/en/index.ts'
import { formatBytes, formatClock, formatDuration, formatNumber } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { causeText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { StatusDot } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import type { Tone } from '../ui/tone.ts'
import classes from './status.module.css'

export function StatusPage() {
  const { t } = useTranslation()
  const isDetail = useMay('admin_and_above')
  const query = useQuery({ ...api.status.get.query({ is_detail: isDetail }), refetchInterval: 10_000 })
  const status = query.data
  return (
    <>
      <PageHeader
        title={t('status.title')}
        meta={status && t('common.updated', { time: formatClock(query.dataUpdatedAt) })}
      >
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={query.isFetching}
          onClick={() => void query.refetch()}
        >
          {t('status.refresh')}
        </Button>
      </PageHeader>
      {query.isError && !status ? (
        <Panel>
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        </Panel>
      ) : !status ? (
        <Panel>
          <BlockSkeleton height={300} />
        </Panel>
      ) : (
        <div className={classes.panels}>
          <Panel title={t('status.modules')}>
            <Modules status={status} />
          </Panel>
          <Panel title={status.brand_name} hint={isDetail ? undefined : t('status.publicOnly')}>
            <Figures status={status} />
          </Panel>
        </div>
      )}
    </>
  )
}

function useFacts(status: ApplicationStatus): [string, string][] {
  const { t } = useTranslation()
  const { database, disks, jobs, tzdata, uptime_s } = status
  const facts: [string, string][] = [
    [t('status.version'), status.version],
    [t('status.licenses'), formatNumber(status.license_count)],
  ]
  if (uptime_s !== undefined) facts.push([t('status.uptime'), formatDuration(uptime_s)])
  if (database)
    facts.push(
      [t('status.database'), database.version],
      [t('status.databaseSize'), formatBytes(database.size_bytes)],
      [t('status.rowSecurity'), database.row_security ? t('status.on') : t('status.off')],
    )
  if (jobs) facts.push([t('status.jobs'), formatNumber(jobs.running)])
  for (const disk of disks ?? [])
    facts.push([
      `${t('status.disks')} ${disk.path}`,
      t('status.free', { free: formatBytes(disk.free_bytes), total: formatBytes(disk.total_bytes) }),
    ])
  if (tzdata) facts.push([t('status.tzdata'), tzdata])
  return facts
}

const Figures = ({ status }: { status: ApplicationStatus }) => <Facts items={useFacts(status)} />

type ModuleState = keyof (typeof en)['nimble']['state']
const isKnown = (state: string): state is ModuleState => i18n.exists(`nimble.state.${state}`)
const toneOf: Record<ModuleState, Tone> = {
  online: 'ok',
  connecting: 'warn',
  unreachable: 'bad',
  refused: 'bad',
  new: 'neutral',
}

function Modules({ status }: { status: ApplicationStatus }) {
  const { t } = useTranslation()
  const detailed = status.modules
  if (detailed)
    return (
      <ul className={classes.modules}>
        {detailed.map((module) => (
          <li key={module.name}>
            <StatusDot tone={isKnown(module.state) ? toneOf[module.state] : 'warn'} />
            <span className={classes.name}>{module.name === 'database' ? t('status.database') : module.name}</span>
            <span className="t2">
              {module.cause
                ? causeText(module.cause)
                : isKnown(module.state)
                  ? t(`nimble.state.${module.state}`)
                  : module.state}
            </span>
          </li>
        ))}
      </ul>
    )
  const flags = [
    ['nimble', status.nimble_module],
    ['websocket', status.websocket_module],
    ['smtp', status.smtp_module],
    ['sms', status.sms_module],
  ] as const
  return (
    <ul className={classes.modules}>
      {flags.map(([name, isOn]) => (
        <li key={name}>
          <StatusDot tone={isOn ? 'ok' : 'neutral'} />
          <span className={classes.name}>{t(`status.module.${name}`)}</span>
          <span className="t2">{isOn ? t('status.on') : t('status.notSet')}</span>
        </li>
      ))}
    </ul>
  )
}
