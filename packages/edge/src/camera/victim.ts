/** Whom the system ends first where memory is short (Linux, proc(5): `oom_score_adj`, from -1000 to 1000). */
import { readFileSync, writeFileSync } from 'node:fs'

const mostScore = 1000
const raisedBy = 500

/**
 * From now on this process is taken before its parent, from which it has its score. Less than the parent's it never is:
 * who may not lower it would be refused. Where it cannot be told, the process goes on as it is.
 */
export function offerAsVictim(log: (sentence: string) => void, file = '/proc/self/oom_score_adj'): void {
  try {
    const inherited = Number(readFileSync(file, 'utf8'))
    const score = Math.min(mostScore, inherited + raisedBy)
    if (score > inherited) writeFileSync(file, String(score))
  } catch (error) {
    log(`Where memory ends a camera may not be taken first: ${(error as Error).message}`)
  }
}
