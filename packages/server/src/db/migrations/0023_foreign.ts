/** A licence counts only while whoever signed its key is the one whose keys count. */

export const statements: readonly string[] = [
  // Looked at anew at each start: who counts is said by LICENSE_PUBLIC_KEY.
  'alter table license add column is_foreign boolean not null default false',
]
