import { statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import type { NimbleStats } from '@sightline/contract/edge'
import type { Clock } from './clock.ts'
import type { Journal } from './journal.ts'
import type { MediaStore } from './live/media-store.ts'

/** What cameras and analysis add to the figures. */
export type WorkFigures = Pick<NimbleStats, 'inference_ms' | 'fps' | 'expected_fps' | 'drops' | 'reconnects'>

/** Figures of the machine and the nimble since the call before. */
export function createStats(
  folder: string,
  parts: { journal: Journal; stores: MediaStore[]; clock: Clock; work(): WorkFigures },
) {
  let before = cpuTimes()

  return async (): Promise<NimbleStats> => {
    const now = cpuTimes()
    const busy = now.busy - before.busy
    const all = now.all - before.all
    before = now
    const disk = await statfs(folder)
    return {
      at: Date.now(),
      cpu: all > 0 ? Math.round((busy / all) * 1000) / 1000 : 0,
      memory_bytes: totalmem() - freemem(),
      disk_free_bytes: disk.bavail * disk.bsize,
      queue: parts.journal.waiting,
      ...parts.work(),
      clock_offset_ms: parts.clock.offsetMs(),
      journal_events: parts.journal.waiting,
      lost_events: parts.journal.lost,
      trouble: parts.journal.isFailing
        ? 'edge_disk_full'
        : parts.stores.some((store) => store.isFull())
          ? 'edge_pictures_full'
          : null,
    }
  }
}

function cpuTimes(): { busy: number; all: number } {
  let busy = 0
  let all = 0
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.idle + times.irq
    all += sum
    busy += sum - times.idle
  }
  return { busy, all }
}
