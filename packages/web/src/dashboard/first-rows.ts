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
