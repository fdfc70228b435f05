/** What an event says, in words. */
import type { EventEntity, Occasion } from '@sightline/contract'
import { isViolation, type MetricId, type UsecaseKey } from '@sightline/domain'
import { formatDuration, formatNumber } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { causeText, countedText, foundText, metricText } from '../../i18n/words.ts'

/**
 * `1 crossing up · 2 crossings down`: the metrics of an event that are above zero; of an empty frame what was found, which
 * its number does not say; `Occupancy set to 12` where somebody said so.
 */
export function titleOf({ kind, metrics, levels, usecase_key, occasion }: EventEntity): string {
  if (occasion?.finding) return causeText(occasion.finding)
  // Nothing was seen that it could count.
  if (kind === 'open' && Object.keys(metrics).length === 0)
    return Object.entries(levels ?? {})
      .map(([id, value]) => ({ metric: metricText(id as MetricId, usecase_key), number: formatNumber(value) }))
      .map((about) => i18n.t('event.set', about))
      .join(' · ')
  return (
    numbersOf(metrics)
      // What collided, or nearly, is its total too.
      .filter(([id], _, all) => id !== 'total' || !all.some(([other]) => other.startsWith('total_')))
      // Of a window the most at once is a number of people; the mean is not.
      .map(([id, value]) => countedText(id, usecase_key, metrics[`${id}_max`] ?? value))
      .join(' · ')
  )
}

/** Those above zero; the least and the most of a window stand for no number of their own. */
const numbersOf = (metrics: Readonly<Record<string, number>>) =>
  Object.entries(metrics).filter(([id, value]) => value > 0 && !/_(min|max)$/.test(id)) as [MetricId, number][]

type Way = Pick<Occasion, 'direction' | 'from_side' | 'to_side'>

/** Which way a line was crossed: by the names of its sides where they have some. */
export function wayText({ direction, from_side, to_side }: Way): string | null {
  if (from_side !== null && to_side !== null) return i18n.t('event.way', { from: from_side, to: to_side })
  return direction === 'up' || direction === 'down' ? i18n.t(`event.directions.${direction}`) : direction
}

export const personText = ({ person }: Occasion): string => person ?? i18n.t('face.unknown')
/** Protective equipment that is lacking: `No helmet`. */
export const missingText = (item: string): string => foundText(`no_${item}`, null)

/** What it was about beside its numbers, each in a few words. */
const contentTexts = (occasion: Occasion, key: UsecaseKey): (string | null)[] => {
  const { person, likeness, item, zone, distance_m, time_to_collision_s } = occasion
  return [
    key === 'fcrecog' ? personText(occasion) : null,
    // How like the nearest one a stranger is says nothing of them.
    person !== null && likeness !== null ? i18n.t('event.alike', { value: formatNumber(likeness) }) : null,
    item && missingText(item),
    zone,
    wayText(occasion),
    distance_m !== null ? i18n.t('event.apart', { metres: formatNumber(distance_m) }) : null,
    time_to_collision_s !== null ? i18n.t('event.touchingIn', { seconds: formatNumber(time_to_collision_s) }) : null,
  ]
}

/** `Loading dock · peak 12 · ended after 2 min`: what became of what an event began; of other events nothing. */
export function occasionText({ occasion, metrics, observed_at, usecase_key }: EventEntity): string {
  if (!occasion) return ''
  const { is_instant, ended_at, peak } = occasion
  const values = numbersOf(peak)
    .filter(([id]) => !(id in metrics))
    .map(([id, value]) => countedText(id, usecase_key, value))
  const length = ended_at && formatDuration((Date.parse(ended_at) - Date.parse(observed_at)) / 1000)
  const state = is_instant ? null : length ? i18n.t('event.lasted', { time: length }) : i18n.t('event.goesOn')
  return [...contentTexts(occasion, usecase_key), ...values, state].filter(Boolean).join(' · ')
}

/** Whether it began something that must not happen. */
export const beganViolation = ({ kind, metrics }: Pick<EventEntity, 'kind' | 'metrics'>): boolean =>
  kind === 'open' && isViolation(metrics)
