import { Alert, Button } from '@mantine/core'
import type { Channel } from '@sightline/contract'
import { metricRule, metricsOf } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatDuration, formatNumber } from '../i18n/format.ts'
import { metricText } from '../i18n/words.ts'
import { useTopic } from '../live.ts'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { liveValue } from '../ui/cameras/live-figure.ts'
import { Go } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import type { LiveOverlay } from '../ui/live/player.ts'
import type { StepProps } from './Onboarding.tsx'
import classes from './onboarding.module.css'
import { StepCard } from './StepCard.tsx'
import { spentSeconds } from './state.ts'

/** After so long without an event the page of the analytic is offered. */
const slowMs = 45_000

export function EventStep({ run, onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  if (!run.channel)
    return <StepCard title={t('onboarding.event.title')} text={t('onboarding.event.none')} onSkip={onSkip} />
  return <Waiting channel={run.channel} hadEvent={run.hasEvent} onNext={onNext} onSkip={onSkip} />
}

type Props = { channel: Channel; hadEvent: boolean; onNext: () => void; onSkip: () => void }

function Waiting({ channel, hadEvent, onNext, onSkip }: Props) {
  const { t } = useTranslation()
  const [levels, setLevels] = useState<Readonly<Record<string, number>>>({})
  const [overlay, setOverlay] = useState<LiveOverlay | null>(null)
  const [records, setRecords] = useState(0)
  const [firstAfterSeconds, setFirstAfter] = useState<number | null>(null)
  const [isSlow, setIsSlow] = useState(false)
  const status = useQuery({ ...api.channel.status.query({ channel_id: channel.channel_id }), refetchInterval: 5000 })

  useTopic('event', (message) => {
    if (message.channel_id !== channel.channel_id) return
    setLevels(message.levels)
    setRecords((now) => now + message.records)
    if (records === 0) void status.refetch()
    if (!hadEvent && firstAfterSeconds === null) {
      setFirstAfter(spentSeconds())
      refresh('event')
    }
  })
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [])

  const watchesPeople = channel.usecase_key !== 'emptyframecheck'
  // How many are there now stands in the picture; beside it belongs what adds up.
  const counters = metricsOf(channel.usecase_key).filter((id) => metricRule(channel.usecase_key, id).face !== 'level')
  const isCounting = hadEvent || records > 0
  const search = { did: channel.device_id, cid: channel.channel_id, uid: channel.usecase_id }
  const text = !isCounting
    ? t('onboarding.event.text')
    : firstAfterSeconds !== null && t('onboarding.event.arrivedText', { time: formatDuration(firstAfterSeconds) })
  return (
    <StepCard
      title={isCounting ? t('onboarding.event.arrived') : t('onboarding.event.title')}
      text={text}
      onNext={isCounting ? onNext : undefined}
      onSkip={isCounting ? undefined : onSkip}
      aside={
        isSlow && (
          <Button component={Go} to="/channel/detail" search={search} variant="default">
            {t('onboarding.event.open')}
          </Button>
        )
      }
    >
      <LivePicture
        channelId={channel.channel_id}
        siteId={channel.site_id}
        label={channel.channel_name}
        onOverlay={setOverlay}
      />
      <dl className={classes.counter}>
        {watchesPeople && (
          <div>
            <dt>{t('onboarding.event.now')}</dt>
            <dd className="num">{overlay ? formatNumber(overlay.boxes.length) : '–'}</dd>
          </div>
        )}
        {counters.map((id) => (
          <div key={id}>
            <dt>{metricText(id, channel.usecase_key)}</dt>
            <dd className="num">{levels[id] === undefined ? '–' : liveValue(id, levels[id])}</dd>
          </div>
        ))}
        <div>
          <dt>{t('onboarding.event.state')}</dt>
          <dd>
            <ChannelHealth channel={status.data ?? channel} />
          </dd>
        </div>
      </dl>
      <span className="muted num" role="status">
        {records > 0 && t('onboarding.event.records', { count: records })}
      </span>
      {isSlow && !isCounting && (
        <Alert color="orange" variant="light" title={t('onboarding.event.slow')} mt="md">
          {t('onboarding.event.slowText')}
        </Alert>
      )}
    </StepCard>
  )
}
