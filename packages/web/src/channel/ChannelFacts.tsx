import type { ChannelStatus } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSiteTime } from '../i18n/format.ts'
import { causeText, clockText } from '../i18n/words.ts'
import { Facts } from '../ui/Facts.tsx'

/** What should run, what runs, and why they differ. */
export function ChannelFacts({ status, timezone }: { status: ChannelStatus; timezone: string }) {
  const { t } = useTranslation()
  const { desired_version: desired, applied_version: applied, fps, expected_fps: expected } = status
  const configuration =
    applied === null
      ? t(`channel.detail.${status.channel_state === 'saved' ? 'notYet' : 'sentOnly'}`)
      : applied === desired
        ? t('channel.detail.inSync', { version: desired })
        : t('channel.detail.waiting', { desired, applied })
  return (
    <Facts
      items={[
        [
          t('common.state'),
          `${t(`channel.state.${status.channel_state}`)}${status.state_cause ? ` · ${causeText(status.state_cause)}` : ''}`,
        ],
        [t('channel.detail.applied'), configuration],
        [
          t('channel.detail.fps'),
          fps === null || expected === null
            ? null
            : t('channel.detail.fpsOf', { fps: formatNumber(fps), expected: formatNumber(expected) }),
        ],
        [t('channel.detail.lastFrame'), status.last_frame_at && formatSiteTime(status.last_frame_at, timezone)],
        [t('channel.detail.lastRecord'), status.last_record_at && formatSiteTime(status.last_record_at, timezone)],
        [t('channel.detail.clock'), status.clock_offset_ms === null ? null : clockText(status.clock_offset_ms)],
        [t('channel.detail.reconnects'), status.reconnects === null ? null : formatNumber(status.reconnects)],
        [t('channel.detail.drops'), status.drops === null ? null : formatNumber(status.drops)],
      ]}
    />
  )
}
