import { Button } from '@mantine/core'
import type { License, Nimble } from '@sightline/contract'
import { IconPlus, IconServer2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useEdges } from '../app/edge.ts'
import { formatBytes, formatPercent } from '../i18n/format.ts'
import { edgeName, licenseName } from '../i18n/seeded.ts'
import { causeText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { Empty } from '../ui/Empty.tsx'
import { Go } from '../ui/Go.tsx'
import { StatusDot, Tag } from '../ui/Health.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Spark } from '../ui/Spark.tsx'
import classes from './nimble.module.css'
import { edgeState, edgeTone, placeOf } from './state.ts'

/** The edge servers, each with its state and load. */
export function EdgeList() {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { edges, error, retry } = useEdges()
  const { data: licenses = [] } = useQuery(api.license.list.query({}))
  const add = (
    <Button component={Go} to="/configuration/add" leftSection={<IconPlus size={16} />} data-create>
      {t('nimble.add')}
    </Button>
  )
  const online = edges?.filter((one) => edgeState(one) === 'online').length ?? 0
  return (
    <>
      <PageHeader
        title={t('screen./configuration')}
        meta={edges && edges.length > 0 && t('nimble.meta', { online, total: edges.length })}
      >
        {mayEdit && edges && edges.length > 0 && add}
      </PageHeader>
      <Loaded
        rows={edges}
        error={error}
        onRetry={retry}
        skeleton={{ rows: 3, height: 96 }}
        empty={
          <Empty
            icon={<IconServer2 stroke={1.5} />}
            title={t('nimble.empty')}
            text={licenses.length > 0 ? t('nimble.emptyText') : t('nimble.emptyNoLicense')}
            forbidden={!mayEdit}
            action={
              licenses.length > 0 ? (
                add
              ) : (
                <Button component={Go} to="/license">
                  {t('nimble.addLicense')}
                </Button>
              )
            }
          />
        }
      >
        {(rows) => (
          <div className={classes.cards}>
            {rows.map((one) => (
              <EdgeCard
                key={one.nimble_id}
                nimble={one}
                license={licenses.find((license) => license.license_id === one.license_id) ?? null}
              />
            ))}
          </div>
        )}
      </Loaded>
    </>
  )
}

function EdgeCard({ nimble, license }: { nimble: Nimble; license: License | null }) {
  const { t } = useTranslation()
  const state = edgeState(nimble)
  const { status } = nimble
  const { data: stats } = useQuery({
    ...api.nimble.stats.query({ nimble_id: nimble.nimble_id }),
    refetchInterval: 60_000,
  })
  const last = stats?.points.at(-1)
  return (
    <article className={classes.card}>
      <div className={classes.head}>
        <IconServer2 size={20} stroke={1.6} aria-hidden="true" />
        <Go to="/configuration/detail" search={{ nid: nimble.nimble_id }} className={classes.name}>
          {edgeName(nimble)}
        </Go>
        {nimble.is_local && <Tag>{t('nimble.local')}</Tag>}
        <span className={classes.state}>
          <StatusDot tone={edgeTone[state]} pulse={state === 'connecting'} /> {t(`nimble.state.${state}`)}
        </span>
      </div>
      <div className="muted num">{placeOf(nimble) || t('nimble.mode.enrolled')}</div>
      {status?.cause && <div className={classes.cause}>{causeText(status.cause)}</div>}
      <dl className={classes.figures}>
        <div>
          <dt>{t('nimble.channelsLabel')}</dt>
          <dd className="num">
            {status ? t('nimble.channels', { running: status.channels_running ?? '–', total: status.channels }) : '–'}
          </dd>
        </div>
        <div>
          <dt>{t('nimble.license')}</dt>
          <dd className="num">
            {license
              ? `${licenseName(license)} · ${license.channels_used}/${license.channel_limit}`
              : t('nimble.noLicense')}
          </dd>
        </div>
        <div>
          <dt>{t('nimble.cpu')}</dt>
          <dd className="num">
            {last?.cpu == null ? '–' : formatPercent(last.cpu)}
            {stats && <Spark values={stats.points.map((point) => point.cpu)} className={classes.spark} />}
          </dd>
        </div>
        <div>
          <dt>{t('nimble.memory')}</dt>
          <dd className="num">
            {last?.memory_bytes == null ? '–' : formatBytes(last.memory_bytes)}
            {stats && <Spark values={stats.points.map((point) => point.memory_bytes)} className={classes.spark} />}
          </dd>
        </div>
      </dl>
    </article>
  )
}
