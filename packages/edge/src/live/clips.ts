/**
 * Clips of what must not happen: some seconds from before, which the camera's ring still holds, and what comes until some
 * time after. Nothing is encoded again. What begins while a clip of the same camera runs shares it and makes it longer.
 */
import { randomBytes } from 'node:crypto'
import { uuidv7 } from '@sightline/domain'
import type { Camera } from '../camera/camera.ts'
import type { AccessUnit } from '../camera/h264.ts'
import type { Log } from '../log.ts'
import { beginningOf, createClip } from './clip.ts'
import type { Draft, MediaStore } from './media-store.ts'

/** Seconds before and after the moment `at` (ms since the epoch, edge clock). */
export type Span = { at: number; beforeSeconds: number; afterSeconds: number }
/** `atSeconds`: where in the clip the moment is. */
export type Taken = { id: string; atSeconds: number } | { cause: 'no_video' | 'privacy_masks' }

type Tapped = Pick<Camera, 'preRoll' | 'tap' | 'isMasked'>

export type Clips = {
  take(sourceId: string, camera: Tapped, span: Span): Taken
  isWriting(id: string): boolean
  /** Nothing stays of what is being written of this camera. */
  drop(sourceId: string): void
  /** Ends what runs and waits until it is kept. */
  stop(): Promise<void>
}

/** The portal takes no more of one clip. */
const longestMs = 60_000
const mostBytes = 48 * 1024 * 1024
/** Of what comes meanwhile waits for the disk; beyond it the clip ends early. What the ring held is in memory anyway. */
const mostUnwritten = 16 * 1024 * 1024

type Running = {
  id: string
  begunAt: number
  /** Edge clock. */
  endsAt: number
  extend(endsAt: number): void
  end(): Promise<void>
}

export function createClips(store: MediaStore, log: Log): Clips {
  /** By camera: the clip that what comes next may share. */
  const running = new Map<string, Running>()
  const writing = new Map<string, { sourceId: string; drop(): void; kept: Promise<void> }>()

  function begin(sourceId: string, camera: Tapped, from: AccessUnit[], endsAt: number) {
    const id = uuidv7(Date.now(), randomBytes(10))
    const clip = createClip()
    const begunAt = (from[0] as AccessUnit).at
    const { promise: done, resolve: allTaken } = Promise.withResolvers<void>()
    let bytes = 0
    let unwritten = 0
    let draft: Draft | null = null
    /** One after the other; after a failure nothing more is done. */
    let queue = Promise.resolve()
    let isBroken = false
    const then = (work: () => Promise<void>) => {
      queue = queue
        .then(() => (isBroken ? undefined : work()))
        .catch((error: unknown) => {
          isBroken = true
          log.warn('A clip could not be kept', error)
          end()
        })
    }
    const write = (piece: Buffer, at?: number) => {
      bytes += piece.length
      then(async () => {
        isBroken = !(await draft?.write(piece, at))
        if (isBroken) end()
      })
    }
    const add = (unit: AccessUnit) => {
      if (!clip.fits(unit) || bytes + unit.data.length > mostBytes) return end()
      const piece = clip.add(unit)
      if (piece) write(piece)
    }
    const take = (unit: AccessUnit) => {
      if (unwritten > mostUnwritten) return end()
      unwritten += unit.data.length
      add(unit)
      then(async () => {
        unwritten -= unit.data.length
      })
    }
    const untap = camera.tap(take)
    let isOver = false
    let isDropped = false
    const drop = () => {
      isDropped = true
      end()
    }
    const end = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      untap()
      if (running.get(sourceId) === item) running.delete(sourceId)
      const rest = isDropped ? null : clip.finish()
      if (rest) {
        write(rest.tail)
        write(rest.head, rest.headAt)
      }
      allTaken()
    }
    let timer = setTimeout(end, endsAt - Date.now())
    const item: Running = {
      id,
      begunAt,
      endsAt,
      extend(later) {
        item.endsAt = later
        clearTimeout(timer)
        timer = setTimeout(end, later - Date.now())
      },
      end() {
        end()
        return kept
      },
    }
    const kept = done
      .then(() => queue)
      .then(async () => {
        if (isDropped) await draft?.discard()
        else await draft?.finish()
      })
      .catch((error: unknown) => log.warn('A clip could not be kept', error))
      .then(() => void writing.delete(id))
    writing.set(id, { sourceId, drop, kept })
    running.set(sourceId, item)
    then(async () => {
      draft = await store.begin(id)
    })
    for (const unit of from) add(unit)
    return item
  }

  return {
    take(sourceId, camera, { at, beforeSeconds, afterSeconds }) {
      // The stream itself shows what the masks hide.
      if (camera.isMasked()) return { cause: 'privacy_masks' }
      const endsAt = Date.now() + afterSeconds * 1000
      const current = running.get(sourceId)
      if (current && current.begunAt <= at && endsAt <= current.begunAt + longestMs) {
        if (endsAt > current.endsAt) current.extend(endsAt)
        return { id: current.id, atSeconds: (at - current.begunAt) / 1000 }
      }
      const units = beginningOf(camera.preRoll(), at - beforeSeconds * 1000)
      const [first] = units
      if (!first) return { cause: 'no_video' }
      const { id } = begin(sourceId, camera, units, endsAt)
      return { id, atSeconds: Math.max(0, at - first.at) / 1000 }
    },
    isWriting: (id) => writing.has(id),
    drop(sourceId) {
      for (const one of writing.values()) if (one.sourceId === sourceId) one.drop()
    },
    async stop() {
      await Promise.all([...running.values()].map((item) => item.end()))
      await Promise.all([...writing.values()].map(({ kept }) => kept))
    },
  }
}
