import type { NimbleSync } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { formatSiteTime } from '../i18n/format.ts'
import { causeText } from '../i18n/words.ts'
import classes from './Steps.module.css'
import { useSiteZones } from './site-zones.ts'
import type { Tone } from './tone.ts'

export type SyncItem = NimbleSync['items'][number]

const way = ['saved', 'sent', 'applied', 'running'] as const
/** How far along the way each step is; what was stopped or refused came as far as the edge server. */
const reached: Record<SyncItem['step'], number> = { saved: 1, sent: 2, applied: 3, running: 4, stopped: 3, refused: 2 }
const toneOf = (step: SyncItem['step']): Tone =>
  step === 'running' ? 'ok' : step === 'refused' ? 'bad' : step === 'stopped' ? 'neutral' : 'warn'

/** Saved → sent → applied → running: how far a piece of the configuration is, and why not further. */
export function Steps({
  item,
}: {
  item: Pick<SyncItem, 'site_id' | 'step' | 'cause' | 'since' | 'desired_version' | 'applied_version'>
}) {
  const { t } = useTranslation()
  const { step, cause, since, desired_version, applied_version, site_id } = item
  const zoneOf = useSiteZones(site_id ? [site_id] : [])
  // What belongs to no site in the clock of who looks.
  const zone = site_id ? zoneOf(site_id) : undefined
  const versions =
    applied_version === null || applied_version === desired_version
      ? t('sync.version', { version: desired_version })
      : t('sync.versions', { applied: applied_version, desired: desired_version })
  return (
    <span className={classes.steps} data-tone={toneOf(step)}>
      <span className={classes.track} aria-hidden="true">
        {way.map((name, index) => (
          <i key={name} data-reached={index < reached[step] || undefined} />
        ))}
      </span>
      <b>{t(`sync.step.${step}`)}</b>
      <span className="muted num">
        {[versions, since && t('nimble.since', { time: formatSiteTime(since, zone) })].filter(Boolean).join(' · ')}
      </span>
      {cause && <span className={classes.reason}>{causeText(cause)}</span>}
    </span>
  )
}
