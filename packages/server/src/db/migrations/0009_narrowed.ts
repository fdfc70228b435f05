/** Who was narrowed to channels stays narrowed when the last of them is deleted: without any row they would see all. */

export const statements: readonly string[] = [
  'alter table user_channel drop constraint user_channel_tenant_id_channel_id_fkey',
]
