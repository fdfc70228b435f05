import { existsSync, readFileSync } from 'node:fs'
import type { EventRecord } from '@sightline/contract/edge'
import { replaceFile } from '../identity.ts'
import type { Log } from '../log.ts'
import type { Carried } from './usecase/usecase.ts'

/** What of the analysis outlives a restart: the channels' last levels, and the occasions that are open. */
export type Kept = { carried: Record<string, Carried>; open: Record<string, EventRecord> }

/** Reads and writes it as one small file; one that cannot be read is left behind, with a word in the log. */
export function keptFile(path: string, log: Log) {
  return {
    load(): Kept {
      if (!existsSync(path)) return { carried: {}, open: {} }
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as Kept
      } catch (error) {
        log.error('What the analysis left behind cannot be read: occupancy starts from its base', error)
        return { carried: {}, open: {} }
      }
    },
    save(kept: Kept): void {
      try {
        replaceFile(path, JSON.stringify(kept))
      } catch (error) {
        log.error('The state of the analysis cannot be stored: a restart may lose occupancy', error)
      }
    },
  }
}
