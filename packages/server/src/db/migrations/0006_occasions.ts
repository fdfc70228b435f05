/** What became of an occasion is found by its id: its updates and its close, which are few beside the windows. */

export const statements: readonly string[] = [
  'create index event_fate on event (tenant_id, channel_id, occasion, ts) where kind > 1',
]
