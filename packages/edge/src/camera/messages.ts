/** What main and a camera process say to each other over the channel of `fork` (advanced serialization: buffers stay bytes). */
import type { Masks } from './burn.ts'
import type { CameraCause } from './cause.ts'
import type { FrameTicket } from './frames.ts'
import type { ParameterSets } from './h264.ts'

export type Transport = 'tcp' | 'udp'

/**
 * Pictures for the analysis: at most `width` × `height` (the camera's aspect is kept, nothing is enlarged), `fps` a second.
 * `on_demand`: fewer will do while nothing moves.
 */
export type AnalysisSize = { fps: number; width: number; height: number; on_demand: boolean }

export type ToChild =
  | {
      type: 'open'
      ip: string
      port: number
      path: string
      username: string | null
      password: string | null
      transport: Transport
      /** Where the camera's time line goes on. */
      start_ms: number
      /** What no picture may show. */
      masks: Masks
    }
  | { type: 'masks'; masks: Masks }
  | { type: 'analysis'; analysis: (AnalysisSize & { ticket: FrameTicket }) | null }
  /** The newest picture, in full size unless `most` is less. */
  | { type: 'jpeg'; id: number; most?: { width: number; height: number } }
  /** Pictures for viewers without a video decoder, 0 = none. */
  | { type: 'pictures'; fps: number }
  /** Whether units may come some at a time: nobody waits for them. At first they come one by one. */
  | { type: 'gather'; gather: boolean }
  /** Take leave of the camera, then end. */
  | { type: 'close' }

export type Unit = { key: boolean; pts: number; dts: number; at: number; data: Buffer }

export type FromChild =
  /** Before the first unit, and whenever they change. */
  | { type: 'parameters'; parameters: ParameterSets }
  | { type: 'units'; units: Unit[] }
  /** Packets arrive, but nothing that can be shown: the stream has not given its parameter sets yet. */
  | { type: 'not_yet' }
  | { type: 'jpeg'; id: number; at: number; jpeg: Buffer }
  | { type: 'picture'; at: number; pts: number; jpeg: Buffer }
  | { type: 'pace'; pace: AnalysisPace }
  /** The worker is gone: a new ticket is needed. */
  | { type: 'frames_closed' }
  /** The end; `transport`: the camera refuses this way of sending (RTSP 461). */
  | { type: 'failed'; cause: CameraCause | 'transport' }

/** How the analysis keeps up. */
export type AnalysisPace = {
  /** Sent in the last seconds, measured. */
  fps: number
  wanted_fps: number
  /** Fewer are sent than asked for, because the worker is too slow. */
  is_reduced: boolean
  /** Pictures a minute that are not even sent for that reason. */
  left_out: number
  /** Since the process began: replaced by a newer picture while the worker was busy. */
  drops: number
  /** From the taking of a picture to the end of its analysis, worst of the last seconds. */
  lag_ms: number
}
