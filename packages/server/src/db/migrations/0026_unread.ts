/** An edge server may refuse a channel of which it could not even read the version. */

export const statements: readonly string[] = ['alter table channel_state alter column version drop not null']
