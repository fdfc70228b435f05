/** A zone may say how long somebody may stay in it. */

export const statements: readonly string[] = [
  // In seconds. Null: as long as the analytic's pipeline says.
  'alter table static_zone add column dwell_s double precision',
]
