import type { PipelineUse } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { Go } from './Go.tsx'

type Props = { channels: PipelineUse['channels']; most?: number }

/** The analytics that run a pipeline, each with the way to it. */
export function PipelineUsers({ channels, most = channels.length }: Props) {
  const { t } = useTranslation()
  const rest = channels.length - most
  return (
    <span>
      {channels.slice(0, most).map(({ channel_id, channel_name, device_id, usecase_id }, index) => (
        <span key={channel_id}>
          {index > 0 && ', '}
          <Go to="/channel/detail" search={{ did: device_id, cid: channel_id, uid: usecase_id }}>
            {channel_name}
          </Go>
        </span>
      ))}
      {rest > 0 && <span className="muted"> {t('pipeline.more', { count: rest })}</span>}
    </span>
  )
}
