import type { ApplicationStatus } from '@sightline/contract'
import { may } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { readDisk } from '../disk.ts'
import { type Ctx, type Handlers, unauthorized } from '../mount.ts'
import { within } from '../reach.ts'
import { forbidden } from '../refusal.ts'
import { version } from '../version.ts'

const startedAt = new Date()

export const status: Handlers<'status'> = {
  async get({ is_detail }, ctx) {
    const { app, principal, scope } = ctx
    const { licensePublicKey } = app.env
    const overview = {
      ...(await app.db.read(null, readOverview, { statements: 1 })),
      issues_licenses: licensePublicKey === null,
    }
    if (!is_detail) return overview
    if (!principal || !scope) throw unauthorized('sign in for the details')
    if (!may(principal.role, 'admin_and_above')) throw forbidden()
    return { ...overview, ...(await readDetail({ ...ctx, principal, scope })) }
  },
}

/** What everybody may know, signed in or not. */
async function readOverview(trx: Trx): Promise<Omit<ApplicationStatus, 'issues_licenses'>> {
  const { rows } = await sql<{ name: string; is_onboarding: boolean; licenses: number; nimbles: number }>`
    select name, onboarded_at is null as is_onboarding,
      (select count(*) from license) as licenses,
      (select count(*) from nimble_state where state = 'online') as nimbles
    from instance`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('the instance has no row')
  return {
    nimble_module: row.nimbles > 0,
    websocket_module: true,
    smtp_module: false,
    sms_module: false,
    is_onboarding: row.is_onboarding,
    version,
    brand_name: row.name,
    auth_providers: [],
    license_count: row.licenses,
  }
}

async function readDetail({ app, scope }: Ctx): Promise<Partial<ApplicationStatus>> {
  const { db, env, links } = app
  const [database, disk, nimbles, kinds] = await Promise.all([
    db.info(),
    readDisk(env.dataDir),
    db.read(scope, (trx) => nimblesOf(trx, scope)),
    db.read(scope, (trx) => jobsByKind(trx, scope)),
  ])
  return {
    modules: [
      {
        ...{ name: 'database', state: 'online', since: startedAt.toISOString(), cause: null },
        ...{ nimble_id: null, is_local: false, waiting_events: null },
      },
      ...nimbles.map((nimble) => {
        const live = links.status(nimble.uid)
        const since = live?.since ?? nimble.since?.toISOString() ?? null
        const cause = live ? live.cause : nimble.cause
        return {
          ...{ name: nimble.name, state: live?.state ?? nimble.state ?? 'new', since, cause },
          ...{ nimble_id: nimble.uid, is_local: nimble.is_local },
          waiting_events: live ? live.journal_events : nimble.journal_events,
        }
      }),
    ],
    database: { version: database.version, size_bytes: database.size_bytes, row_security: database.row_security },
    jobs: {
      running: sum(kinds.map((one) => one.running)),
      waiting: sum(kinds.map((one) => one.waiting)),
      failed: sum(kinds.map((one) => one.failed)),
      kinds,
    },
    disks: [{ path: env.dataDir, ...disk, level: database.embedded ? disk.level : null }],
    tzdata: process.versions.tz,
    uptime_s: Math.round(process.uptime()),
  }
}

const nimblesOf = (trx: Trx, scope: Ctx['scope']) =>
  trx
    .selectFrom('nimble')
    .leftJoin('nimble_state as s', (on) =>
      on.onRef('s.tenant_id', '=', 'nimble.tenant_id').onRef('s.nimble_id', '=', 'nimble.id'),
    )
    .select(['nimble.uid', 'nimble.name', 'nimble.is_local', 's.state', 's.since', 's.cause', 's.journal_events'])
    .where(within(scope, 'nimble', null))
    .orderBy(sql`nimble.name collate "und-x-icu"`)
    .execute()

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Kinds of long work of which some runs, waits, or has failed in the last 24 hours. */
async function jobsByKind(trx: Trx, scope: Ctx['scope']) {
  const { rows } = await sql<{ kind: string; running: number; waiting: number; failed: number }>`
    select kind,
      count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state in ('queued', 'pending'))::int as waiting,
      count(*) filter (where state = 'failed')::int as failed
    from job
    where ${within(scope, 'job', null)}
      and (state in ('queued', 'pending', 'running') or state = 'failed' and updated_at > now() - interval '24 hours')
    group by kind order by kind`.execute(trx)
  return rows
}
