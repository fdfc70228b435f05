import { hash } from 'node:crypto'
import type { SiteReport } from '@sightline/contract'
import { metricsOf, type UsecaseKey, usecases } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import { within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { readChart } from './chart.ts'
import { round } from './figures.ts'
import { type Standing, standingOf, writtenBy } from './hours.ts'
import { hourMs } from './rollup.ts'
import { channelsOfSite, type SelectedChannel } from './select.ts'
import { courseBorders, readCourse, readStats } from './stats.ts'
import { bucketBorders, defaultFrequency, type Period } from './time.ts'

const mostTopChannels = 5
/** Two days of hours; a longer course is drawn in fewer points. */
const mostSparkBorders = 49

export type ReportQuery = {
  /** Null: every use case that watches there. */
  usecases: readonly UsecaseKey[] | null
  period: Period
  frequency: SiteReport['agg_frequency'] | undefined
  /** Where hours and days are cut; undefined: by the clock of each site. */
  timezone: string | undefined
}
export type ReportSite = Awaited<ReturnType<typeof reportSites>>[number]

const sites = once((trx, { asked, ...reach }: Pick<Scope, 'tenantId' | 'siteIds'> & { asked: readonly string[] }) =>
  trx
    .selectFrom('site')
    .select(['uid', 'name', 'timezone'])
    .where(within(reach, 'site', 'site.id'))
    .where(sql<SqlBool>`uid = any(${asked}::uuid[])`),
)

/** The sites of a report, in the order asked for. @throws 404 for one out of reach */
export async function reportSites(trx: Trx, { tenantId, siteIds }: Scope, uids: readonly string[]) {
  const asked = [...new Set(uids)]
  const rows = await sites(trx, { tenantId, siteIds, asked })
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return asked.map((uid) => byUid.get(uid) ?? notThere())
}

function notThere(): never {
  throw notFound()
}

/** Detail of a report: the one asked for, else what suits its period. @throws 400 when that would be too many points */
export function reportDetail({ period, frequency, timezone }: ReportQuery): SiteReport['agg_frequency'] {
  const detail = frequency ?? defaultFrequency(period)
  bucketBorders(period, detail, timezone ?? 'UTC')
  return detail
}

/** Of sites and periods that are over; each holds as long as the rows of its hours are the same. */
type Kept = { rows: string; report: SiteReport['sites'][number] }
const kept = new Map<string, Kept>()
/** A report of ten use cases takes about 150 KB; beyond this the one unused for longest is forgotten. */
const mostKept = 50

/** What the rows of a period and of the one before were last written by; null unless all their hours are closed. */
function rowsOf(
  standing: Standing | null,
  channels: readonly SelectedChannel[],
  { start, end }: Period,
): string | null {
  const first = start - (end - start)
  if (!standing || first % hourMs !== 0 || end % hourMs !== 0) return null
  const rows: string[] = []
  for (let hour = first; hour < end; hour += hourMs) {
    const by = writtenBy(standing, channels, hour)
    if (by === null) return null
    rows.push(by)
  }
  return rows.join(' ')
}

/** One site of a report, remembered where its hours are closed: a report of yesterday is asked for more than once. */
export async function readSiteReport(
  trx: Trx,
  scope: Scope,
  site: ReportSite,
  query: ReportQuery,
): Promise<SiteReport['sites'][number]> {
  const channels = (await channelsOfSite(trx, scope, site.uid)).filter(
    ({ usecase_key }) => query.usecases?.includes(usecase_key) ?? true,
  )
  const { period, frequency, timezone } = query
  // Read before the figures: what changes meanwhile is then read anew the next time.
  const standing = await standingOf(trx, channels, courseBorders(period, [period.start, period.end]))
  const rows = rowsOf(standing, channels, period)
  const make = () => makeSiteReport(trx, site, channels, query, standing)
  if (rows === null) return make()
  const about = [site, channels.map(({ tenant_id, id, name }) => [tenant_id, id, name]), period, frequency, timezone]
  const key = hash('sha1', JSON.stringify(about))
  const known = kept.get(key)
  kept.delete(key)
  const report = known?.rows === rows ? known.report : await make()
  kept.set(key, { rows, report })
  const [oldest] = kept.keys()
  if (kept.size > mostKept) kept.delete(oldest as string)
  return report
}

/** One site of a report: each use case with its card figures, its course, and the channels that count most. */
async function makeSiteReport(
  trx: Trx,
  site: ReportSite,
  channels: readonly SelectedChannel[],
  query: ReportQuery,
  standing: Standing | null,
): Promise<SiteReport['sites'][number]> {
  const byUsecase = [...Map.groupBy(channels, (channel) => channel.usecase_key)]
  const zone = query.timezone ?? site.timezone
  const reports = await Promise.all(
    byUsecase.map(([usecase, watching]) => readUsecase(trx, usecase, watching, query, zone, standing)),
  )
  const observed = reports.reduce(
    (sum, { metrics }, i) => sum + (metrics[0]?.coverage_ratio ?? 0) * (byUsecase[i]?.[1].length ?? 0),
    0,
  )
  return {
    site_id: site.uid,
    site_name: site.name,
    timezone: site.timezone,
    channels: channels.length,
    coverage_ratio: channels.length > 0 ? round(observed / channels.length) : null,
    usecases: reports.sort((a, b) => a.usecase_name.localeCompare(b.usecase_name, 'en')),
  }
}

async function readUsecase(
  trx: Trx,
  usecase: UsecaseKey,
  channels: readonly SelectedChannel[],
  query: ReportQuery,
  timezone: string,
  standing: Standing | null,
): Promise<SiteReport['sites'][number]['usecases'][number]> {
  const metrics = metricsOf(usecase)
  const frequency = reportDetail(query)
  const { period } = query
  const borders = bucketBorders(period, frequency, timezone)
  const about = { usecase, metrics, channels, period, standing }
  // The course in hours is the small curve too: points between them would be read from minutes.
  const course =
    frequency === '1h' && borders.length <= mostSparkBorders
      ? await readCourse(trx, about, courseBorders(period, borders), standing)
      : undefined
  const stats = await readStats(trx, { ...about, ...(course && { course }) })
  const slots = course && new Map([...course.slots].map(([id, [, ...own]]) => [id, own]))
  const series = await readChart(trx, { ...about, frequency, borders, apart: false, ...(slots && { slots }) })
  const names = new Map(channels.map((channel) => [channel.uid, channel.name]))
  const top = stats.channels
    .flatMap(({ channel_id, value }) =>
      value === null ? [] : [{ channel_id, channel_name: names.get(channel_id) ?? '', value }],
    )
    .sort((a, b) => b.value - a.value)
    .slice(0, mostTopChannels)
  return {
    usecase_key: usecase,
    usecase_name: usecases[usecase].name,
    metrics: stats.metrics,
    series,
    top_channels: top,
    notifications: null,
  }
}
