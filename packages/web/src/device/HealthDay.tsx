import type { Device, Reply, api as table } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { portalNow } from '../app/clock.ts'
import { formatClock, formatDuration, formatSiteTime, otherZone, shownZone } from '../i18n/format.ts'
import { causeText } from '../i18n/words.ts'
import { HealthTag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { toneOf } from '../ui/tone.ts'
import classes from './device.module.css'

type Stretch = Reply<(typeof table)['device']['view']>['health'][number]

const dayMs = 86_400_000
/** So many stretches in which it was not healthy are told in words; the picture shows all. */
const toldInWords = 6

type Props = { stretches: readonly Stretch[]; device: Device; zone: string; now?: number }

/** How a camera fared over 24 hours: as a strip, and in words for what was not healthy. */
export function HealthDay({ stretches, zone, now = portalNow() }: Props) {
  const { t } = useTranslation()
  const begin = now - dayMs
  const parts = stretches.flatMap((stretch) => {
    const start = Math.max(begin, Date.parse(stretch.start))
    const end = stretch.end === null ? now : Date.parse(stretch.end)
    return end > begin && end > start ? [{ ...stretch, from: start, to: end }] : []
  })
  const ill = parts.filter(({ state }) => state !== 'healthy').toReversed()
  const healthyMs = parts.reduce((sum, { state, from, to }) => sum + (state === 'healthy' ? to - from : 0), 0)
  const known = parts.reduce((sum, { from, to }) => sum + to - from, 0)
  const clock = shownZone(zone)
  const place = clock && otherZone(now, clock)
  const percent = (ms: number) => `${(100 * ms) / dayMs}%`
  return (
    <Panel
      title={t('device.health.title')}
      hint={[known > 0 && t('device.health.sum', { time: formatDuration(healthyMs / 1000) }), place]
        .filter(Boolean)
        .join(' · ')}
    >
      <div className={classes.day} aria-hidden="true">
        {parts.map(({ start, from, to, state }) => (
          <i
            key={start}
            data-tone={state === 'unknown' ? 'neutral' : toneOf[state]}
            style={{ left: percent(from - begin), width: percent(to - from) }}
            title={`${t(`health.${state}`)} · ${formatClock(from, clock)}–${formatClock(to, clock)}`}
          />
        ))}
      </div>
      <div className={`${classes.hours} num`} aria-hidden="true">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{formatClock(begin + hour * 3_600_000, clock).slice(0, 5)}</span>
        ))}
      </div>
      {known === 0 ? (
        <p className="t3">{t('device.health.none')}</p>
      ) : ill.length === 0 ? (
        <p className="t3">{t('device.health.well')}</p>
      ) : (
        <ul className={classes.outages}>
          {ill.slice(0, toldInWords).map(({ start, end, state, cause, from, to }) => (
            <li key={start}>
              <HealthTag health={state} cause={cause && causeText(cause)} />
              <span className="t3 num">
                {formatSiteTime(start, zone)} · {formatDuration((to - from) / 1000)}
                {end === null && ` · ${t('device.health.still')}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
