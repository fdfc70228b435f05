/** Numbers, times and sizes as the shown language writes them. */
import { i18n } from './index.ts'

const cached = <T>(make: (language: string) => T) => {
  const made = new Map<string, T>()
  return (): T => {
    const language = i18n.language
    const known = made.get(language) ?? make(language)
    made.set(language, known)
    return known
  }
}

const numbers = cached((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }))
const percents = cached((language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }))
const collators = cached((language) => new Intl.Collator(language, { sensitivity: 'base', numeric: true }))

const means = cached(
  (language) => new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)

const settings = cached((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 6 }))

export const formatNumber = (value: number): string => numbers().format(value)
/** A setting, with every decimal that somebody may have typed. */
export const formatSetting = (value: number): string => settings().format(value)
/** What stands before the decimals. */
export const decimalPoint = (): string => formatNumber(0.5)[1] ?? '.'
/** A mean of counts: one decimal, also where it is 0. */
export const formatMean = (value: number): string => means().format(value)
/** @param ratio 0.18 reads as 18 % */
export const formatPercent = (ratio: number): string => percents().format(ratio)
export const compareText = (a: string, b: string): number => collators().compare(a, b)

/** Of each time zone: making one takes longer than a hundred uses of it. */
const clocksOf = new Map<string | undefined, Intl.DateTimeFormat>()
function clockOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = clocksOf.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  clocksOf.set(timeZone, made)
  return made
}

/** `YYYY-MM-DD HH:mm:ss` in a time zone; the browser's when none is given. */
export function formatTime(at: string | number | Date, timeZone?: string): string {
  const parts = clockOf(timeZone).formatToParts(new Date(at))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((item) => item.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`
}

export const formatDate = (at: string | number | Date, timeZone?: string): string =>
  formatTime(at, timeZone).slice(0, 10)
/** `HH:mm:ss` */
export const formatClock = (at: string | number | Date, timeZone?: string): string => formatTime(at, timeZone).slice(11)

/** The place of a zone, `New York`, when a clock there shows another time than the viewer's; else null. */
export function otherZone(at: string | number | Date, timeZone: string, viewer?: string): string | null {
  if (formatTime(at, timeZone) === formatTime(at, viewer)) return null
  return (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')
}

export const clocks = ['site', 'mine', 'utc'] as const
/** Whose clock times are shown by. */
export type Clock = (typeof clocks)[number]
const clockSavedAs = 'sightline.clock'
/** None where there is no browser. */
const storage = globalThis.localStorage as Storage | undefined
let clock: Clock = clocks.find((one) => one === storage?.getItem(clockSavedAs)) ?? 'site'

export const shownClock = (): Clock => clock
/** Shows every time by another clock, here and at the next visit. */
export function setClock(next: Clock): void {
  clock = next
  storage?.setItem(clockSavedAs, next)
  // How times read is a part of the language: what shows words is drawn again.
  i18n.emit('languageChanged', i18n.language)
}
/** The zone that times of a site are shown in; undefined: the browser's. */
export const shownZone = (siteZone: string | undefined): string | undefined =>
  clock === 'site' ? siteZone : clock === 'utc' ? 'UTC' : undefined

/**
 * A moment by the clock of a site, or the one chosen instead, `YYYY-MM-DD HH:mm:ss`, with the place named where the viewer's clock differs.
 * @param timeZone undefined while the site's is not known: then the browser's
 * @param isClock without the date
 */
export function formatSiteTime(at: string | number | Date, timeZone: string | undefined, isClock = false): string {
  const zone = shownZone(timeZone)
  const time = (isClock ? formatClock : formatTime)(at, zone)
  const place = zone && otherZone(at, zone)
  return place ? `${time} (${place})` : time
}

const dayMs = 86_400_000

/** Since when something is so, to the minute: with its date from a day on, by the clock that `formatSiteTime` goes by. */
export function formatSince(at: string, timeZone: string | undefined, now: number): string {
  const isToday = now - Date.parse(at) < dayMs
  return formatSiteTime(at, timeZone, isToday).replace(/(\d\d:\d\d):\d\d/, '$1')
}

/** A last sign-in: the weekday within 6 days, else the whole date. */
export function formatLastLogin(at: string | null, now = new Date()): string {
  if (at === null) return i18n.t('common.never')
  const then = new Date(at)
  const days = (now.getTime() - then.getTime()) / dayMs
  if (days > 6) return formatTime(then)
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: 'long' }).format(then)
  return `${weekday} ${formatClock(then).slice(0, 5)}`
}

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB']
const unitsFr = ['o', 'Ko', 'Mo', 'Go', 'To', 'Po', 'Eo', 'Zo', 'Yo']

/** Bytes in steps of 1024, B to YB; octets in French. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${formatNumber(step === 0 ? Math.round(value) : Number(value.toFixed(1)))} ${(i18n.language === 'fr' ? unitsFr : units)[step]}`
}

const steps = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** Seconds as days, hours, minutes and seconds; what is zero is left out. */
export function formatDuration(seconds: number): string {
  let rest = Math.round(seconds)
  const parts: string[] = []
  for (const [size, unit] of steps) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit === 'd' && i18n.language === 'fr' ? 'j' : unit}`)
  }
  return parts.join(' ') || '0 s'
}

/** `+02:00`, the offset of a time zone now. */
export function zoneOffset(timeZone: string, at = new Date()): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT'
  return name === 'GMT' ? '+00:00' : name.slice(3)
}

const codecs: Readonly<Record<string, string>> = { h264: 'H.264', h265: 'H.265', hevc: 'H.265', mjpeg: 'MJPEG' }

/** The codec as people write it; one that is not known here as the camera says it. */
export const codecName = (codec: string): string => codecs[codec.toLowerCase().replaceAll(/[^a-z0-9]/g, '')] ?? codec
