import { Button, Progress, UnstyledButton } from '@mantine/core'
import type { Device, Nimble, NimbleSync } from '@sightline/contract'
import { IconChevronRight, IconGripVertical, IconServer2 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallFailed } from '../api.ts'
import { api } from '../app/client.ts'
import { useEdges } from '../app/edge.ts'
import { camerasOfEdge, type Movable } from '../app/moving.ts'
import { formatNumber } from '../i18n/format.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText, usecaseBeside } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { MoveCameras } from '../ui/cameras/MoveCameras.tsx'
import { isAmong, repeatedCauses } from '../ui/cameras/shared-cause.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { StatusDot, Tag } from '../ui/Health.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { Steps, type SyncItem } from '../ui/Steps.tsx'
import { useSites } from '../ui/site-zones.ts'
import type { Tone } from '../ui/tone.ts'
import classes from './nimble.module.css'
import { edgeState, edgeTone } from './state.ts'
import { type CameraDrag, useCameraDrag } from './useCameraDrag.tsx'

type Sync = NimbleSync['sync']
const syncTone: Record<Sync, Tone> = {
  in_sync: 'ok',
  pending: 'info',
  drifted: 'warn',
  refused: 'bad',
  unreachable: 'warn',
}
/** So many edge servers show what they run without being opened. */
const openAtOnce = 2
/** So many cameras of one edge server are drawn at first. */
const firstCameras = 40

type Props = { openId: string | undefined; onOpen: (id: string | undefined) => void }
/** `target`: chosen already, by where they were let go. */
type Moving = { title: string; cameras: readonly Movable[]; target?: string }

/** What runs where, how far each piece is, and moving cameras from one edge server to another. */
export function Deployment({ openId, onOpen }: Props) {
  const { t } = useTranslation()
  const mayChange = useMay('super_admin_only')
  const { edges, error, retry } = useEdges()
  const [moving, setMoving] = useState<Moving | null>(null)
  const isMovable = mayChange && (edges?.length ?? 0) > 1
  const { drag, meanwhile } = useCameraDrag(
    edges ?? [],
    isMovable
      ? (camera, target) =>
          setMoving({ title: t('deployment.moveTitle', { name: camera.device_name }), cameras: [camera], target })
      : null,
  )
  const channels = edges?.reduce((sum, { status }) => sum + (status?.channels ?? 0), 0) ?? 0
  const differing = edges?.filter(({ status }) => status && status.sync !== 'in_sync').length ?? 0
  return (
    <>
      <PageHeader
        title={t('screen./deployment')}
        meta={
          edges &&
          edges.length > 0 &&
          [
            t('deployment.servers', { count: edges.length }),
            t('deployment.analytics', { count: channels }),
            differing > 0 && t('deployment.differing', { count: differing }),
          ]
            .filter(Boolean)
            .join(' · ')
        }
      />
      <Loaded
        rows={edges}
        error={error}
        onRetry={retry}
        skeleton={{ rows: 3, height: 96 }}
        empty={
          <Empty
            icon={<IconServer2 stroke={1.5} />}
            title={t('nimble.empty')}
            text={t('nimble.emptyText')}
            forbidden={!mayChange}
            action={
              <Button component={Go} to="/configuration/add">
                {t('nimble.add')}
              </Button>
            }
          />
        }
      >
        {(rows) =>
          rows.map((nimble) => (
            <Server
              key={nimble.nimble_id}
              nimble={nimble}
              isNamed={openId === nimble.nimble_id}
              isOneOfFew={rows.length <= openAtOnce}
              onOpen={onOpen}
              onMove={isMovable ? setMoving : null}
              drag={drag}
              mayChange={mayChange}
            />
          ))
        }
      </Loaded>
      <MoveCameras
        title={moving?.title ?? ''}
        cameras={moving?.cameras ?? []}
        target={moving?.target}
        edges={edges ?? []}
        onClose={() => setMoving(null)}
      />
      {meanwhile}
    </>
  )
}

