/** How full the disk of the portal is, in words. */
import type { ApplicationStatus } from '@sightline/contract'
import { diskMarks } from '@sightline/domain'
import { formatBytes, formatPercent } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import type { Tone } from '../ui/tone.ts'

type Disk = NonNullable<ApplicationStatus['disks']>[number]

/** A disk without events on it costs none. */
export const diskTone = ({ level }: Disk): Tone =>
  level === null || level === 'ok' ? 'ok' : level === 'low' ? 'warn' : 'bad'

/** What of the events its filling costs. */
export const diskText = ({ level, use }: Disk): string =>
  i18n.t(`status.disk.${level ?? 'ok'}`, {
    use: formatPercent(Math.floor(use * 100) / 100),
    dropping: formatPercent(diskMarks.dropping),
    stopped: formatPercent(diskMarks.stopped),
  })

/** What to do about it. */
export const diskWay = ({ path, to_free_bytes }: Disk): string =>
  i18n.t('status.disk.way', { size: formatBytes(to_free_bytes), path })
