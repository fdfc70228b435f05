import { type Box, iou, shareInside } from '@sightline/domain'
import type { TruthPerson } from './clip.ts'

/** Counts of what was found against what is there. */
export type Score = { right: number; wrong: number; missed: number }

/** Right when the overlap with somebody not found yet is 0.3 or more; on people to be ignored a box counts neither way. */
export function score(found: readonly { box: Box; score: number }[], truth: readonly TruthPerson[]): Score {
  const people = truth.filter((person) => person.f !== 'i')
  const ignored = truth.filter((person) => person.f === 'i')
  const taken = new Set<TruthPerson>()
  let wrong = 0
  for (const { box } of [...found].sort((a, b) => b.score - a.score)) {
    const best = people
      .filter((person) => !taken.has(person) && iou(box, person.box) >= 0.3)
      .sort((a, b) => iou(box, b.box) - iou(box, a.box))[0]
    if (best) taken.add(best)
    else if (!ignored.some((person) => shareInside(box, person.box) > 0.3)) wrong++
  }
  return { right: taken.size, wrong, missed: people.length - taken.size }
}

export const sumOf = (scores: readonly Score[]): Score =>
  scores.reduce((all, one) => ({
    right: all.right + one.right,
    wrong: all.wrong + one.wrong,
    missed: all.missed + one.missed,
  }))

export const precision = ({ right, wrong }: Score) => (right + wrong > 0 ? right / (right + wrong) : 0)
export const recall = ({ right, missed }: Score) => (right + missed > 0 ? right / (right + missed) : 0)
export const f1 = (one: Score) => {
  const sum = precision(one) + recall(one)
  return sum > 0 ? (2 * precision(one) * recall(one)) / sum : 0
}
