/** Whether cameras still look where they did when zones were drawn, as it was seen last. */

export const statements: readonly string[] = [
  `alter table channel_state add column view text check (view in ('same', 'moved', 'different')),
    add column viewed_at timestamptz`,
]
