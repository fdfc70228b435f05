/** Faces are kept for so many days, which a site says, from when the person agreed. */

export const statements: readonly string[] = [
  // Null: until somebody deletes them.
  'alter table site add column faces_days int check (faces_days between 1 and 3650)',
  // Null: the person agreed once, when enrolled.
  'alter table face add column renewed_at timestamptz',
]
