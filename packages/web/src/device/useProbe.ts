import type { Probe } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { bestProfile } from '../app/camera-choice.ts'
import { api } from '../app/client.ts'
import { useTopic } from '../live.ts'

export type Trial = {
  run: (camera: { nimble_id: string; address: string; username: string; password: string; device_id?: string }) => void
  isRunning: boolean
  /** What is found so far, or was found in the end. */
  findings: Probe['findings']
  result: Probe | null
  /** What went wrong before the camera could be asked. */
  error: string | null
  /** Whether a stream was found that can be used. */
  works: boolean
}

/** A random UUID; the browser's own is there in secure contexts only. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Tries a camera before it is saved. */
export function useProbe(onProfile: (address: string) => void): Trial {
  const probe = useMutation(api.device.probe.mutation({ quiet: true, inline: true }))
  const [going, setGoing] = useState<{ id: string; findings: Probe['findings'] }>({ id: '', findings: [] })
  useTopic('probe', ({ probe_id, finding }) =>
    setGoing((now) => (now.id === probe_id ? { ...now, findings: [...now.findings, finding] } : now)),
  )
  const result = probe.data ?? null
  return {
    run: ({ username, password, ...rest }) => {
      const probe_id = newId()
      setGoing({ id: probe_id, findings: [] })
      probe.mutate(
        { ...rest, probe_id, username: username || null, password: password || null },
        {
          onSuccess: ({ profiles }) => {
            const best = bestProfile(profiles)
            if (best) onProfile(best.stream_address)
          },
        },
      )
    },
    findings: result?.findings ?? (probe.isPending ? going.findings : []),
    isRunning: probe.isPending,
    result,
    error: probe.error?.message ?? null,
    works:
      result !== null &&
      bestProfile(result.profiles) !== null &&
      !result.findings.some(({ level }) => level === 'error'),
  }
}
