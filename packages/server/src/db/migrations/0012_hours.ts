/** When each hour of an organization was written last: to know whether what was read of it still holds, at a glance. */

export const statements: readonly string[] = [
  // written: the newest transaction that wrote or ended rows of this hour in event_1h. No row: none ever did.
  `create table hour_written (
    tenant_id int not null,
    hour timestamptz not null,
    written xid8 not null,
    primary key (tenant_id, hour))`,
  // Those that may have rows already: of the time that they are kept, and of the year whose partition goes at once.
  `insert into hour_written (tenant_id, hour, written)
    select tenant_id, hour, pg_current_xact_id() from organization,
      generate_series(date_trunc('hour', now(), 'UTC') - make_interval(days => greatest(rollup_days, raw_days + 1) + 400),
        now(), '1 hour') hour`,
]
