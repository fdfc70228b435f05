/**
 * A camera's live picture for any number of viewers. Nothing is encoded again: access units go out as MP4 fragments, made
 * once for all. A viewer that joins is shown the group of pictures under way at once. With no viewer nothing is done.
 */
import type { AccessUnit, ParameterSets } from '../camera/h264.ts'
import { duration, durations, fragment, initSegment, mimeOf, usualDuration } from './fmp4.ts'

export type LiveMode = 'fmp4' | 'mjpeg'

export type LiveListener = {
  /** Mode fmp4: first, and again before the fragments of a stream that changed (its size, for example). */
  init(segment: Buffer, mime: string): void
  fragment(bytes: Buffer, isKey: boolean): void
  /** Mode mjpeg. */
  jpeg(bytes: Buffer, at: number): void
  /** The camera was removed: nothing follows. */
  ended(): void
  /** Bytes that still wait to be sent to this viewer; beyond 2 MB it misses pictures up to the next key frame. */
  buffered?(): number
}

export type LiveViewer = {
  /** Miss everything up to the next key frame. */
  skip(): void
  stop(): void
}

export type Live = {
  join(mode: LiveMode, listener: LiveListener): LiveViewer
  unit(unit: AccessUnit): void
  picture(jpeg: Buffer, at: number): void
  /** JPEG pictures a second that viewers want. */
  wantedPictures(): number
  /** Whether anybody is shown each unit as it comes. */
  isWatched(): boolean
  end(): void
}

const viewerMaxBytes = 2 * 1024 * 1024
const picturesPerSecond = 5

type Viewer = { listener: LiveListener; shown: ParameterSets | null; waitsForKey: boolean }

/**
 * @param group the units since the latest key frame, the newest included
 * @param onViewers called when `wantedPictures()` or `isWatched()` has changed
 */
export function createLive(group: () => AccessUnit[], onViewers: () => void): Live {
  const viewers = new Set<Viewer>()
  const pictureViewers = new Set<LiveListener>()
  let sequence = 0
  let lastDts: number | null = null
  let lastDuration = usualDuration

  const next = (unit: AccessUnit, ticks: number) => {
    sequence += 1
    return fragment(unit, sequence, ticks)
  }
  const announce = (viewer: Viewer, parameters: ParameterSets) => {
    if (viewer.shown && isSame(viewer.shown, parameters)) return
    viewer.shown = parameters
    viewer.listener.init(initSegment(parameters), mimeOf(parameters))
  }
  const catchUp = (viewer: Viewer) => {
    const units = group()
    const [first] = units
    if (!first) return
    announce(viewer, first.parameters)
    const ticks = durations(units)
    for (const [i, unit] of units.entries()) viewer.listener.fragment(next(unit, ticks[i] as number), unit.key)
    viewer.waitsForKey = false
  }
  const isBehind = ({ listener }: Viewer) => (listener.buffered?.() ?? 0) > viewerMaxBytes

  const joinPictures = (listener: LiveListener): LiveViewer => {
    pictureViewers.add(listener)
    if (pictureViewers.size === 1) onViewers()
    return {
      // Each picture stands for itself.
      skip: () => undefined,
      stop: () => {
        if (pictureViewers.delete(listener) && pictureViewers.size === 0) onViewers()
      },
    }
  }
  return {
    join(mode, listener) {
      if (mode === 'mjpeg') return joinPictures(listener)
      const viewer: Viewer = { listener, shown: null, waitsForKey: true }
      catchUp(viewer)
      viewers.add(viewer)
      if (viewers.size === 1) onViewers()
      return {
        skip: () => {
          viewer.waitsForKey = true
        },
        stop: () => {
          if (viewers.delete(viewer) && viewers.size === 0) onViewers()
        },
      }
    },
    unit(unit) {
      if (lastDts !== null) lastDuration = duration(lastDts, unit.dts)
      lastDts = unit.dts
      let made: Buffer | null = null
      for (const viewer of viewers) {
        if (isBehind(viewer)) viewer.waitsForKey = true
        if (viewer.waitsForKey && (!unit.key || isBehind(viewer))) continue
        viewer.waitsForKey = false
        if (unit.key) announce(viewer, unit.parameters)
        made ??= next(unit, lastDuration)
        viewer.listener.fragment(made, unit.key)
      }
    },
    picture(jpeg, at) {
      for (const listener of pictureViewers) if ((listener.buffered?.() ?? 0) <= viewerMaxBytes) listener.jpeg(jpeg, at)
    },
    wantedPictures: () => (pictureViewers.size > 0 ? picturesPerSecond : 0),
    isWatched: () => viewers.size > 0,
    end() {
      for (const { listener } of viewers) listener.ended()
      for (const listener of pictureViewers) listener.ended()
      viewers.clear()
      pictureViewers.clear()
    },
  }
}

/** Whether a decoder set up for one can go on with the other. */
export function isSame(a: ParameterSets, b: ParameterSets): boolean {
  if (a === b) return true
  const same = (left: Buffer[], right: Buffer[]) =>
    left.length === right.length && left.every((nal, i) => nal.equals(right[i] as Buffer))
  return same(a.sps, b.sps) && same(a.pps, b.pps)
}
