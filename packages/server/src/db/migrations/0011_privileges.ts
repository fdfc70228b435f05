/** What a role may see beyond its permissions, and until when a session sees clearly what is blurred for its role. */

export const statements: readonly string[] = [
  `create table role_privilege (
    role_key text primary key check (role_key in ('super_admin', 'admin', 'user', 'super_viewer', 'viewer')),
    privileges text[] not null default '{picture.clear,picture.unblur}',
    version int not null default 1)`,
  `insert into role_privilege (role_key)
    select unnest(array['super_admin', 'admin', 'user', 'super_viewer', 'viewer'])`,
  'alter table session add column unblurred_until timestamptz',
]
