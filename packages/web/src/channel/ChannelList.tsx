import { Button, Select, Switch } from '@mantine/core'
import { type Channel, type ChannelStats, type Device, api as table } from '@sightline/contract'
import { type UsecaseKey, usecaseKeys } from '@sightline/domain'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { usePages } from '../ui/pages.ts'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { SelectionBar, useSelection } from '../ui/selection.tsx'
import { AssignChannels } from './AssignChannels.tsx'

const figure = (value: number | null | undefined) => (value === null || value === undefined ? '–' : formatNumber(value))

/** So many analytics get their figures at once. */
const pieceSize = 100
/** A list over several streams leaves out the health check of single cameras, unless one asks for it. */
const counting = usecaseKeys.filter((key) => key !== 'emptyframecheck')

/** What an analytic that needs attention has for its health. */
const ill: readonly string[] = ['needs attention', 'offline'] satisfies Channel['channel_health'][]

type Asked = { q: string; uc: UsecaseKey | undefined; isIll: boolean; site_id?: string; customer_id?: string }

/** What is listed: of a camera all at once, of all in reach page by page. */
function useChannels(device: Device | null, { q, uc, isIll, site_id, customer_id }: Asked) {
  const { t } = useTranslation()
  const ofDevice = useQuery({
    ...api.channel.list.query({ device_id: device?.device_id }),
    enabled: device !== null,
  })
  // What is ill is listed whatever it is.
  const wanted = {
    q: q || undefined,
    usecase_key: uc ? [uc] : isIll ? undefined : counting,
    needs_attention: isIll || undefined,
    site_id,
    customer_id,
  }
  const pages = usePages(api.channel.mine, wanted, device === null)
  const all = ofDevice.data
  const several = new Set(all?.map(({ source_id }) => source_id)).size > 1
  const here = useMemo(() => {
    const wanted = uc ? [uc] : several && !isIll ? counting : usecaseKeys
    return all?.filter(
      ({ channel_name, usecase_key, channel_health }) =>
        wanted.includes(usecase_key) &&
        (!isIll || ill.includes(channel_health)) &&
        `${channel_name} ${t(`usecase.name.${usecase_key}`)}`.toLowerCase().includes(q.toLowerCase()),
    )
  }, [all, several, q, uc, isIll, t])
  if (!device) return { ...pages, isHealthHidden: !uc && !isIll }
  return {
    rows: here,
    total: here?.length,
    error: ofDevice.error,
    retry: () => void ofDevice.refetch(),
    remote: { hasMore: false, isFetching: false, isStale: false, more: () => undefined },
    isHealthHidden: several && !uc && !isIll,
  }
}

type Props = {
  device: Device | null
  /** Where those of all in reach are narrowed to a site or a customer. */
  within?: { name: string; site_id?: string; customer_id?: string }
}

