/** Cameras under test: started, watched, and stopped when the test ends. */
import type { SourceState } from '@sightline/contract/edge'
import { expect, onTestFinished, vi } from 'vitest'
import type { LiveMode } from '../../live/live.ts'
import { type KnownHosts, nothingKnown } from '../address.ts'
import { type Camera, type CameraOptions, startCamera } from '../camera.ts'
import type { AnalysisPace } from '../messages.ts'

export type Watched = {
  camera: Camera
  states: SourceState[]
  paces: AnalysisPace[]
  logs: string[]
  /** Waits until the camera is as described. */
  until(expected: Partial<SourceState>, seconds?: number): Promise<SourceState>
}

export const local = (...ports: number[]): KnownHosts => ({
  ...nothingKnown,
  simulated: [{ host: '127.0.0.1', ports }],
})

export function watch(options: Partial<CameraOptions> & { address: string }): Watched {
  const states: SourceState[] = []
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
    async until(expected, seconds = 15) {
      await vi.waitFor(() => expect(camera.state()).toMatchObject(expected), { timeout: seconds * 1000, interval: 50 })
      return camera.state()
    },
  }
}

export type Shown = {
  init: Buffer[]
  fragments: Buffer[]
  keys: boolean[]
  jpegs: Buffer[]
  mimes: string[]
  ended: number
}

/** What a viewer was sent. */
export function view(camera: Camera, mode: LiveMode = 'fmp4', buffered?: () => number) {
  const shown: Shown = { init: [], fragments: [], keys: [], jpegs: [], mimes: [], ended: 0 }
  const viewer = camera.live(mode, {
    init: (segment, mime) => {
      shown.init.push(segment)
      shown.mimes.push(mime)
    },
    fragment: (bytes, isKey) => {
      shown.fragments.push(bytes)
      shown.keys.push(isKey)
    },
    jpeg: (bytes) => shown.jpegs.push(bytes),
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
