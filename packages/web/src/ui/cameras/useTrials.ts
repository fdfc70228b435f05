import { useEffect, useRef, useState } from 'react'
import { type Asked, type Tried, tryCamera } from '../../app/discovery.ts'
import { isTrialOf } from './trial.ts'

/** So many cameras are tried at once: each takes its edge server some seconds. */
const atOnce = 3

type Trial = { asked: Asked; tried: Tried | 'running' }

export type Trials = {
  /** What a trial of this camera, with this address and login, found; undefined where there was none. */
  of: (key: string, camera: Asked) => Tried | 'running' | undefined
  run: (cameras: ReadonlyMap<string, Asked>) => Promise<void>
  /** What runs is awaited, nothing more is begun. */
  stop: () => void
  progress: { done: number; total: number } | null
}

/** Trials of many cameras, few at once, before any of them is saved. */
export function useTrials(): Trials {
  const [trials, setTrials] = useState<ReadonlyMap<string, Trial>>(new Map())
  const [progress, setProgress] = useState<Trials['progress']>(null)
  const isStopped = useRef(false)
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const put = (key: string, trial: Trial) => setTrials((now) => new Map([...now, [key, trial]]))
  return {
    of(key, camera) {
      const trial = trials.get(key)
      return trial && isTrialOf(trial.asked, camera) ? trial.tried : undefined
    },
    async run(cameras) {
      isStopped.current = false
      const waiting = [...cameras]
      let done = 0
      setProgress({ done, total: cameras.size })
      const work = async () => {
        for (let next = waiting.shift(); next && !isStopped.current; next = waiting.shift()) {
          const [key, asked] = next
          put(key, { asked, tried: 'running' })
          put(key, { asked, tried: await tryCamera(asked) })
          setProgress({ done: ++done, total: cameras.size })
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      setProgress(null)
    },
    stop: () => {
      isStopped.current = true
    },
    progress,
  }
}
