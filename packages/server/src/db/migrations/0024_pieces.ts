/** Edge servers say of each stream and pipeline which version of it they have applied. */

export const statements: readonly string[] = [
  // Null: not said. Earlier edge servers say it of the whole configuration only.
  'alter table source_state add column version int',
  'alter table channel_state add column pipeline_version int',
]
