import type { Receive, SiteReport, usecase } from '@sightline/contract'
import { isZone, type UsecaseKey } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { type ReportQuery, readPeriod, readSiteReport, reportDetail, reportSites } from '../event/store.ts'
import { type Ctx, lasting } from '../mount.ts'
import { invalid, notFound } from '../refusal.ts'
import { listUsecases } from './store.ts'

const dayMs = 86_400_000
/** Beyond either a report is a job. */
const mostSites = 20
const mostDays = 31

/** What was answered about one site, by its report: the same as long as that is remembered. */
const answers = new WeakMap<SiteReport['sites'][number], SiteReport>()

/** Sites with their use cases over a period: at once, or as a job whose result it becomes when it is large. */
export async function report(
  input: Receive<typeof usecase.report>,
  { app, scope, principal }: Ctx,
): Promise<SiteReport | { job_id: string }> {
  if (input.timezone !== undefined && !isZone(input.timezone)) throw invalid({ timezone: ['timezone_invalid'] })
  const now = Date.now()
  const period = readPeriod(input, now)
  const { sites, usecases } = await app.db.read(scope, async (trx) => ({
    sites: await reportSites(trx, scope, input.site_id),
    usecases: await keysOf(trx, input.usecase_id),
  }))
  const query: ReportQuery = { usecases, period, frequency: input.agg_frequency, timezone: input.timezone }
  const agg_frequency = reportDetail(query)
  const read = (site: (typeof sites)[number]) => app.db.read(scope, (trx) => readSiteReport(trx, scope, site, query))
  const make = (reports: SiteReport['sites']): SiteReport => ({
    start: new Date(period.start).toISOString(),
    end: new Date(period.end).toISOString(),
    timezone: input.timezone ?? null,
    agg_frequency,
    generated_at: new Date(now).toISOString(),
    revised: null,
    sites: reports,
    totals: totalsOf(reports),
  })
  const whole = (reports: SiteReport['sites']): SiteReport => {
    const [only, ...others] = reports
    if (!only || others.length > 0) return make(reports)
    const answer = answers.get(only) ?? lasting(make(reports))
    answers.set(only, answer)
    return answer
  }

  if (sites.length <= mostSites && period.end - period.start <= mostDays * dayMs) {
    const reports: SiteReport['sites'] = []
    for (const site of sites) reports.push(await read(site))
    return whole(reports)
  }
  const job_id = await app.jobs.run(principal, 'usecase.report', input, async (job) => {
    const reports: SiteReport['sites'] = []
    for (const site of sites) {
      if (job.signal.aborted) return
      reports.push(await read(site))
      job.report({ done: reports.length, total: sites.length })
    }
    job.report({ result: whole(reports) })
  })
  return { job_id }
}

/** Use cases by public id; none named: all. @throws 404 */
async function keysOf(trx: Trx, uids: readonly string[]): Promise<UsecaseKey[] | null> {
  if (uids.length === 0) return null
  const named = (await listUsecases(trx)).filter(({ uid }) => uids.includes(uid))
  if (named.length < new Set(uids).size) throw notFound()
  return named.map(({ key }) => key)
}

function totalsOf(sites: SiteReport['sites']): SiteReport['totals'] {
  const channels = sites.reduce((sum, site) => sum + site.channels, 0)
  const watched = sites.reduce((sum, site) => sum + (site.coverage_ratio ?? 0) * site.channels, 0)
  return {
    sites: sites.length,
    channels,
    coverage_ratio: channels > 0 ? Math.round((watched / channels) * 1000) / 1000 : null,
  }
}
