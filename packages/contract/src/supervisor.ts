/**
 * What the start command and the processes it runs say to each other over the IPC channel of `fork`.
 * Closing that channel means stop: a child ends itself in order when its parent is gone.
 */
import type { DemoCamera } from './demo.ts'

/** From the portal. `request` is repeated in the answer. */
export type PortalSays =
  | { type: 'ready'; address: string; setup_token: string | null }
  /** It cannot start; one sentence with the way out. */
  | { type: 'failed'; sentence: string }
  | { type: 'demo.start'; request: number; count: number }
  | { type: 'demo.list'; request: number }
  | { type: 'demo.stop'; request: number }
  | { type: 'demo.fault'; request: number; UUID: string; fault: DemoCamera['fault'] }

/** To the portal: the answer, and unasked whenever the set of simulated cameras changes. */
export type ToPortal = { type: 'demo'; request?: number; cameras: DemoCamera[]; error?: string }

/** From the nimble. */
export type NimbleSays = { type: 'ready'; port: number } | { type: 'failed'; sentence: string }

/** To the nimble: the only loopback addresses it may take for cameras. */
export type ToNimble = { type: 'demo.allow'; hosts: { host: string; ports: number[] }[] }

/** To the simulated cameras. */
export type ToSimcam =
  /** `ports` are those of an earlier run, by index, so that saved cameras are found again. */
  | { type: 'start'; count: number; ports?: { rtsp_port: number; onvif_port: number }[] }
  | { type: 'fault'; UUID: string; fault: DemoCamera['fault'] }
  | { type: 'stop' }
/** From the simulated cameras, after every one of those. */
export type SimcamSays = { type: 'cameras'; cameras: DemoCamera[] } | { type: 'failed'; sentence: string }
