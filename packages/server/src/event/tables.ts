import type { ColumnType, Generated } from 'kysely'

/** What watched: a dictionary, so that an event carries a number. */
export type EventSourceTable = {
  id: Generated<number>
  detector: string
  detector_state: string
  state_cause: string | null
  model_version: string | null
}
/** Dictionary of roll-up series; 0 is the observed time. The code's ids are checked against it at start. */
export type SeriesTable = { id: number; metric: string; face: 'level' | 'flow' }

export type EventTable = {
  tenant_id: number
  channel_id: number
  /** `observed_at`: the corrected edge clock. */
  ts: Date
  /** `event_uuid`: UUIDv7 whose millisecond is `ts`. */
  eid: string
  received_at: Generated<Date>
  observed_ms: number
  nimble_id: number
  source: number
  clock_offset_ms: number
  /** Index into the contract's `recordKinds`. */
  kind: number
  /** False for windows in which every number is 0: lists leave them out. */
  notable: boolean
  /** Metric code (`series.ts`) and value in turn. */
  numbers: number[]
  occasion: string | null
  levels: ColumnType<Record<string, number> | null, string | null, string | null>
  details: ColumnType<Record<string, unknown> | null, string | null, string | null>
  snapshot: string | null
  clip: string | null
}

export type RollupTable = {
  tenant_id: number
  channel_id: number
  bucket: Date
  series: number
  n: number
  /** Thousandths: a level's Σ value × observed_ms, a flow's Σ occurrences. Whole numbers, so that merging is exact. */
  sum: number
  min: number | null
  max: number | null
  last: number | null
  last_at: Date | null
  observed_ms: number
}

/** The start of the newest minute in which a channel sent anything. */
export type ChannelHeardTable = { tenant_id: number; channel_id: number; at: Date }

/** What one commit adds to the minutes and is not in them yet: lists of equal length, a minute row each. */
export type RollupPendingTable = {
  tenant_id: number
  id: Generated<number>
  channels: number[]
  buckets: Date[]
  series: number[]
  n: number[]
  sum: number[]
  min: (number | null)[]
  max: (number | null)[]
  last: (number | null)[]
  last_at: (Date | null)[]
  observed_ms: number[]
}

/** Hours whose `event_1h` rows must be computed again from the minutes. */
export type RollupDirtyTable = { tenant_id: number; channel_id: number; hour: Date }

/** The newest transaction that wrote or ended rows of an hour in `event_1h`; no row where none ever did. */
export type HourWrittenTable = { tenant_id: number; hour: Date; written: string }

/** Hours before `sealed_until` are rolled up, but for those marked dirty; later ones are read from the minutes. */
export type RollupSealTable = { id: Generated<number>; sealed_until: Date }

/** Events that could not be stored, with the reason; never dropped silently. */
export type EventRejectedTable = {
  tenant_id: number
  id: Generated<number>
  nimble_id: number
  reason: string
  /** JSON as text: what cannot be stored may hold what jsonb refuses. */
  record: string
  received_at: Generated<Date>
}

export type EventTables = {
  series: SeriesTable
  event_source: EventSourceTable
  event: EventTable
  event_1m: RollupTable
  event_1h: RollupTable
  channel_heard: ChannelHeardTable
  rollup_pending: RollupPendingTable
  rollup_dirty: RollupDirtyTable
  rollup_seal: RollupSealTable
  hour_written: HourWrittenTable
  event_rejected: EventRejectedTable
}
