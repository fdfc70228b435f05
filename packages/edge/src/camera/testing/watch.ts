/** Cameras under test: started, watched, and stopped when the test ends. */
import type { SourceState } from '@sightline/contract/edge'
import { expect, onTestFinished } from 'vitest'
import type { LiveMode } from '../../live/live.ts'
import { type KnownHosts, nothingKnown } from '../address.ts'
import { type Camera, type CameraOptions, startCamera } from '../camera.ts'
import type { AnalysisPace } from '../messages.ts'

export type Watched = {
  camera: Camera
  states: SourceState[]
  paces: AnalysisPace[]
  logs: string[]
  /** Waits until the camera is as described, or was since what was waited for last: a test may look too late. */
  until(expected: Partial<SourceState>, seconds?: number): Promise<SourceState>
}

export const local = (...ports: number[]): KnownHosts => ({
  ...nothingKnown,
  simulated: [{ host: '127.0.0.1', ports }],
})

export function watch(options: Partial<CameraOptions> & { address: string }): Watched {
  const states: SourceState[] = []
  let known = 0
  const paces: AnalysisPace[] = []
  const logs: string[] = []
  const port = Number(new URL(options.address).port)
  const camera = startCamera(
    {
      source_id: '01890000-0000-7000-8000-0000000000a1',
      username: null,
      password: null,
      known: () => local(port),
      analysis: null,
      ...options,
    },
    { onState: (state) => states.push(state), onPace: (pace) => paces.push(pace), log: (text) => logs.push(text) },
  )
  onTestFinished(() => camera.stop())
  return {
    camera,
    states,
    paces,
    logs,
    async until(expected, seconds = 60) {
      const isExpected = (state: SourceState) =>
        Object.entries(expected).every(([key, value]) => state[key as keyof SourceState] === value)
      let found = camera.state()
      const look = () => {
        const now = camera.state()
        found = (isExpected(now) ? undefined : states.slice(known).find(isExpected)) ?? now
        return found
      }
      await expect.poll(look, { timeout: seconds * 1000 }).toMatchObject(expected)
      known = states.indexOf(found) + 1 || states.length
      return found
    },
  }
}

export type Shown = {
  init: Buffer[]
  fragments: Buffer[]
  keys: boolean[]
  jpegs: Buffer[]
  /** When each of these was taken, ms since the epoch. */
  jpegTimes: number[]
  mimes: string[]
  ended: number
}

/** What a viewer was sent. */
export function view(camera: Camera, mode: LiveMode = 'fmp4', buffered?: () => number) {
  const shown: Shown = { init: [], fragments: [], keys: [], jpegs: [], jpegTimes: [], mimes: [], ended: 0 }
  const viewer = camera.live(mode, {
    init: (segment, mime) => {
      shown.init.push(segment)
      shown.mimes.push(mime)
    },
    fragment: (bytes, isKey) => {
      shown.fragments.push(bytes)
      shown.keys.push(isKey)
    },
    jpeg: (bytes, at) => {
      shown.jpegs.push(bytes)
      shown.jpegTimes.push(at)
    },
    ended: () => {
      shown.ended += 1
    },
    ...(buffered && { buffered }),
  })
  return { ...viewer, shown }
}

/** True while the process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}
