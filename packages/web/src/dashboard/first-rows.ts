import type { MetricStat } from '@sightline/contract'
import { cardsOf, type UsecaseKey } from '@sightline/domain'

/** Two rows on a large screen: with more, the cameras would be out of sight. */
const mostCards = 12

/** The use cases, from the first on, whose cards fill the first rows; one at least. */
export function firstRows(usecases: readonly UsecaseKey[]): UsecaseKey[] {
  let cards = 0
  return usecases.filter((key, i) => {
    cards += cardsOf(key).length
    return i === 0 || cards <= mostCards
  })
}

type Figures = readonly Pick<MetricStat, 'metric' | 'value'>[]

/** How soon a use case is to be seen: 0 what must not happen did, 1 something is known, 2 nothing is. */
function urgency(key: UsecaseKey, figures: Figures): number {
  const happened = cardsOf(key).some(
    ({ id, isViolation }) => isViolation && figures.some(({ metric, value }) => metric === id && (value ?? 0) > 0),
  )
  if (happened) return 0
  return figures.some(({ value }) => value !== null) ? 1 : 2
}

/**
 * The use cases, the most urgent first and else as they were. While figures of some are still awaited all stay where they are:
 * they would move once for each that comes.
 * @param figures of each in the same order, undefined while awaited, null where they could not be read
 */
export function byUrgency(
  usecases: readonly UsecaseKey[],
  figures: readonly (Figures | null | undefined)[],
): readonly UsecaseKey[] {
  if (figures.includes(undefined)) return usecases
  const ranked = usecases.map((key, i) => ({ key, rank: urgency(key, figures[i] ?? []) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ key }) => key)
}
