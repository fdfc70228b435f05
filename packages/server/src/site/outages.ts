/** What the health rules of sites tell people: that a camera is offline, that it still is, and that it is back. */
import type { StreamMessage } from '@sightline/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Bus, BusMessage } from '../bus.ts'
import type { Db, Trx } from '../db/database.ts'
import { repeat } from '../repeat.ts'

const roundMs = 10_000
/** Back means that it has been healthy for so long. */
const steadySeconds = 60
/** An outage is told of again after so long, and then each day. */
const reminderHours = { first: 1, next: 24 } as const

type Told = {
  tenant_id: number
  device_uid: string
  site_id: number
  site_uid: string
  step: Extract<StreamMessage, { type: 'outage' }>['step']
  cause: string | null
  seconds: number
}

/**
 * Notes what is to be told now, so that no other portal tells it too, and answers it. A camera whose edge server is away
 * is unknown and not offline: it has no line of its own here.
 */
export const tellOutages = (db: Db): Promise<BusMessage[]> =>
  db.owner(async (trx) =>
    [...(await offline(trx)), ...(await back(trx))].map(({ tenant_id, site_id, site_uid, device_uid, ...told }) => ({
      tenantId: tenant_id,
      siteId: site_id,
      message: { type: 'outage' as const, device_id: device_uid, site_id: site_uid, ...told },
    })),
  )

/** When the camera went: its first stretch offline since it was healthy before `until`. */
const wentAt = (until: RawBuilder<unknown>) => sql`(
  select min(o.started_at) from device_health o
  where o.tenant_id = h.tenant_id and o.device_id = h.device_id and o.state = 'offline'
    and o.started_at >= coalesce((select max(w.ended_at) from device_health w where w.tenant_id = h.tenant_id
      and w.device_id = h.device_id and w.state = 'healthy' and w.ended_at <= ${until}), '-infinity'))`

async function offline(trx: Trx): Promise<Told[]> {
  const { first, next } = reminderHours
  const { rows } = await sql<Told>`
    with gone as (
      select h.tenant_id, h.id, h.device_id, h.cause, h.told_at, ${wentAt(sql`now()`)} as since
      from device_health h where h.ended_at is null and h.state = 'offline'),
    due as (
      select gone.*, device.uid as device_uid, site.id as site_id, site.uid as site_uid from gone
      join device on device.tenant_id = gone.tenant_id and device.id = gone.device_id
      join site on site.tenant_id = device.tenant_id and site.id = device.site_id
      join health_rule rule on rule.tenant_id = site.tenant_id and rule.site_id = site.id and rule.is_active
      where case
        when told_at is null then since <= now() - make_interval(mins => rule.grace_minutes)
        when told_at < since + make_interval(hours => ${first}) then told_at <= now() - make_interval(hours => ${first})
        else told_at <= now() - make_interval(hours => ${next}) end)
    update device_health h set told_at = now() from due
    where h.tenant_id = due.tenant_id and h.id = due.id and h.told_at is not distinct from due.told_at
    returning due.tenant_id, due.device_uid, due.site_id, due.site_uid, due.cause,
      case when due.told_at is null then 'offline' else 'lasting' end as step,
      round(extract(epoch from now() - due.since))::int4 as seconds`.execute(trx)
  return rows
}

async function back(trx: Trx): Promise<Told[]> {
  const { rows } = await sql<Told & { is_active: boolean }>`
    with due as (
      select h.tenant_id, h.id, h.started_at, ${wentAt(sql`h.started_at`)} as since, device.uid as device_uid,
        site.id as site_id, site.uid as site_uid, rule.is_active
      from device_health h
      join device on device.tenant_id = h.tenant_id and device.id = h.device_id
      join site on site.tenant_id = device.tenant_id and site.id = device.site_id
      join health_rule rule on rule.tenant_id = site.tenant_id and rule.site_id = site.id
      where h.ended_at is null and h.state = 'healthy' and h.told_at is not null
        and h.started_at <= now() - make_interval(secs => ${steadySeconds}))
    update device_health h set told_at = null from due
    where h.tenant_id = due.tenant_id and h.id = due.id and h.told_at is not null
    returning due.tenant_id, due.device_uid, due.site_id, due.site_uid, null as cause, 'back' as step, due.is_active,
      coalesce(round(extract(epoch from due.started_at - due.since)), 0)::int4 as seconds`.execute(trx)
  // Who switched the rule off meanwhile wants to hear no more.
  return rows.flatMap(({ is_active, ...told }) => (is_active ? told : []))
}

/** Tells what is to be told, again and again. */
export function watchOutages({
  db,
  bus,
  log,
}: {
  db: Db
  bus: Bus
  log: { error(error: unknown, say: string): void }
}) {
  const round = async () => {
    for (const message of await tellOutages(db)) bus.publish(message)
  }
  return repeat(roundMs, round, (error) =>
    log.error(error, 'What is to be told of cameras could not be read; tried again'),
  )
}
