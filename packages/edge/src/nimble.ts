/** Composes the nimble out of its parts. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { keptConfig, type LinkConfig, type NimbleMessage } from '@sightline/contract/edge'
import * as z from 'zod'
import { callPortal } from './call.ts'
import type { AllowedHost } from './camera/address.ts'
import { createCameras } from './cameras.ts'
import { createClock } from './clock.ts'
import type { PortalLink } from './conversation.ts'
import { openIdentity } from './identity.ts'
import { Journal } from './journal.ts'
import { keptFile } from './kept-file.ts'
import { type DoorOptions, openDoor } from './link.ts'
import { clipFiles } from './live/clip.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { createLog } from './log.ts'
import { createRecorder } from './recorder.ts'
import { startSession } from './session.ts'
import { createStamper, occasions } from './stamp.ts'
import { createStats } from './stats.ts'
import { version } from './version.ts'

export type NimbleOptions = {
  folder: string
  host: string
  /** 0: any free port. */
  port: number
  /** The start command runs it: it enrols it, and demo cameras of this machine are allowed. */
  isLocal: boolean
  allow(): AllowedHost[]
}
export type Nimble = {
  /** 0: it dials the portal. */
  port: number
  /** `allow` answers something else than before. */
  allowChanged(): void
  stop(): Promise<void>
}

const statsMs = 10_000
const gigabyte = 1024 ** 3
const mostPictureBytes = gigabyte
/** About a thousand clips. */
const mostClipBytes = 4 * gigabyte
/** Measured: four cameras of 640 × 480 at five pictures a second for each core. */
const channelsPerCore = 4
/** Lines of the log that the portal gets at most between two `stats`. */
const mostLogLines = 20

/** @throws when the folder or the address cannot be used */
export async function startNimble({ folder, host, port, isLocal, allow }: NimbleOptions): Promise<Nimble> {
  let portal: PortalLink | null = null
  let logLines = 0
  const tell = (message: NimbleMessage) => portal?.send(message)
  const log = createLog(({ level, text, at }) => {
    if (level !== 'info' && logLines++ < mostLogLines) tell({ type: 'log', level, text, at })
  })

  const identity = await openIdentity(folder)
  const desired = keptFile(join(folder, 'desired.json'), keptConfig, log)
  // The correction survives a restart, for a nimble that starts while the portal is away.
  const clockFile = keptFile(join(folder, 'clock.json'), z.int(), log)
  const clock = createClock(clockFile.load() ?? 0, clockFile.save)
  const pictures = await openMediaStore(join(folder, 'media'), pictureFiles, mostPictureBytes, log.warn)
  const clips = await openMediaStore(join(folder, 'clips'), clipFiles, mostClipBytes, log.warn)
  const journal = new Journal(join(folder, 'journal.db'), {
    log,
    async makeRoom() {
      const made = await Promise.all([pictures.giveUp(), clips.giveUp()])
      return made.includes(true)
    },
  })
  const recorder = createRecorder({
    journal,
    stamp: createStamper(clock.offsetAt, keptFile(join(folder, 'occasions.json'), occasions, log)),
    hasStill: (sourceId) => cameras.hasStill(sourceId),
    still: async (sourceId) => (await cameras.snapshot(sourceId)).jpeg,
    keep: pictures.save,
    evidence: (record, sourceId) => cameras.evidence(record, sourceId),
    log,
  })
  const cameras = createCameras({
    pictures,
    clips,
    analysisFile: join(folder, 'analysis.json'),
    modelFolder: join(folder, 'models'),
    allow,
    tell,
    onRecords: recorder.take,
    log,
  })
  const stats = createStats(folder, { journal, stores: [pictures, clips], clock, work: cameras.figures })

  let mediaDays: number | null = null
  const apply = (config: LinkConfig) => {
    mediaDays = config.media_days
    cameras.apply(config)
  }
  const kept = desired.load()
  if (kept) apply(kept)
  const options: DoorOptions = {
    host,
    port,
    software: `sightline nimble ${version}`,
    identity,
    awaitsEnrolment: isLocal,
    log,
    onPortal(link, portalTime) {
      portal = link
      clock.measured(portalTime - Date.now(), openingRoundTripMs)
      const engine = {
        ...cameras,
        apply(config: LinkConfig) {
          desired.save(config)
          apply(config)
        },
        async media(mediaId: string) {
          await recorder.taken(mediaId)
          return cameras.media(mediaId)
        },
      }
      const about = { engine_version: version, demo: isLocal, capacity: channelsPerCore * availableParallelism() }
      const session = startSession({ link, engine, journal, clock, log, about })
      return {
        message: session.message,
        bytes: session.bytes,
        closed() {
          if (portal === link) portal = null
          session.closed()
        },
      }
    },
  }
  // Enrolled by a token it dials the portal; the one beside the portal, and one that is not enrolled, are dialled.
  const isDialling = !isLocal && identity.enrolment()?.portal_url !== undefined
  const door = isDialling ? callPortal(options) : await openDoor(options)

  const reporting = setInterval(() => {
    logLines = 0
    stats().then(
      (figures) => tell({ type: 'stats', ...figures }),
      (error: unknown) => log.warn('The figures cannot be read', error),
    )
  }, statsMs)
  const sweeping = setInterval(() => {
    // Until it is known for how long, nothing goes for its age.
    if (mediaDays === null) return
    for (const store of [pictures, clips])
      store.sweep(mediaDays).catch((error: unknown) => log.warn('Old pictures and clips cannot be removed', error))
  }, 3_600_000)

  return {
    port: door.port,
    allowChanged: cameras.allowChanged,
    async stop() {
      clearInterval(reporting)
      clearInterval(sweeping)
      await cameras.stop()
      await recorder.settled()
      journal.flush()
      await door.close()
      journal.close()
    },
  }
}

/** The welcome tells the portal's time one way only; pings measure better a moment later. */
const openingRoundTripMs = 2000
