/** What organizations let use cases start with, and the pictures that zones were drawn on. */

export const statements: readonly string[] = [
  // Elements that are not in it are the factory's.
  `create table bundle_default (
    tenant_id int not null references organization,
    usecase_id smallint not null references usecase,
    elements jsonb not null,
    auto_recovery boolean not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, usecase_id))`,

  // A still among the media, kept for as long as a channel refers to it.
  'alter table channel add column reference_uid uuid',
  'create index channel_reference on channel (reference_uid) where reference_uid is not null',
]
