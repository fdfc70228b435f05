/** Edge servers that dial the portal: no address of their own, and one-time tokens that belong to a configuration. */

export const statements: readonly string[] = [
  `alter table nimble
    alter column address drop not null,
    alter column port drop not null,
    add check (mode = 'enrolled' or (address is not null and port is not null))`,

  // nimble_id: of purpose enrol. The newest token of a configuration is the only one.
  `alter table one_time_token
    add column nimble_id int,
    add foreign key (tenant_id, nimble_id) references nimble (tenant_id, id) on delete cascade`,
  'create unique index one_time_token__nimble_id__conflict on one_time_token (tenant_id, nimble_id)',
]
