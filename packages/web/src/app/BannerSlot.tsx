import { CloseButton, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconClock, IconLock, IconPlugConnectedX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useStore } from '../store.ts'
import classes from './BannerSlot.module.css'
import { type Banner, banners, currentBanner, dismissBanner } from './banner.ts'

const icons: Record<Banner['icon'], typeof IconClock> = {
  plug: IconPlugConnectedX,
  clock: IconClock,
  lock: IconLock,
  alert: IconAlertTriangle,
}

/** The one slot for conditions that last: the worst one shows. */
export function BannerSlot() {
  const { t } = useTranslation()
  const banner = useStore(banners, currentBanner)
  if (!banner) return null
  const Icon = icons[banner.icon]
  return (
    <div
      className={`${classes.root} no-print`}
      data-color={banner.color}
      role={banner.color === 'bad' ? 'alert' : 'status'}
    >
      <Icon size={18} className={classes.icon} aria-hidden="true" />
      <span className={classes.text}>
        <b>{banner.message}</b> {banner.detail && <span className="t2 num">{banner.detail}</span>}
      </span>
      {banner.action && (
        <UnstyledButton className={classes.action} onClick={banner.action.run}>
          {banner.action.label}
        </UnstyledButton>
      )}
      <CloseButton size="sm" aria-label={t('shell.dismiss')} onClick={() => dismissBanner(banner)} />
    </div>
  )
}
