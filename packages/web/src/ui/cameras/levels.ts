import { freshMs } from '@sightline/domain'
import { useEffect, useMemo, useRef, useState } from 'react'
import { portalNow } from '../../app/clock.ts'
import { useTopic } from '../../live.ts'

/** Channel id → its newest live numbers, as the stream brings them; a channel that tells nothing now is not there. */
export type Levels = Readonly<Record<string, Readonly<Record<string, number>>>>

/** What a channel told last, of when that is, and until when it is how it is now. */
type Told = Readonly<Record<string, { levels: Levels[string]; at: number; until: number }>>

/** Of a hundred channels some tell something at any moment: what comes within this time is drawn together. */
const togetherMs = 200
const lookMs = 5000

/** Without what is no longer of now; the same object while all of it is. */
export function stillTrue(told: Told, now: number): Told {
  const fresh = Object.entries(told).filter(([, { until }]) => now <= until)
  return fresh.length === Object.keys(told).length ? told : Object.fromEntries(fresh)
}

/** With what is told now, of each channel the newest: a journal that is drained late tells of the past. */
export function newest(before: Told, told: Told): Told {
  const newer = Object.entries(told).filter(([id, { at }]) => at >= (before[id]?.at ?? Number.NEGATIVE_INFINITY))
  return { ...before, ...Object.fromEntries(newer) }
}

export function useLevels(): Levels {
  const [told, setTold] = useState<Told>({})
  const waiting = useRef<Told | null>(null)
  const draw = () => {
    const changed = waiting.current ?? {}
    waiting.current = null
    setTold((before) => stillTrue(newest(before, changed), portalNow()))
  }
  useTopic('event', ({ channel_id, levels, window_s, observed_at }) => {
    if (!waiting.current) setTimeout(draw, togetherMs)
    const at = Date.parse(observed_at)
    // A record tells all there is to tell: what it leaves out is not known any more.
    waiting.current = newest(waiting.current ?? {}, { [channel_id]: { levels, at, until: at + freshMs(window_s) } })
  })
  // A camera that was cut tells nothing at all.
  useEffect(() => {
    const timer = setInterval(() => setTold((before) => stillTrue(before, portalNow())), lookMs)
    return () => clearInterval(timer)
  }, [])
  return useMemo(() => Object.fromEntries(Object.entries(told).map(([id, { levels }]) => [id, levels])), [told])
}
