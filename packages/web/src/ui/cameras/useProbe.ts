import type { Probe } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { bestProfile } from '../../app/camera-choice.ts'
import { api } from '../../app/client.ts'
import { useTopic } from '../../live.ts'
import { isTrialOf } from './trial.ts'

type Camera = {
  nimble_id: string
  address: string
  username: string
  password: string
  /** It is to take the place of the stored one. */
  is_swap?: boolean
}

export type Trial = {
  /** @param deviceId of the camera when it is stored already */
  run: (deviceId?: string) => void
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

/**
 * Tries a camera before it is saved. The verdict goes when what it was about is changed.
 * @param camera as the fields name it now
 * @param onProfile hears which stream to read, what was found, and at which address
 */
export function useProbe(camera: Camera, onProfile: (stream: string, found: Probe, address: string) => void): Trial {
  const probe = useMutation(api.device.probe.mutation({ quiet: true, inline: true }))
  const [going, setGoing] = useState<{ id: string; findings: Probe['findings'] }>({ id: '', findings: [] })
  useTopic('probe', ({ probe_id, finding }) =>
    setGoing((now) => (now.id === probe_id ? { ...now, findings: [...now.findings, finding] } : now)),
  )
  const streams = probe.data?.profiles.map(({ stream_address }) => stream_address)
  const isCurrent =
    probe.variables !== undefined && isTrialOf({ username: null, password: null, ...probe.variables }, camera, streams)
  const result = isCurrent ? (probe.data ?? null) : null
  return {
    run: (deviceId) => {
      const { nimble_id, username, password, is_swap } = camera
      const address = camera.address.trim()
      const probe_id = newId()
      setGoing({ id: probe_id, findings: [] })
      probe.mutate(
        {
          ...{ nimble_id, address, device_id: deviceId, is_swap, probe_id },
          username: username || null,
          password: password || null,
        },
        {
          onSuccess: (found) => {
            const best = bestProfile(found.profiles)
            if (best) onProfile(best.stream_address, found, address)
          },
        },
      )
    },
    findings: result?.findings ?? (isCurrent && probe.isPending ? going.findings : []),
    isRunning: isCurrent && probe.isPending,
    result,
    error: isCurrent ? (probe.error?.message ?? null) : null,
    works:
      result !== null &&
      bestProfile(result.profiles) !== null &&
      !result.findings.some(({ level }) => level === 'error'),
  }
}
