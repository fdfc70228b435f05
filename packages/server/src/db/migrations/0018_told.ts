/** Of an outage people are told once, also when the portal starts anew meanwhile: when that was goes on with it until its end was told too. */

export const statements: readonly string[] = ['alter table device_health add column told_at timestamptz']
