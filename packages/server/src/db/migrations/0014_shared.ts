/** A picture or clip shows what several analytics of a camera saw at once. */

export const statements: readonly string[] = [
  // The channels beside `channel_id` whose events show it: who sees one of them sees it.
  `alter table media add column shared_with int[] not null default '{}'`,
]