/** The analytics of a camera with their figures of 24 hours; without a camera those of all in reach. */
export function ChannelList({ device, within }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const navigate = useNavigate()
  const mayEdit = useMay('edit')
  const { q: asked = '', uc, state }: { q?: string; uc?: UsecaseKey; state?: string } = useSearch({ strict: false })
  const isIll = state !== undefined
  const q = asked.trim()
  const { rows, total, error, retry, remote, isHealthHidden } = useChannels(device, {
    q,
    uc,
    isIll,
    site_id: within?.site_id,
    customer_id: within?.customer_id,
  })
  const filter = (next: { uc?: string | undefined; state?: string | undefined }) =>
    void navigate({ to: '.', search: ((now: object) => ({ ...now, ...next })) as never, replace: true })
  const pieces = Array.from({ length: Math.ceil((rows?.length ?? 0) / pieceSize) }, (_, piece) =>
    (rows ?? []).slice(piece * pieceSize, (piece + 1) * pieceSize).map(({ channel_id }) => channel_id),
  )
  const stats = useQueries({
    queries: pieces.map((channel_id) => api.channel.stats.query({ channel_id })),
    combine: (found) => new Map(found.flatMap(({ data = [] }) => data.map((one) => [one.channel_id, one] as const))),
  })
  const [isAssigning, setIsAssigning] = useState(false)
  const selection = useSelection(device?.device_id ?? '', rows ?? [], ({ channel_id }) => channel_id)
  const [isAsked, setIsAsked] = useState(false)
  const [showsPeople, setShowsPeople] = useState(false)
  const wish = table.channel.assign.input.shape.channel_id.safeParse(selection.rows.map(({ channel_id }) => channel_id))
  /** Stays until it is put right. */
  const fault = isAsked ? (wish.error?.issues[0]?.message ?? null) : null
  const choosePeople = () => {
    setIsAsked(true)
    setShowsPeople(wish.success)
  }
  const endAssigning = () => {
    setIsAssigning(false)
    selection.clear()
    setIsAsked(false)
  }
  const columns = useMemo((): Column<Channel>[] => {
    const number = (id: string, header: string, read: (one: ChannelStats) => number | null): Column<Channel> => ({
      id,
      header,
      align: 'right',
      cell: ({ channel_id }) => {
        const one = stats.get(channel_id)
        return <span className="num">{figure(one && read(one))}</span>
      },
    })
    return [
      {
        id: 'name',
        header: t('common.name'),
        value: (row) => row.channel_name,
        cell: (row) => (
          <Go
            to="/channel/detail"
            search={{ did: row.device_id, cid: row.channel_id, uid: row.usecase_id }}
            className="strong"
          >
            {row.channel_name}
          </Go>
        ),
      },
      ...(device
        ? []
        : [
            {
              id: 'camera',
              header: t('channel.camera'),
              cell: (row: Channel) => <CameraName deviceId={row.device_id} />,
            },
          ]),
      {
        id: 'usecase',
        header: t('channel.add.usecase'),
        value: (row) => t(`usecase.name.${row.usecase_key}`),
        cell: (row) => <span className="t2">{t(`usecase.name.${row.usecase_key}`)}</span>,
      },
      {
        id: 'health',
        header: t('common.state'),
        value: (row) => t(`health.${row.channel_health}`),
        cell: (row) => <ChannelHealth channel={row} />,
      },
      number('total', t('usecase.metric.total'), (one) => one.channel_total_detection),
      number('violation', t('usecase.metric.violation'), (one) => one.channel_violation),
      number('non_violation', t('usecase.metric.non_violation'), (one) => one.channel_nonviolation),
      {
        id: 'threshold',
        header: t('channel.threshold'),
        align: 'right',
        hideOnPhone: true,
        value: (row) => row.channel_threshold,
        // −1 is none.
        cell: (row) => <span className="num">{row.channel_threshold > 0 ? figure(row.channel_threshold) : '–'}</span>,
      },
      {
        id: 'autoRecovery',
        header: t('channel.field.autoRecovery'),
        hideOnPhone: true,
        value: (row) => t(row.auto_recovery ? 'common.yes' : 'common.no'),
        cell: (row) => <span className="t2">{t(row.auto_recovery ? 'common.yes' : 'common.no')}</span>,
      },
    ]
  }, [t, stats, device])

  const of = device?.device_name ?? within?.name
  const add = device && (
    <Button
      component={Go}
      to="/channel/add"
      search={{ did: device.device_id }}
      leftSection={<IconPlus size={16} />}
      data-create
    >
      {t('channel.attach')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={of ? t('channel.listOf', { camera: of }) : t('channel.list')}
        meta={[
          typeof total === 'number' && t('channel.meta', { count: total }),
          isHealthHidden && t('channel.healthCheckHidden'),
        ]
          .filter(Boolean)
          .join(' · ')}
      >
        {mayEdit && rows && rows.length > 0 && !isAssigning && (
          <Button variant="default" leftSection={<IconUsers size={16} />} onClick={() => setIsAssigning(true)}>
            {t('channel.assign.open')}
          </Button>
        )}
        {mayEdit && rows && rows.length > 0 && add}
      </PageHeader>
      <Panel flush>
        {error && !rows ? (
          <ErrorPanel error={error} onRetry={retry} />
        ) : !rows ? (
          <RowsSkeleton />
        ) : (
          <DataTable
            label={t('channel.list')}
            columns={columns}
            rows={rows}
            rowId={({ channel_id }) => channel_id}
            filterLabel={t(device ? 'channel.filter' : 'channel.filterAll')}
            remote={remote}
            filters={
              <>
                <Select
                  w={220}
                  aria-label={t('event.filter.usecase')}
                  placeholder={t('event.filter.allUsecases')}
                  clearable
                  value={uc ?? null}
                  onChange={(next) => filter({ uc: next ?? undefined })}
                  data={usecaseKeys.map((value) => ({ value, label: t(`usecase.name.${value}`) }))}
                />
                <Switch
                  style={{ alignSelf: 'center' }}
                  label={t('channel.onlyAttention')}
                  checked={isIll}
                  onChange={({ currentTarget }) => filter({ state: currentTarget.checked ? 'attention' : undefined })}
                />
              </>
            }
            isFiltered={q !== '' || uc !== undefined || isIll || remote.isStale}
            onClearFilters={() => filter({ uc: undefined, state: undefined })}
            selection={isAssigning ? { of: selection, labelOf: ({ channel_name }) => channel_name } : undefined}
            footer={
              isAssigning && (
                <SelectionBar of={selection} stays fault={fault && fieldText(fault)}>
                  <Button size="xs" variant="default" onClick={endAssigning}>
                    {t('common.cancel')}
                  </Button>
                  <Button size="xs" onClick={choosePeople}>
                    {t('channel.assign.choose')}
                  </Button>
                </SelectionBar>
              )
            }
            onRowClick={(row) =>
              go('/channel/detail', { did: row.device_id, cid: row.channel_id, uid: row.usecase_id })
            }
            empty={
              device ? (
                <Empty title={t('channel.empty')} text={t('channel.emptyText')} action={add} forbidden={!mayEdit} />
              ) : (
                <Empty
                  title={t('dashboard.empty')}
                  text={t('channel.emptyText')}
                  action={
                    <Button component={Go} to="/site">
                      {t('site.title')}
                    </Button>
                  }
                />
              )
            }
          />
        )}
      </Panel>
      <AssignChannels channels={selection.rows} opened={showsPeople} onClose={() => setShowsPeople(false)} />
    </>
  )
}

/** Asked for by the rows that are drawn alone. */
function CameraName({ deviceId }: { deviceId: string }) {
  const nameOf = useCameraNames([deviceId])
  return <span className="t2">{nameOf(deviceId) ?? '–'}</span>
}
