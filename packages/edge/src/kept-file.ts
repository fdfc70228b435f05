import { existsSync, readFileSync } from 'node:fs'
import type * as z from 'zod'
import { replaceFile } from './identity.ts'
import type { Log } from './log.ts'

/** A value that outlives a restart, as a JSON file for the owner's eyes alone. */
export type KeptFile<T> = {
  /** Null when there is none, or none that can be read. */
  load(): T | null
  save(value: T): void
}

/** A full or broken disk costs what is kept, never the running nimble: trouble is logged. */
export function keptFile<T>(path: string, schema: z.ZodType<T>, log: Log): KeptFile<T> {
  return {
    load() {
      try {
        return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null
      } catch (error) {
        log.error(`${path} cannot be read and is not used`, error)
        return null
      }
    },
    save(value) {
      try {
        replaceFile(path, JSON.stringify(value))
      } catch (error) {
        log.error(`${path} cannot be written; a restart will not know`, error)
      }
    },
  }
}

/** Of what changes often: each writing waits for the disk. */
const seldomMs = 1000

export type SeldomFile<T> = KeptFile<T> & {
  /** Writes now what still waits. */
  flush(): void
}

/** What is saved is written at once, and then once in `everyMs` at most, as it is by then. */
export function seldomFile<T>(file: KeptFile<T>, everyMs = seldomMs): SeldomFile<T> {
  let waiting: { value: T } | null = null
  let timer: NodeJS.Timeout | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (!waiting) return
    file.save(waiting.value)
    waiting = null
    writtenAt = performance.now()
  }
  return {
    load: file.load,
    save(value) {
      waiting = { value }
      const ms = writtenAt + everyMs - performance.now()
      if (ms <= 0) flush()
      else timer ??= setTimeout(flush, ms)
    },
    flush,
  }
}
