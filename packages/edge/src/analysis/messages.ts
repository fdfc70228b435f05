import type { ChannelState, EventRecord, Overlay } from '@sightline/contract/edge'
import type { FrameSocket } from '../camera/frames.ts'
import type { ChannelWork } from '../model/attached.ts'
import type { FramePace } from './analyzer.ts'
import type { Carried } from './usecase/usecase.ts'

/** What main tells an analysis worker. */
export type ToWorker =
  | { type: 'channels'; channels: ChannelWork[]; carried: [string, Carried][] }
  | { type: 'pace'; source_id: string; pace: FramePace }
  /** Answered by `occupancy.done` of the same number. */
  | { type: 'occupancy.set'; id: number; channel_id: string; occupancy: number }
  | { type: 'stop' }

/** Since the beat before. */
export type WorkFigures = { frames: number; busyMs: number }

/** What an analysis worker tells main. */
export type FromWorker =
  | { type: 'ready'; socket: FrameSocket }
  /** `carried`: of the channels whose records these are. */
  | {
      type: 'records'
      source_id: string | null
      at: number
      pts_ms: number | null
      records: EventRecord[]
      carried: [string, Carried][]
    }
  | { type: 'overlay'; overlay: Overlay }
  | { type: 'states'; states: ChannelState[] }
  /** Every second: it is alive, and how its channels are. */
  | { type: 'beat'; states: ChannelState[]; carried: [string, Carried][]; work: WorkFigures }
  /** `before`: what was counted until then. Of a channel that does not run nothing is set. */
  | { type: 'occupancy.done'; id: number; isSet: boolean; before: number | null }
  | { type: 'log'; text: string }
  | { type: 'stopped' }
