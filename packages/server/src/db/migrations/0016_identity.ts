/** Who was recognised is found without reading every event: a deleted person is to be forgotten at once. */

export const statements: readonly string[] = [
  `create index event_identity on event (tenant_id, (details ->> 'identity')) where details ->> 'identity' is not null`,
]