type ServerProps = {
  nimble: Nimble
  /** The address names it: it stands open. */
  isNamed: boolean
  /** One of a few stands open until it is closed. */
  isOneOfFew: boolean
  onOpen: Props['onOpen']
  /** Null: nobody may, or there is nowhere to move to. */
  onMove: ((moving: Moving) => void) | null
  drag: CameraDrag | null
  mayChange: boolean
}

function Server({ nimble, isNamed, isOneOfFew, onOpen, onMove, drag, mayChange }: ServerProps) {
  const { t } = useTranslation()
  const [isClosed, setIsClosed] = useState(false)
  const shows = isNamed || (isOneOfFew && !isClosed)
  const { nimble_id, status } = nimble
  const name = edgeName(nimble)
  const state = edgeState(nimble)
  const resend = useMutation(api.nimble.resend.mutation())
  const cameras = useQuery<Device[], CallFailed>({
    queryKey: [...api.device.list.key(), 'edge', nimble_id],
    queryFn: () => camerasOfEdge(nimble_id),
    enabled: shows,
  })
  const bodyId = `hosted-${nimble_id}`
  const capacity = status?.capacity ?? null
  const used = status?.channels ?? 0
  const drain = () => onMove?.({ title: t('deployment.drainTitle', { name }), cameras: cameras.data ?? [] })
  return (
    <section
      className={`${classes.card} ${classes.server}`}
      style={{ padding: 0 }}
      aria-label={name}
      data-nimble={nimble_id}
      data-over={drag?.over === nimble_id || undefined}
    >
      <div className={classes.summary}>
        <h2 style={{ margin: 0, lineHeight: 1 }}>
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={shows}
            aria-controls={shows ? bodyId : undefined}
            onClick={() => {
              setIsClosed(shows)
              if (shows && isNamed) onOpen(undefined)
              if (!shows && !isOneOfFew) onOpen(nimble_id)
            }}
          >
            <IconChevronRight size={16} aria-hidden="true" />
            {name}
          </UnstyledButton>
        </h2>
        <span>
          <StatusDot tone={edgeTone[state]} pulse={state === 'connecting'} /> {t(`nimble.state.${state}`)}
        </span>
        {status && (
          <>
            <Tag tone={syncTone[status.sync]}>{t(`nimble.sync.${status.sync}`)}</Tag>
            <span className="muted num">
              {t('nimble.versions', { applied: status.applied_version ?? '–', desired: status.desired_version })}
            </span>
            <span className={classes.load}>
              <span className="muted num" style={{ fontSize: 12 }}>
                {capacity === null
                  ? t('deployment.usedUnknown', { used: formatNumber(used) })
                  : t('deployment.used', { used: formatNumber(used), capacity: formatNumber(capacity) })}
              </span>
              <Progress
                size="sm"
                value={capacity ? Math.min(100, (100 * used) / capacity) : 0}
                color={capacity !== null && used > capacity ? 'red.9' : 'brand.5'}
                aria-label={t('deployment.capacity', { name })}
              />
            </span>
          </>
        )}
        {mayChange && (
          <span style={{ display: 'inline-flex', gap: 8, marginLeft: 'auto' }}>
            {status && status.sync !== 'in_sync' && (
              <Button
                size="xs"
                variant="default"
                loading={resend.isPending}
                onClick={() => resend.mutate({ nimble_id })}
              >
                {t('sync.resend')}
              </Button>
            )}
            {onMove && shows && (
              <Button size="xs" variant="default" disabled={!cameras.data?.length} onClick={drain}>
                {t('deployment.drain')}
              </Button>
            )}
          </span>
        )}
      </div>
      {status?.sync === 'unreachable' && <p className={classes.waits}>{t('sync.waits', { name })}</p>}
      {shows && (
        <div id={bodyId}>
          {cameras.isError ? (
            <ErrorPanel error={cameras.error} onRetry={() => void cameras.refetch()} />
          ) : !cameras.data ? (
            <RowsSkeleton rows={3} />
          ) : (
            <Hosted nimble={nimble} cameras={cameras.data} onMove={onMove} drag={drag} />
          )}
        </div>
      )}
    </section>
  )
}

