/** Looking for cameras from an edge server, and adding those that were chosen: for the wizard and the discovery screen. */
import { type DemoCamera, type Discovered, type Discovery, discovery, type Job, type Probe } from '@sightline/contract'
import { listenSeconds } from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTopic } from '../live.ts'
import { bestProfile, withHeard } from './camera-choice.ts'
import { api, queryClient } from './client.ts'

const pollMs = 1000

const isOver = (job: Job | undefined) => job !== undefined && !['queued', 'pending', 'running'].includes(job.state)

/** Where to look; left out, the edge server asks all its networks. */
export type Where = { range?: string; interfaces?: string[] }

export type Look = {
  /** A new search supersedes the one before. `isLonger`: it listens for those that answer late, and what was found stays. */
  start: (nimbleId: string, where?: Where, isLonger?: boolean) => void
  stop: () => void
  found: readonly Discovered[]
  /** Whether the last search listened longer. */
  isLonger: boolean
  scanned: Discovery['scanned']
  /** `stopped`: somebody ended it before it had looked everywhere. */
  state: 'idle' | 'looking' | 'done' | 'stopped' | 'failed'
  /** Text of what went wrong. */
  error: string | null
  /** Message ids, by field of the call. */
  errors: Record<string, string[]>
}

/** A search for cameras; what it finds arrives one by one. */
export function useDiscovery(): Look {
  // Somebody may stop it, or go away, before the server has said that it began.
  const isUnwanted = useRef(false)
  const begin = useMutation({
    ...api.device.discover.mutation({ quiet: true, inline: true }),
    onSuccess: ({ job_id }) => {
      if (isUnwanted.current) void api.job.cancel.call({ job_id })
    },
  })
  const [earlier, setEarlier] = useState<readonly Discovered[]>([])
  const jobId = begin.data?.job_id ?? null
  const job = useQuery({
    ...api.job.get.query({ job_id: jobId ?? '' }),
    enabled: jobId !== null,
    // The stream brings progress at once; asking covers a stream that is interrupted.
    refetchInterval: ({ state }) => (isOver(state.data) ? false : pollMs),
  })
  useTopic('job', ({ type: _, ...message }) => {
    if (message.job_id === jobId) queryClient.setQueryData(api.job.get.key({ job_id: message.job_id }), message)
  })
  const result = discovery.safeParse(job.data?.result)
  const stop = () => {
    isUnwanted.current = true
    if (jobId !== null && !isOver(job.data)) void api.job.cancel.call({ job_id: jobId })
  }
  // Who goes away is not waiting for an answer any more.
  const stopLatest = useEffectEvent(stop)
  useEffect(() => () => stopLatest(), [])
  const found = withHeard(earlier, result.data?.found ?? [])
  const hasFailed = begin.isError || job.isError || job.data?.state === 'failed'
  return {
    start: (nimble_id, where = {}, isLonger = false) => {
      stop()
      isUnwanted.current = false
      setEarlier(isLonger ? found : [])
      begin.mutate({ nimble_id, timeout: listenSeconds[isLonger ? 'longer' : 'first'], ...where })
    },
    stop,
    found,
    isLonger: begin.variables?.timeout === listenSeconds.longer,
    scanned: result.data?.scanned ?? null,
    state: hasFailed
      ? 'failed'
      : job.data?.state === 'cancelled'
        ? 'stopped'
        : isOver(job.data)
          ? 'done'
          : begin.isIdle
            ? 'idle'
            : 'looking',
    errors: begin.error?.errors ?? {},
    error: begin.error?.message ?? job.error?.message ?? job.data?.error ?? null,
  }
}

/** Demo cameras as if discovery had found them: where another program holds the port of WS-Discovery they are offered all the same. */
export function withDemo(found: readonly Discovered[], demo: readonly DemoCamera[]): Discovered[] {
  const known = new Set(found.flatMap((one) => [one.UUID, one.xaddr]))
  const missing = demo
    .filter((camera) => !known.has(camera.UUID) && !known.has(camera.xaddr))
    .map(
      (camera): Discovered => ({
        UUID: camera.UUID,
        xaddr: camera.xaddr,
        host: camera.host,
        port: camera.onvif_port,
        name: camera.name,
        maker: null,
        model: null,
        interface: null,
        is_demo: true,
        device_id: null,
      }),
    )
  return [...found, ...missing]
}

/** A camera to try: a stream, or an ONVIF service, and who may read it. */
export type Asked = { nimble_id: string; address: string; username: string; password: string }
export type Tried = {
  /** What it offers; null where it could not be asked. */
  probe: Probe | null
  /** The stream to read; null where something is wrong. */
  profile: Probe['profiles'][number] | null
  /** What is wrong: a text for people, or the id of a cause. */
  problem: string | null
}

/** Tries a camera, and chooses which of its streams to read. */
export async function tryCamera({ nimble_id, address, username, password }: Asked): Promise<Tried> {
  const result = await api.device.probe.call({
    ...{ nimble_id, address: address.trim() },
    username: username || null,
    password: password || null,
  })
  if (!result.status) return { profile: null, probe: null, problem: result.message.text }
  const { profiles, findings } = result.data
  const profile = bestProfile(profiles)
  const fault = findings.find((finding) => finding.level === 'error')
  const problem = fault?.text_id ?? (profile ? null : `not_h264:${profiles[0]?.codec ?? '?'}`)
  return { probe: result.data, profile: problem === null ? profile : null, problem }
}
