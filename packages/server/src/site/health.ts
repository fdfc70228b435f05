import type { HealthRule, SiteHealth } from '@sightline/contract'
import { silentMs } from '@sightline/domain'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { HealthRuleTable } from '../db/schema.ts'
import { type DeviceRow, deviceHealths } from '../device/store.ts'
import { isHeard, type Links, openStretches, readLinks } from '../nimble/store.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { type StreamRow, sourcesOfDevices } from '../source/store.ts'

type SiteKey = { tenant_id: number; id: number }
type RuleRow = Selectable<HealthRuleTable>

/** Every site has one. */
export async function readRule(trx: Trx, site: SiteKey): Promise<RuleRow> {
  const row = await trx
    .selectFrom('health_rule')
    .selectAll()
    .where('tenant_id', '=', site.tenant_id)
    .where('site_id', '=', site.id)
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

export const changeRule = (
  trx: Trx,
  site: SiteKey,
  change: { grace_minutes?: number | undefined; is_active?: boolean | undefined },
): Promise<RuleRow> =>
  trx
    .updateTable('health_rule')
    .set({ updated_at: sql`now()`, ...change })
    .where('tenant_id', '=', site.tenant_id)
    .where('site_id', '=', site.id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const ruleEntity = ({ grace_minutes, is_active, version }: RuleRow, site_id: string): HealthRule => ({
  site_id,
  grace_minutes,
  is_active,
  version,
})

/** How cameras fare, since when, and the two signs that it is judged by. */
export async function signsOf(
  trx: Trx,
  scope: Scope,
  links: Links,
  rows: readonly DeviceRow[],
): Promise<SiteHealth['devices']> {
  const healths = await deviceHealths(trx, scope, links, rows)
  const stretches = await openStretches(trx, rows)
  const sources = await sourcesOfDevices(trx, scope, rows)
  const known = await readLinks(trx, links, rows)
  const now = Date.now()
  return rows.map((row) => {
    const { health, cause } = healths.get(row.id) ?? { health: 'unknown', cause: null }
    const stretch = stretches.get(row.id)
    const link = known.get(row.nimble_uid)
    return {
      device_id: row.uid,
      device_name: row.name,
      device_health: health,
      health_cause: cause,
      since: stretch?.state === health ? stretch.since.toISOString() : null,
      signs: isHeard(links, row) ? cameraSigns(sources.get(row.id) ?? [], now) : linkSigns(link),
    }
  })
}

type Signs = SiteHealth['devices'][number]['signs']

function cameraSigns(sources: readonly StreamRow[], now: number): Signs {
  const [main] = sources
  const [frame, failed] = [main?.last_frame_at ?? null, main?.failed_at ?? null]
  const isReported = main?.state != null
  return [
    {
      sign: 'picture',
      is_bad: isReported ? main.state !== 'streaming' && (frame === null || now - frame.getTime() >= silentMs) : null,
      at: frame?.toISOString() ?? null,
    },
    { sign: 'connection', is_bad: isReported ? failed !== null : null, at: failed?.toISOString() ?? null },
  ]
}

function linkSigns(link: { state: string; since: string | null; last_contact_at: string | null } | undefined): Signs {
  const isAway = link?.state === 'unreachable' || link?.state === 'refused'
  return [
    { sign: 'link', is_bad: link ? link.state !== 'online' : null, at: link?.last_contact_at ?? null },
    { sign: 'call', is_bad: link ? isAway : null, at: isAway ? (link?.since ?? null) : null },
  ]
}
