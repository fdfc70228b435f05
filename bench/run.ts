/** One run of the bench: what was asked for, where its files are, and how everything it started is ended. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from './measure.ts'

/** Each makes one gate go red: a bench that cannot tell right from wrong measures nothing. */
export const sabotages = ['ack-before-commit', 'rollup-skip', 'skip-frames'] as const
export type Sabotage = (typeof sabotages)[number]

export type Run = {
  /** Product and limits only, small sizes. */
  quick: boolean
  sabotage: Sabotage | null
  say(text: string): void
  /** Something could not be measured, and what it needs. */
  skip(what: string): void
  /** A new folder, deleted at the end. */
  folder(): string
  /** Runs at the end, last one first, whatever happened. */
  atEnd(end: () => unknown): void
}

/** Measures what it is about; what it starts it registers with the run. */
export type Subject = (run: Run) => Promise<Figure[]>

/** Runs `work` and then ends all that it began. */
export async function running<T>(
  options: Pick<Run, 'quick' | 'sabotage' | 'say' | 'skip'>,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const ends: (() => unknown)[] = []
  const run: Run = {
    ...options,
    folder() {
      const path = mkdtempSync(join(tmpdir(), 'sightline-bench-'))
      ends.push(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
      return path
    },
    atEnd: (end) => void ends.push(end),
  }
  try {
    return await work(run)
  } finally {
    for (const end of ends.reverse())
      try {
        await end()
      } catch (error) {
        options.say(`Could not tidy up: ${(error as Error).message}`)
      }
  }
}
