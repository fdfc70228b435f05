import { Button } from '@mantine/core'
import type { Device, Site } from '@sightline/contract'
import { metricsOf } from '@sightline/domain'
import { IconCamera, IconStethoscope } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, report } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { hasScreen, useModules } from '../app/modules.ts'
import { formatTime } from '../i18n/format.ts'
import { causeText, usecaseBeside } from '../i18n/words.ts'
import { useTopic } from '../live.ts'
import type { Path } from '../screens.ts'
import { usecaseIcons } from '../ui/analytics/usecase-icons.ts'
import { useLevels } from '../ui/cameras/levels.ts'
import { liveFigure } from '../ui/cameras/live-figure.ts'
import { byCause } from '../ui/cameras/shared-cause.ts'
import { save } from '../ui/download.ts'
import { Go } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { shapesOf } from '../ui/live/ShapesOver.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import classes from './device.module.css'
import { HealthDay } from './HealthDay.tsx'
import { LatestEvents } from './LatestEvents.tsx'

const diagnostic: Path = '/channel/diagnostic'
const dayHeight = 120

/** The live picture large, with the zones of every analytic, how the day went below it and the latest events beside it. */
export function CameraView({ device, site }: { device: Device; site: Site }) {
  const { t } = useTranslation()
  const { device_id, device_name, device_health, health_cause, source_channels } = device
  const view = useQuery(api.device.view.query({ device_id }))
  useTopic('health', (message) => {
    if (message.device_id === device_id) void view.refetch()
  })
  const search = { sid: site.site_id, did: device_id }
  const modules = useModules()
  const [channel] = source_channels
  const health = view.data?.device.device_health ?? device_health
  const cause = view.data ? view.data.device.health_cause : health_cause
  const isIll = health === 'offline' || health === 'needs attention'
  return (
    <>
      <PageHeader
        title={device_name}
        meta={
          <>
            {site.site_name} · <HealthTag health={health} cause={isIll && cause ? causeText(cause) : null} />
          </>
        }
      >
        {isIll && channel && hasScreen(modules, diagnostic) && (
          <Button
            component={Go}
            to={diagnostic}
            search={{ did: device_id, cid: channel.channel_id, uid: channel.usecase_id }}
            variant="default"
            leftSection={<IconStethoscope size={16} />}
          >
            {t('device.diagnose')}
          </Button>
        )}
        <Button component={Go} to="/device/detail" search={search} variant="default">
          {t('device.about')}
        </Button>
        <Snapshot device={device} zone={site.site_address.site_timezone} />
      </PageHeader>
      <div className={classes.columns}>
        <div className={classes.main}>
          <LivePicture
            deviceId={device_id}
            siteId={site.site_id}
            label={device_name}
            still={view.data?.snapshot_url}
            shapes={source_channels.flatMap(({ zones }) => shapesOf(zones))}
          />
          <UsecaseStrip device={device} />
          {view.data ? (
            <HealthDay stretches={view.data.health} device={device} zone={site.site_address.site_timezone} />
          ) : (
            view.isPending && <BlockSkeleton height={dayHeight} />
          )}
        </div>
        <LatestEvents device={device} />
      </div>
    </>
  )
}

/** The analytics of a camera with their numbers of now, and what keeps one or several from counting well. */
function UsecaseStrip({ device: { device_id, health_cause, source_channels } }: { device: Device }) {
  const { t } = useTranslation()
  const levels = useLevels()
  if (source_channels.length === 0) return null
  const groups = byCause(source_channels, health_cause)
  const shared = groups.filter(({ length }) => length > 1)
  const alone = new Set(groups.flatMap(([first, ...others]) => (first && others.length === 0 ? first.channel_id : [])))
  return (
    <>
      {shared.map(([first]) => (
        <p key={first?.channel_id} className={classes.shared} role="status">
          {causeText(first?.state_cause ?? '')}
        </p>
      ))}
      <nav className={classes.strip} aria-label={t('channel.list')}>
        {source_channels.map(({ channel_id, channel_name, usecase_id, usecase_key, channel_health, state_cause }) => {
          const Icon = usecaseIcons[usecase_key]
          const now = levels[channel_id]
          const figures = metricsOf(usecase_key).flatMap((metric) => {
            const value = now?.[metric]
            return value === undefined ? [] : [liveFigure(usecase_key, metric, value)]
          })
          return (
            <Go
              key={channel_id}
              to="/channel/detail"
              search={{ did: device_id, cid: channel_id, uid: usecase_id }}
              className={classes.usecase}
            >
              <Icon size={18} stroke={1.7} aria-hidden="true" />
              <span>
                <b>{channel_name}</b>
                <span className="t3 num">{figures.join(' · ') || usecaseBeside(channel_name, usecase_key)}</span>
                {(alone.has(channel_id) || channel_health === 'unknown') && (
                  <span className="t3">{state_cause ? causeText(state_cause) : t(`health.${channel_health}`)}</span>
                )}
              </span>
            </Go>
          )
        })}
      </nav>
    </>
  )
}

/** Saves the picture of now as the portal serves it, masked where masks are; without an analytic the newest still. */
function Snapshot({ device: { device_id, device_name, source_channels }, zone }: { device: Device; zone: string }) {
  const { t } = useTranslation()
  const [isTaking, setIsTaking] = useState(false)
  const take = async () => {
    setIsTaking(true)
    const [channel] = source_channels
    const taken = channel
      ? await api.channel.ondemand.call({ channel_id: channel.channel_id })
      : await api.device.view.call({ device_id })
    setIsTaking(false)
    if (!taken.status) return report(taken.failure)
    const url = 'snapshot_url' in taken.data ? taken.data.snapshot_url : null
    if (!url) return notify({ type: 'warning', text: t('live.noPicture') })
    const name = `${device_name} ${formatTime(Date.now(), zone)}`.replace(/[^\p{L}\p{N}]+/gu, '-')
    save(url, `${name}.jpg`)
  }
  return (
    <Button leftSection={<IconCamera size={16} />} loading={isTaking} onClick={() => void take()}>
      {t('device.snapshot')}
    </Button>
  )
}
