/** What was begun on the page and is not saved yet, wherever it stands, and the one question before it is left. */
import { createStore } from '../store.ts'

export type Work = {
  /** Whether leaving now would lose something. */
  isUnsaved: () => boolean
  /** It is on its way to the server: nobody has to ask, and whoever loses the session over it is told what is kept. */
  isSaving?: () => boolean
  /** Lets go of it: the person leaves it. */
  forget: () => void
  /** What of it no draft keeps, in words. */
  lost?: () => readonly string[]
}

const works = new Set<Work>()

/** The question that waits for its answer; `LeaveQuestion` draws it. */
export const question = createStore<{ answer: (leaves: boolean) => void } | null>(null)

/** @returns what ends it, when it goes from the page */
export function begin(work: Work): () => void {
  works.add(work)
  return () => {
    works.delete(work)
    // The page went by another way, such as the end of the session: nothing is left to ask about.
    if (works.size === 0) question.get()?.answer(false)
  }
}

export const unsavedWorks = (): Work[] => [...works].filter((work) => work.isUnsaved())
export const worksInHand = (): Work[] => [...works].filter((work) => work.isUnsaved() || work.isSaving?.())

/** What of these no draft keeps, in words; empty when all is kept. */
export const lostOf = (some: readonly Work[]): string =>
  [...new Set(some.flatMap((work) => work.lost?.() ?? []))].join(', ')

let isComingBack = false

/** Loads the page anew: without a question where all that was typed stands in drafts, which the new page gives back. */
export function reloadWithDrafts(): void {
  isComingBack = lostOf(unsavedWorks()) === ''
  location.reload()
}

/** Whether the browser asks before the tab goes. */
export const asksBeforeUnload = (work: Work): boolean => !isComingBack && work.isUnsaved()

/** Asks once for all that is not saved, when something is. @returns whether the person goes on, which lets go of it */
export async function mayLeave(): Promise<boolean> {
  if (unsavedWorks().length === 0) return true
  question.get()?.answer(false)
  const leaves = await new Promise<boolean>((resolve) => {
    question.set({
      answer(leaves) {
        question.set(null)
        resolve(leaves)
      },
    })
  })
  if (leaves) for (const work of unsavedWorks()) work.forget()
  return leaves
}
