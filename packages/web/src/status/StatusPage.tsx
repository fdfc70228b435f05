import { Button } from '@mantine/core'
import type { ApplicationStatus } from '@sightline/contract'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { diskText, diskTone, diskWay } from '../app/disk.ts'
import type { en } from '../i18n/en/index.ts'
import { formatBytes, formatClock, formatDuration, formatNumber } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go } from '../ui/Go.tsx'
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
          {status.jobs && (
            <Panel title={t('status.queues')} hint={t('status.queuesHint')}>
              <Queues jobs={status.jobs} />
            </Panel>
          )}
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
  const { database, disks, tzdata, uptime_s } = status
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
  const services = [
    ['websocket', status.websocket_module],
    ['smtp', status.smtp_module],
    ['sms', status.sms_module],
  ] as const
  return (
    <ul className={classes.modules}>
      {status.modules ? (
        status.modules.map((module) => <Module key={module.nimble_id ?? module.name} module={module} />)
      ) : (
        <li>
          <StatusDot tone={status.nimble_module ? 'ok' : 'neutral'} />
          <span className={classes.name}>{t('status.module.nimble')}</span>
          <span className="t2">{status.nimble_module ? t('status.on') : t('status.notSet')}</span>
        </li>
      )}
      {status.disks?.map((disk) => (
        <li key={disk.path}>
          <StatusDot tone={diskTone(disk)} />
          <span className={classes.name}>{t('status.disk.name')}</span>
          <span className="t2">
            {diskText(disk)} {diskTone(disk) !== 'ok' && diskWay(disk)}
          </span>
        </li>
      ))}
      {services.map(([name, isOn]) => (
        <li key={name}>
          <StatusDot tone={isOn ? 'ok' : 'neutral'} />
          <span className={classes.name}>{t(`status.module.${name}`)}</span>
          <span className="t2">{t(isOn ? `status.state.${name}` : `status.state.${name}Off`)}</span>
        </li>
      ))}
    </ul>
  )
}

/** The database or an edge server: how it is, and how much waits there. */
function Module({ module }: { module: NonNullable<ApplicationStatus['modules']>[number] }) {
  const { t } = useTranslation()
  const { name, state, cause, nimble_id, is_local, waiting_events } = module
  const words = [
    cause ? causeText(cause) : isKnown(state) ? t(`nimble.state.${state}`) : state,
    // The database keeps none.
    waiting_events === null
      ? nimble_id && t('status.eventsUnknown')
      : waiting_events > 0 && t('status.events', { count: waiting_events }),
  ]
  return (
    <li>
      <StatusDot tone={isKnown(state) ? toneOf[state] : 'warn'} />
      <span className={classes.name}>
        {nimble_id ? (
          <Go to="/configuration/detail" search={{ nid: nimble_id }}>
            {edgeName({ name, is_local })}
          </Go>
        ) : (
          t('status.database')
        )}
      </span>
      <span className="t2">{words.filter(Boolean).join(' · ')}</span>
    </li>
  )
}

type Kind = keyof (typeof en)['status']['job']
const isKind = (kind: string): kind is Kind => i18n.exists(`status.job.${kind}`)

/** Long work by what it is about. */
function Queues({ jobs: { kinds } }: { jobs: NonNullable<ApplicationStatus['jobs']> }) {
  const { t } = useTranslation()
  if (kinds.length === 0) return <p className="t2">{t('status.idle')}</p>
  return (
    <ul className={classes.modules}>
      {kinds.map(({ kind, running, waiting, failed }) => {
        const name = kind.replace('.', '_')
        const words = [
          running > 0 && t('status.running', { count: running }),
          waiting > 0 && t('status.waiting', { count: waiting }),
          failed > 0 && t('status.failed', { count: failed }),
        ]
        return (
          <li key={kind}>
            <StatusDot tone={failed > 0 ? 'bad' : running > 0 ? 'ok' : 'neutral'} />
            <span className={classes.name}>{isKind(name) ? t(`status.job.${name}`) : kind}</span>
            <span className="t2 num">{words.filter(Boolean).join(' · ')}</span>
          </li>
        )
      })}
    </ul>
  )
}
