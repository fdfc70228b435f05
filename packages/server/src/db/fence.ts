import { sql } from 'kysely'
import type { Trx } from './database.ts'

/**
 * The second fence between tenants (the first is `tenant_id = …` in every query): row-level security under roles
 * that are neither owner nor superuser. `sl_app` sees one tenant, named per transaction; `sl_super` and `sl_ingest`
 * see all. A change here takes effect with the next migration.
 */
export const databaseRoles = ['sl_app', 'sl_super', 'sl_ingest'] as const
export type DatabaseRole = (typeof databaseRoles)[number]

type Rights = Record<DatabaseRole, '' | 'select' | 'select, insert' | 'select, insert, update, delete'>
const all = 'select, insert, update, delete'
/** Edited by people. */
const entity: Rights = { sl_app: all, sl_super: all, sl_ingest: 'select' }
/** Reported by edge servers, and long work. */
const state: Rights = { sl_app: all, sl_super: all, sl_ingest: all }
/** Written by the event writer only. */
const record: Rights = { sl_app: 'select', sl_super: 'select', sl_ingest: all }
/** The same for every tenant; has no tenant_id. */
const reference: Rights = { sl_app: 'select', sl_super: 'select', sl_ingest: 'select, insert' }
/** Before anyone is known; has no tenant_id. */
const instance: Rights = { sl_app: '', sl_super: all, sl_ingest: all }

/** Chosen for the whole instance; has no tenant_id. */
const choice: Rights = { sl_app: 'select', sl_super: all, sl_ingest: 'select' }

/** Every table, with what each role may do. Partitions get no rights: policies of the parent do not protect them. */
export const fences: Record<string, Rights> = {
  organization: { sl_app: 'select', sl_super: all, sl_ingest: 'select' },
  instance,
  lease: instance,
  login_fail: instance,
  role_privilege: choice,
  app_user: entity,
  session: entity,
  one_time_token: entity,
  customer: entity,
  site: entity,
  health_rule: entity,
  license: entity,
  nimble: entity,
  pipeline: entity,
  device: entity,
  source: entity,
  bundle: reference,
  usecase: reference,
  bundle_default: entity,
  channel: entity,
  channel_former: entity,
  static_zone: entity,
  static_number: entity,
  user_customer: entity,
  user_site: entity,
  user_channel: entity,
  user_usecase: entity,
  customer_usecase: entity,
  media: state,
  model: entity,
  // The event writer too: it forgets people in events, and locks them out of new ones.
  face: state,
  face_picture: state,
  face_vector: state,
  job: state,
  trace: { sl_app: 'select, insert', sl_super: 'select, insert', sl_ingest: 'select, insert' },
  nimble_state: state,
  source_state: state,
  channel_state: state,
  device_health: state,
  nimble_stat: state,
  series: reference,
  event_source: reference,
  event: record,
  event_1m: record,
  event_1h: record,
  channel_heard: record,
  rollup_pending: record,
  rollup_dirty: record,
  hour_written: record,
  rollup_seal: { sl_app: 'select', sl_super: 'select', sl_ingest: all },
  event_rejected: record,
}

/** Evaluated once a statement because of the sub-select; an unset tenant sees nothing. */
const ownTenant = `tenant_id = (select nullif(current_setting('app.tenant', true), '')::int)`

/**
 * Makes the roles, where that is allowed.
 * @returns false when this user may not: the portal then relies on the first fence alone, and says so on its status
 */
export async function ensureRoles(trx: Trx): Promise<boolean> {
  for (const role of databaseRoles) {
    await sql.raw('savepoint role').execute(trx)
    try {
      const { rows } = await sql`select 1 from pg_roles where rolname = ${role}`.execute(trx)
      if (rows.length === 0) await sql.raw(`create role ${role} nologin nobypassrls`).execute(trx)
      await sql
        .raw(`do $$ begin
          if not (select rolsuper from pg_roles where rolname = current_user) then
            execute format('grant ${role} to %I', current_user);
          end if; end $$`)
        .execute(trx)
      await sql.raw(`set local role ${role}`).execute(trx)
      await sql.raw('reset role').execute(trx)
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error
      await sql.raw('rollback to savepoint role').execute(trx)
      return false
    }
  }
  return true
}

/** Puts row-level security, policies and rights on every table. Does nothing when they are in place. */
export async function raiseFences(trx: Trx, migrated: boolean): Promise<void> {
  const { rows: open } = await sql`
    select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relname in (${sql.join(Object.keys(fences))})
      and not (c.relrowsecurity and c.relforcerowsecurity
        and exists (select from pg_policies p where p.tablename = c.relname and current_user = any(p.roles)))`.execute(
    trx,
  )
  if (open.length === 0 && !migrated) return
  for (const [table, rights] of Object.entries(fences)) {
    const tenantless = rights === reference || rights === instance || rights === choice || table === 'rollup_seal'
    const statements = [
      `alter table ${table} enable row level security`,
      `alter table ${table} force row level security`,
      `revoke all on ${table} from public, ${databaseRoles.join(', ')}`,
      `drop policy if exists owner on ${table}`,
      `create policy owner on ${table} to current_user using (true) with check (true)`,
    ]
    for (const role of databaseRoles) {
      const seen = role === 'sl_app' && !tenantless ? ownTenant : 'true'
      statements.push(
        `drop policy if exists ${role} on ${table}`,
        `create policy ${role} on ${table} to ${role} using (${seen}) with check (${seen})`,
      )
      if (rights[role]) statements.push(`grant ${rights[role]} on ${table} to ${role}`)
    }
    for (const statement of statements) await sql.raw(statement).execute(trx)
  }
}
