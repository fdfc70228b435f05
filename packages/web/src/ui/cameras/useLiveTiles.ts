import { useEffect, useRef, useState } from 'react'
import { useTopic } from '../../live.ts'
import type { Camera } from './customer-cameras.ts'
import { type Activity, liveTiles, nextQuiet, noticed } from './live-tiles.ts'

/**
 * Ids of the cameras in sight that show a video now: where the stream tells of activity, and those in violation.
 * @param violating ids of the cameras in violation, in any order
 */
export function useLiveTiles(inSight: readonly Camera[], violating: readonly string[]): ReadonlySet<string> {
  const [activity, setActivity] = useState<ReadonlyMap<string, Activity>>(new Map())
  const [now, setNow] = useState(Date.now)
  const notice = (ids: readonly string[]) => {
    const at = Date.now()
    setNow(at)
    setActivity((before) => new Map([...before, ...ids.map((id) => [id, noticed(before.get(id), at)] as const)]))
  }
  useTopic('event', ({ channel_id, opened, levels }) => {
    if (opened === 0 && !Object.values(levels).some((level) => level > 0)) return
    const camera = inSight.find(({ channels }) => channels.some((one) => one.channel_id === channel_id))
    if (camera) notice([camera.device_id])
  })
  const key = violating.toSorted().join()
  const before = useRef<readonly string[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: who comes into violation is noticed, once
  useEffect(() => {
    const begun = violating.filter((id) => !before.current.includes(id))
    before.current = violating
    if (begun.length > 0) notice(begun)
  }, [key])
  // What is in violation goes on for as long as it is.
  const going = new Map([...activity].map(([id, one]) => [id, violating.includes(id) ? { ...one, last: now } : one]))
  const next = nextQuiet(activity, now)
  useEffect(() => {
    if (next === null) return
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, next - Date.now()))
    return () => clearTimeout(timer)
  }, [next])
  return new Set(
    liveTiles(
      going,
      inSight.map(({ device_id }) => device_id),
      now,
    ),
  )
}
