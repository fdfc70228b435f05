import { type BundleKey, cardsOf, type MetricId, type UsecaseKey, usecases } from '@sightline/domain'
import type { Words } from '../api-text.ts'
import type { message } from './en/message.ts'
import type { model } from './en/model.ts'
import type { usecase } from './en/usecase.ts'
import { compareText, formatDuration, formatNumber } from './format.ts'
import { i18n, pairs } from './index.ts'

type Label = keyof (typeof model)['label']

const isKnown = (id: string): id is keyof typeof message => i18n.exists(`message.${id}`)

/**
 * Text of a message id, whose arguments stand behind colons (`greater_than:0`) as {{0}}, {{1}}, or come by name from
 * the server; null when no catalogue knows the id.
 */
export function messageText(message: string, named: Record<string, string | number> = {}): string | null {
  // Why stands behind it, a message of its own. Edge servers send these texts: said twice is said once.
  const why = message.replace(/^(?:gave_up:)+/, '')
  if (why !== message) return i18n.t('message.gave_up', { why: messageText(why) ?? '' })
  // Some ids with an argument have a text of their own: `degraded:black`.
  const whole = message.replaceAll(':', '_')
  const [id = '', ...args] = isKnown(whole) ? [whole] : message.split(':')
  // The types could only ask for the arguments of every message at once.
  const translate = i18n.t as (key: string, args: Record<string, string | number>) => string
  const told = { ...named, ...wordsOf[id]?.(named) }
  const all = Object.entries<string | number>({ ...args, ...told }).map(([name, value]) => [name, written(value)])
  return isKnown(id) ? translate(`message.${id}`, Object.fromEntries(all)) : null
}

type Args = Record<string, string | number>

/** What a message says in words of what the server sends as keys, or as several numbers that each have a plural. */
const wordsOf: Readonly<Record<string, (args: Args) => Args>> = {
  organization_not_empty: (left) => ({
    left: (['people', 'customers', 'nimbles', 'models'] as const)
      .flatMap((what) => (left[what] ? [i18n.t(`message.left.${what}`, { count: Number(left[what]) })] : []))
      .join(', '),
  }),
  license_too_small: ({ limit, used }) => ({
    limit: i18n.t('message.left.channels', { count: Number(limit) }),
    used: i18n.t('message.left.used', { count: Number(used) }),
  }),
  license_bundle_in_use: ({ bundle }) => ({ bundle: i18n.t(`usecase.bundle.${bundle as BundleKey}`) }),
  usecase_not_assigned: ({ usecases: keys }) => ({
    usecases: String(keys)
      .split(', ')
      .map((key) => i18n.t(`usecase.name.${key as UsecaseKey}`))
      .join(', '),
  }),
}

/** Broken numbers as the language writes them; anything else, an address too, as it came. */
const written = (value: string | number): string | number =>
  /^\d+\.\d+$/.test(String(value)) ? formatNumber(Number(value)) : value

/** Text of a field's message id; an unknown one reads as "not valid". */
export const fieldText = (message: string): string => messageText(message) ?? i18n.t('message.invalid')

/** Text of the cause that a camera, an analytic or an edge server gives; an unknown id is shown as it is. */
export const causeText = (message: string, args?: Record<string, string | number>): string =>
  messageText(message, args) ?? message

/** Label of a card, by the one that the specification gives it. */
export const cardText = (label: string): string => i18n.t(`usecase.card.${label as keyof (typeof usecase)['card']}`)

/** Name of a metric. What counts as a violation has a name of its own in some use cases, which their cards have too. */
export function metricText(metric: MetricId, key: UsecaseKey | undefined): string {
  const card = key && /violation$/.test(metric) ? cardsOf(key).find(({ id }) => id === metric) : undefined
  return card ? cardText(card.label) : i18n.t(`usecase.metric.${metric}`)
}

/** Whether the numbers of a metric are seconds. */
export const isDuration = (metric: string): boolean => metric === 'dwell_time'

/** A number of a metric with its unit: a time as one, to the minute from an hour on; anything else is a count. */
export function metricValue(metric: string, value: number): string {
  if (!isDuration(metric)) return formatNumber(value)
  return formatDuration(value < 3600 ? value : Math.round(value / 60) * 60)
}

/**
 * What a number of an event says: `3 people`, `1 intrusion`. A mean of windows reads as a number of its kind, a dwell
 * time, in seconds, as a duration.
 */
export function countedText(metric: MetricId, key: UsecaseKey, value: number): string {
  const args = { count: value, number: formatNumber(value), time: metricValue('dwell_time', value) }
  // The types know no key that only some use cases have.
  const translate = i18n.t as (keys: string[], args: object) => string
  return translate([`event.countedOf.${key}.${metric}`, `event.counted.${metric}`], args)
}

/** The use case of an analytic, to stand beside its name; null where the name says it already. */
export function usecaseBeside(name: string, key: UsecaseKey): string | null {
  const text = i18n.t(`usecase.name.${key}`)
  const isSaid = [text, usecases[key].name].some((known) => compareText(known, name.trim()) === 0)
  return isSaid ? null : text
}

/** What was found in a picture, with its number, over its box: `Person #41`. @param label of the portal or of a model */
export function foundText(label: string | undefined, track: number | null | undefined): string {
  const word = label && i18n.exists(`model.label.${label}`) ? i18n.t(`model.label.${label as Label}`) : label
  return [word, typeof track === 'number' && `#${track}`].filter(Boolean).join(' ')
}

/** How far an edge server's clock is off, in words. @param offsetMs the portal's time minus the edge server's */
export function clockText(offsetMs: number): string {
  if (Math.abs(offsetMs) < 2000) return i18n.t('nimble.clockOffset', { ms: formatNumber(Math.round(offsetMs)) })
  const time = formatDuration(Math.abs(offsetMs) / 1000)
  return offsetMs > 0 ? i18n.t('nimble.clockBehind', { time }) : i18n.t('nimble.clockAhead', { time })
}

export const words: Words = {
  pair: (op) => pairs()[op],
  refusal: messageText,
  field: fieldText,
  empty: (op) => {
    const texts: Partial<Record<typeof op, string>> = {
      'customer.list': i18n.t('empty.customer'),
      'organization.list': i18n.t('empty.organization'),
      'source.mapping': i18n.t('empty.mapping'),
    }
    const text = texts[op]
    return text ? { type: op === 'customer.list' ? 'info' : 'warning', text } : null
  },
  timeout: () => i18n.t('message.timeout'),
  waits: (seconds) => i18n.t('message.rate_waits', { seconds }),
}
