import { Button } from '@mantine/core'
import type { Reply, Site, api as table } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { CameraGrid, CameraTile } from '../ui/CameraTile.tsx'
import { useStill } from '../ui/cameras/useStill.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { toneOf } from '../ui/tone.ts'
import { useSeen } from '../ui/useSeen.ts'
import classes from './site.module.css'

/** So many cameras are shown with their pictures; all of them stand in the list. */
const mostTiles = 24
/** So many tags stand on a picture, which more would cover. */
const mostTags = 3

/** The cameras of a site as pictures, each with its tags. @param empty stands in their place where there are none */
export function SiteTiles({ site, empty }: { site: Site; empty: ReactNode }) {
  const { t } = useTranslation()
  const { customer_id, site_id } = site
  const view = useQuery(api.customer.view.query({ customer_id, site_id, type: 1, limit: mostTiles }))
  if (view.isError && !view.data) return <ErrorPanel error={view.error} onRetry={() => void view.refetch()} />
  if (!view.data) return <BlockSkeleton height={240} />
  const devices = view.data.sites.find((one) => one.site_id === site_id)?.devices ?? []
  if (devices.length === 0) return empty
  return (
    <div className="stack">
      <CameraGrid label={t('site.camerasTab')}>
        {devices.map((device) => (
          <SiteTile key={device.device_id} siteId={site_id} device={device} />
        ))}
      </CameraGrid>
      {site.site_total_devices > devices.length && (
        <Button
          component={Go}
          to="/device"
          search={{ sid: site_id }}
          variant="default"
          style={{ justifySelf: 'center' }}
        >
          {t('site.allCameras', { count: site.site_total_devices })}
        </Button>
      )}
    </div>
  )
}

type SiteDevice = Reply<(typeof table)['customer']['view']>['sites'][number]['devices'][number]

function SiteTile({ siteId, device }: { siteId: string; device: SiteDevice }) {
  const { t } = useTranslation()
  const [tile, isSeen] = useSeen<HTMLAnchorElement>()
  const still = useStill(device, isSeen)
  return (
    <CameraTile
      ref={tile}
      to="/device/detail"
      search={{ sid: siteId, did: device.device_id }}
      name={device.device_name}
      detail={device.channels.map((one) => t(`usecase.name.${one.usecase_key}`)).join(', ')}
      still={still}
      tone={toneOf[device.device_health]}
      status={t(`health.${device.device_health}`)}
    >
      <Chips tags={Object.entries(device.device_tags)} />
    </CameraTile>
  )
}

const Chips = ({ tags }: { tags: readonly (readonly [string, string])[] }) => (
  <span className={classes.chips}>
    {tags.slice(0, mostTags).map(([key, value]) => (
      <span key={key} className={classes.chip}>
        {key} {value}
      </span>
    ))}
    {tags.length > mostTags && <span className={`${classes.chip} num`}>+{formatNumber(tags.length - mostTags)}</span>}
  </span>
)
