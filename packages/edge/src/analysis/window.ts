import type { LevelKind } from '@sightline/domain'

export type Levels = Record<string, number>

/** A camera at rest gives a picture at least this often (`camera/gate.ts`), and a bit. */
const longestStillMs = 4000

/** What a window saw; `metrics` as a window record carries them. */
export type WindowSummary = { endedAt: number; observedMs: number; metrics: Levels; cause: string | null }

export type WindowSettings = {
  windowMs: number
  /** Time one picture stands for when the next does not come. */
  nominalMs: number
  /** Pictures further apart than this leave a gap that nobody watched. */
  longestMs: number
  kinds: Readonly<Record<string, LevelKind>>
}

type Sum = { area: number; least: number; greatest: number; last: number }
type Open = { end: number; pictures: number; observedMs: number; sums: Map<string, Sum>; cause: string | null }

/**
 * Sums levels up in windows whose ends are multiples of `windowMs`. A level holds from its picture until the next, so
 * means are weighted by time, and `observedMs` is the time that was really watched: pictures that did not come, and
 * those without levels (warming up, blind), do not count. Times are in ms and brought by the caller.
 */
export function createWindow(settings: WindowSettings) {
  const { windowMs, nominalMs, longestMs, kinds } = settings
  let open: Open | null = null
  /** Levels in force and since when; null when nothing is being watched. */
  let holding: { levels: Levels; since: number; longestMs: number } | null = null

  const windowAt = (at: number): Open => ({
    end: (Math.floor(at / windowMs) + 1) * windowMs,
    pictures: 0,
    observedMs: 0,
    sums: new Map(),
    cause: null,
  })

  /** Adds the levels in force up to `at`, or a picture's time if the next is missing, and closes windows that ended. */
  function advance(at: number): WindowSummary[] {
    const closed: WindowSummary[] = []
    const close = (window: Open) => {
      if (window.pictures > 0 || window.observedMs > 0) closed.push(summary(window, window.end))
    }
    const isGap = holding !== null && at - holding.since > holding.longestMs
    const until = holding && isGap ? holding.since + nominalMs : at
    while (holding && open) {
      const to = Math.min(until, open.end)
      add(open, holding.levels, to - holding.since)
      holding = { ...holding, since: to }
      if (to < open.end) break
      close(open)
      open = windowAt(to)
    }
    if (isGap) holding = null
    if (open && at >= open.end) {
      close(open)
      open = null
    }
    return closed
  }
  function add({ sums }: Open, levels: Levels, ms: number): void {
    if (!open || ms <= 0) return
    open.observedMs += ms
    for (const [id, value] of Object.entries(levels)) {
      const sum = sums.get(id)
      if (!sum) sums.set(id, { area: value * ms, least: value, greatest: value, last: value })
      else {
        sum.area += value * ms
        sum.least = Math.min(sum.least, value)
        sum.greatest = Math.max(sum.greatest, value)
        sum.last = value
      }
    }
  }
  function summary({ observedMs, sums, cause }: Open, endedAt: number): WindowSummary {
    const metrics: Levels = {}
    for (const [id, sum] of sums) {
      const kind = kinds[id] ?? 'gauge'
      if (kind === 'last') metrics[id] = sum.last
      else if (kind === 'peak') metrics[id] = twoDecimals(sum.greatest)
      else {
        metrics[id] = twoDecimals(sum.area / observedMs)
        metrics[`${id}_min`] = sum.least
        metrics[`${id}_max`] = sum.greatest
      }
    }
    return { endedAt, observedMs: Math.round(observedMs), metrics, cause }
  }

  return {
    /**
     * A picture was analysed. @param levels null when nothing could be counted in it
     * @param isStill the next may come late, and until then nothing changes
     */
    see(at: number, levels: Levels | null, cause: string | null, isStill = false): WindowSummary[] {
      const closed = advance(at)
      open ??= windowAt(at)
      open.pictures++
      open.cause ??= cause
      holding = levels && { levels, since: at, longestMs: isStill ? Math.max(longestStillMs, longestMs) : longestMs }
      return closed
    },
    /** The levels since the newest picture are others than they were taken for. */
    correct(levels: Levels): void {
      if (holding) holding = { ...holding, levels }
    },
    /** Time passed without a picture: windows that can get none any more are closed. */
    pass(at: number): WindowSummary[] {
      return open && at >= open.end + (holding?.longestMs ?? longestMs) ? advance(at) : []
    },
    /** Ends the window now: a stop, or new settings. */
    cut(at: number): WindowSummary[] {
      const closed = advance(at)
      if (open && open.pictures > 0) closed.push(summary(open, at))
      open = null
      holding = null
      return closed
    },
  }
}

const twoDecimals = (value: number): number => Math.round(value * 100) / 100