type HostedProps = { nimble: Nimble; cameras: readonly Device[] } & Pick<ServerProps, 'onMove' | 'drag'>

/** The cameras of one edge server, each with its streams and analytics and how far they are. */
function Hosted({ nimble, cameras, onMove, drag }: HostedProps) {
  const { t } = useTranslation()
  const { nimble_id } = nimble
  const [most, setMost] = useState(firstCameras)
  const sync = useQuery({ ...api.nimble.sync.query({ nimble_id }), refetchInterval: 10_000 })
  const sites = useQuery(api.site.list.query({}))
  const siteName = new Map(sites.data?.map(({ site_id, site_name }) => [site_id, site_name]))
  const shown = cameras.slice(0, most)
  // Of many sites the list has the first alone.
  const further = useSites(sites.data ? shown.flatMap(({ site_id }) => (siteName.has(site_id) ? [] : site_id)) : [])
  if (cameras.length === 0) return <Empty title={t('deployment.empty')} />
  if (sync.isError && !sync.data) return <ErrorPanel error={sync.error} onRetry={() => void sync.refetch()} />
  const items = Map.groupBy(sync.data?.items ?? [], ({ device_id }) => device_id)
  return (
    <>
      <ul className={classes.hosted}>
        {shown.map((camera) => {
          const pieces = items.get(camera.device_id) ?? []
          const shared = repeatedCauses(pieces.map(({ cause }) => cause))
          return (
            <li
              key={camera.device_id}
              data-grab={drag ? true : undefined}
              data-dragged={drag?.dragged?.device_id === camera.device_id || undefined}
              onPointerDown={drag ? (event) => drag.onPress(camera, event) : undefined}
            >
              {drag && (
                // The button at the end does the same by keyboard.
                <span className={classes.handle} data-handle aria-hidden="true" title={t('deployment.drag')}>
                  <IconGripVertical size={16} />
                </span>
              )}
              <span>
                <Go to="/device/detail" search={{ sid: camera.site_id, did: camera.device_id }} className="strong">
                  {camera.device_name}
                </Go>
                <br />
                <span className="muted">{siteName.get(camera.site_id) ?? further(camera.site_id)?.site_name}</span>
                {shared.map((cause) => (
                  <span key={cause} className={classes.ails}>
                    {causeText(cause)}
                  </span>
                ))}
              </span>
              <ul className={classes.pieces}>
                {pieces.map((item) => (
                  <Piece
                    key={item.id}
                    item={isAmong(shared, item.cause) ? { ...item, cause: null } : item}
                    camera={camera}
                  />
                ))}
              </ul>
              {onMove && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('deployment.moveOne', { name: camera.device_name })}
                  onClick={() =>
                    onMove({
                      title: t('deployment.moveTitle', { name: camera.device_name }),
                      cameras: [camera],
                    })
                  }
                >
                  {t('deployment.move')}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      {cameras.length > most && (
        <p className={classes.waits}>
          <Button size="xs" variant="subtle" onClick={() => setMost(most + firstCameras)}>
            {t('deployment.more', { count: cameras.length - most })}
          </Button>
        </p>
      )}
    </>
  )
}

function Piece({ item, camera }: { item: SyncItem; camera: Device }) {
  const { t } = useTranslation()
  const channel = camera.source_channels.find(({ channel_id }) => channel_id === item.id)
  const stream = camera.device_source.find(({ source_id }) => source_id === item.id)
  return (
    <li>
      <span className="truncate">
        {channel ? (
          <Go to="/channel/detail" search={{ did: camera.device_id, cid: channel.channel_id, uid: channel.usecase_id }}>
            {item.name}
          </Go>
        ) : (
          (stream?.source_name ?? item.name)
        )}{' '}
        <span className="muted">{channel ? usecaseBeside(item.name, channel.usecase_key) : t('sync.kind.source')}</span>
      </span>
      <Steps item={item} />
    </li>
  )
}
