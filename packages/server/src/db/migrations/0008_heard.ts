/** When each channel was heard last: to count those that are active, without a look into the minutes of each. */

export const statements: readonly string[] = [
  // at: the start of the newest minute in which it sent anything. Without a foreign key: events may come after a channel
  // is gone, and must not hold up those of others.
  `create table channel_heard (
    tenant_id int not null,
    channel_id int not null,
    at timestamptz not null,
    primary key (tenant_id, channel_id))`,
  `insert into channel_heard (tenant_id, channel_id, at)
    select tenant_id, channel_id, max(bucket) from event_1m
    where series = 0 and bucket > now() - interval '1 day' group by 1, 2`,
]
