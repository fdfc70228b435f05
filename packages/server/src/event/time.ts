import type { Frequency } from '@sightline/contract'
import { type Period, readPeriod as periodOf } from '@sightline/domain'
import { invalid } from '../refusal.ts'
import { hourMs, minuteMs } from './rollup.ts'

export type { Period }

const dayMs = 24 * hourMs
export const mostPoints = 2000

/** @throws Refusal 400 when the end is not after the start, or the period is longer than a year */
export function readPeriod(input: { start: string; end: string }, now: number): Period {
  const period = periodOf(input.start, input.end, now)
  if ('errors' in period) throw invalid(period.errors)
  return period
}

/** Detail that suits the length of a period. */
export function defaultFrequency({ start, end }: Period): Frequency {
  const length = end - start
  if (length <= 2 * hourMs) return '1m'
  if (length <= 12 * hourMs) return '5m'
  if (length <= 24 * hourMs) return '15m'
  return length <= 31 * dayMs ? '1h' : '1d'
}

export const frequencyMs: Record<Frequency, number> = {
  '1m': minuteMs,
  '5m': 5 * minuteMs,
  '15m': 15 * minuteMs,
  '1h': hourMs,
  '1d': dayMs,
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The wall clock of a zone as if it were UTC, in ms. */
function wallClock(zone: string, at: number): number {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000)
}

const sinceMidnight = (wall: number) => ((wall % dayMs) + dayMs) % dayMs

/** First instant of the day after `at` on the wall clock; midnight itself may not exist. */
function nextDay(zone: string, at: number): number {
  const wall = wallClock(zone, at)
  const midnight = wall - sinceMidnight(wall) + dayMs
  const isNext = (instant: number) => wallClock(zone, instant) >= midnight
  // Without a change of the clock in between it is exactly there.
  const guess = at + (midnight - wall)
  if (wallClock(zone, guess) === midnight && !isNext(guess - 1)) return guess
  let [before, after] = [at, guess + 2 * hourMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isNext(middle)) after = middle
    else before = middle
  }
  return after
}

/** The next border after `at` of buckets that follow the wall clock of `zone`. */
function nextBorder(zone: string, frequency: Frequency, at: number): number {
  if (frequency === '1d') return nextDay(zone, at)
  // Zones differ from UTC by whole quarters of an hour, so shorter buckets need no zone.
  const length = frequencyMs[frequency]
  const clock = frequency === '1h' ? wallClock(zone, at) : at
  return at + length - (((clock % length) + length) % length)
}

/**
 * Borders of the buckets of a period: its start, every full minute, hour or day in between by the wall clock of `zone`,
 * and its end. The start is moved to its full minute, because roll-ups hold whole minutes. On days when the clock is
 * changed a day has 23 or 25 hours.
 * @throws Refusal 400 when there would be more than 2,000 buckets
 */
export function bucketBorders(period: Period, frequency: Frequency, zone: string): number[] {
  const start = period.start - (((period.start % minuteMs) + minuteMs) % minuteMs)
  if ((period.end - start) / frequencyMs[frequency] > mostPoints) throw invalid({ agg_frequency: ['too_many_points'] })
  const borders = [start]
  for (let at = nextBorder(zone, frequency, start); at < period.end; at = nextBorder(zone, frequency, at))
    borders.push(at)
  borders.push(period.end)
  return borders
}

/** `count` about equal parts, for the small curve on a card: borders inside are moved to the nearest multiple of `step`. */
export function equalBorders(period: Period, count: number, step: number): number[] {
  const length = (period.end - period.start) / count
  const inside = (i: number) => Math.round((period.start + i * length) / step) * step
  return [period.start, ...Array.from({ length: count - 1 }, (_, i) => inside(i + 1)), period.end].map((at) =>
    Math.min(Math.max(at, period.start), period.end),
  )
}
