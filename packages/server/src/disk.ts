/** How full the volume of the data folder is, and what the portal gives up of events as it fills. */
import fs from 'node:fs/promises'
import { type DiskLevel, diskLevels, diskMargin, diskMarks } from '@sightline/domain'

export type Disk = {
  /** Share that is used, 0…1, as `df` counts: what ordinary users may still write is what is left. */
  use: number
  level: DiskLevel
  free_bytes: number
  total_bytes: number
  /** What has to go until nothing is given up or warned of; 0 while all is well. */
  to_free_bytes: number
}

/** By folder, as it was judged last: whoever asks gets the same answer. */
const levels = new Map<string, DiskLevel>()

export async function readDisk(folder: string): Promise<Disk> {
  const disk = judgeDisk(await fs.statfs(folder), levels.get(folder) ?? 'ok')
  levels.set(folder, disk.level)
  return disk
}

/** @param before the level until now: it is left only when the disk is clearly below its mark */
export function judgeDisk(
  { blocks, bfree, bavail, bsize }: Record<'blocks' | 'bfree' | 'bavail' | 'bsize', number>,
  before: DiskLevel,
): Disk {
  const used = blocks - bfree
  const usable = used + bavail
  const use = usable === 0 ? 1 : used / usable
  /** Where a level ends that began at its mark, in blocks. */
  const endOf = (level: Exclude<DiskLevel, 'ok'>) => (diskMarks[level] - diskMargin) * usable
  const isReached = (level: DiskLevel) => {
    if (level === 'ok') return true
    const isOn = diskLevels.indexOf(level) <= diskLevels.indexOf(before)
    // Who frees just what was asked for stands at the end, and is rid of the level.
    return isOn ? usable === 0 || used > endOf(level) : use >= diskMarks[level]
  }
  const level = diskLevels.findLast(isReached) ?? 'ok'
  return {
    use,
    level,
    free_bytes: bavail * bsize,
    total_bytes: blocks * bsize,
    to_free_bytes: level === 'ok' ? 0 : Math.max(0, Math.ceil((used - endOf('low')) * bsize)),
  }
}

const percent = (share: number) => `${Math.floor(share * 100)} %`

/** What the log says when the disk came to another level; null while it stays at one. */
export function diskNews(before: DiskLevel, { use, level, to_free_bytes }: Disk, folder: string): string | null {
  if (level === before) return null
  const full = `The data volume is ${percent(use)} full`
  const way = `Free ${(to_free_bytes / 1e9).toFixed(1)} GB in ${folder}, or give it a larger disk.`
  switch (level) {
    case 'ok':
      return `${full} again: events are kept as long as they should be`
    case 'low':
      return `${full}. From ${percent(diskMarks.dropping)} its oldest day of events goes every hour, from ${percent(diskMarks.stopped)} no event is stored. ${way}`
    case 'dropping':
      return `${full}: its oldest day of events goes every hour. ${way}`
    case 'stopped':
      return `${full}: no event is stored, they wait on the edge servers. ${way}`
  }
}
