import { useEffect, useRef, useState } from 'react'
import { type Asked, type Tried, tryCamera } from '../../app/discovery.ts'
import { isTrialOf } from './trial.ts'

/** So many cameras are tried at once: each takes its edge server some seconds. */
const atOnce = 3

type Trial = { asked: Asked; tried: Tried | 'running' }

export type Trials = {
  /** What a trial of this camera, with this address and login, found; undefined where there was none. */
  of: (key: string, camera: Asked) => Tried | 'running' | undefined
  run: (cameras: ReadonlyMap<string, Asked>) => void
  /** What runs is awaited, nothing more is begun. */
  stop: () => void
  progress: { done: number; total: number } | null
}

/** Trials of many cameras, few at once, before any of them is saved. What is asked for meanwhile queues behind. */
export function useTrials(): Trials {
  const [trials, setTrials] = useState<ReadonlyMap<string, Trial>>(new Map())
  const [progress, setProgress] = useState<Trials['progress']>(null)
  const queue = useRef({ waiting: [] as [string, Asked][], running: 0, done: 0 }).current
  useEffect(
    () => () => {
      queue.waiting = []
    },
    [queue],
  )
  const put = (key: string, trial: Trial) => setTrials((now) => new Map([...now, [key, trial]]))
  const tell = () =>
    setProgress(
      queue.running + queue.waiting.length === 0
        ? null
        : { done: queue.done, total: queue.done + queue.running + queue.waiting.length },
    )
  const work = async () => {
    for (let next = queue.waiting.shift(); next; next = queue.waiting.shift()) {
      const [key, asked] = next
      queue.running += 1
      put(key, { asked, tried: 'running' })
      put(key, { asked, tried: await tryCamera(asked) })
      queue.running -= 1
      queue.done += 1
      tell()
    }
  }
  return {
    of(key, camera) {
      const trial = trials.get(key)
      return trial && isTrialOf(trial.asked, camera) ? trial.tried : undefined
    },
    run(cameras) {
      if (queue.running + queue.waiting.length === 0) queue.done = 0
      queue.waiting.push(...cameras)
      for (let free = atOnce - queue.running; free > 0; free--) void work()
      tell()
    },
    stop() {
      queue.waiting = []
      tell()
    },
    progress,
  }
}
