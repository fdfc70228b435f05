import type { Probe } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { bestProfile } from '../app/camera-choice.ts'
import { api } from '../app/client.ts'

export type Trial = {
  run: (camera: { nimble_id: string; address: string; username: string; password: string; device_id?: string }) => void
  isRunning: boolean
  result: Probe | null
  /** What went wrong before the camera could be asked. */
  error: string | null
  /** Whether a stream was found that can be used. */
  works: boolean
}

/** Tries a camera before it is saved. */
export function useProbe(onProfile: (address: string) => void): Trial {
  const probe = useMutation(api.device.probe.mutation({ quiet: true, inline: true }))
  const result = probe.data ?? null
  return {
    run: ({ username, password, ...rest }) =>
      probe.mutate(
        { ...rest, username: username || null, password: password || null },
        {
          onSuccess: ({ profiles }) => {
            const best = bestProfile(profiles)
            if (best) onProfile(best.stream_address)
          },
        },
      ),
    isRunning: probe.isPending,
    result,
    error: probe.error?.message ?? null,
    works:
      result !== null &&
      bestProfile(result.profiles) !== null &&
      !result.findings.some(({ level }) => level === 'error'),
  }
}
