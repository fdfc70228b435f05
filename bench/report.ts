/** The report of a site with all use cases: the first time, and again while its hours are the same. */
import type { EventSeries, SiteReport } from '@sightline/contract'
import { caller, type Sent } from './caller.ts'
import type { Stored } from './dashboard.ts'
import { cpuMeter, type Figure, percentile } from './measure.ts'
import type { Run } from './run.ts'

const hourMs = 3_600_000
const hours = 22

export async function reports(run: Run, { portal, store }: Stored): Promise<Figure[]> {
  const [cookie] = store.cookies as [string]
  const call = caller(portal.origin)
  const get = async (path: string, sent: Partial<Sent> = {}) => {
    const { ms, text } = await call(`/api/v1${path}`, { ...sent, cookie })
    return { ms, response: JSON.parse(text).response }
  }
  const { csrf_token } = (await get('/user/info')).response as { csrf_token: string }
  const [{ site_id }] = (await get('/site/list')).response as [{ site_id: string }]
  const end = Math.floor(Date.now() / hourMs) * hourMs
  const period = { start: new Date(end - hours * hourMs).toISOString(), end: new Date(end).toISOString() }
  const ask = () =>
    get('/usecase/report', {
      method: 'POST',
      headers: { 'x-csrf-token': csrf_token, origin: portal.origin, 'content-type': 'application/json' },
      body: JSON.stringify({ site_id: [site_id], ...period, agg_frequency: '1h' }),
    })
  const meter = () => cpuMeter(() => [portal.pid, portal.databasePid()])
  const whole = meter()
  const first = await ask()
  const firstMs = whole.stop() * 1000
  const [rounds, each] = run.quick ? [2, 15] : [5, 30]
  for (let i = 0; i < 10; i++) await ask()
  const product: number[] = []
  const again = meter()
  for (let round = 0; round < rounds; round++) {
    const times: number[] = []
    for (let i = 0; i < each; i++) times.push((await ask()).ms)
    product.push(percentile(times, 0.95))
  }
  const againMs = (again.stop() * 1000) / (rounds * each)
  const report = first.response as SiteReport
  const last = (await ask()).response as SiteReport
  const wrong: string[] = []
  if (JSON.stringify(report.sites) !== JSON.stringify(last.sites)) wrong.push('said otherwise the second time')
  for (const { usecase_key, series } of report.sites[0]?.usecases ?? []) {
    const query = new URLSearchParams({ usecase_key, site_id, ...period, agg_frequency: '1h', type: '2' })
    const chart = (await get(`/event/range?${query}`)).response as EventSeries
    if (JSON.stringify(chart.series) !== JSON.stringify(series)) wrong.push(`${usecase_key} differs from its chart`)
  }
  const { usecases = [], channels = 0 } = report.sites[0] ?? {}
  const correct = {
    ok: usecases.length === 12 && channels === 120 && wrong.length === 0,
    what: `${usecases.length} use cases say what their charts say, whose hours are those of the raw events${wrong.length > 0 ? ` (${wrong[0]})` : ''}`,
  }
  const about = `${usecases.length} use cases of ${channels} channels over ${hours} hours`
  return [
    {
      metric: `report: ${about}, again, p95`,
      unit: 'ms',
      product,
      gate: { atMost: 10 },
      isWallClock: true,
      correct,
      note: `${againMs.toFixed(1)} ms CPU each`,
    },
    {
      metric: `report: ${about}, asked for first`,
      unit: 'ms CPU',
      product: [firstMs],
      gate: null,
      correct,
      note: `${first.ms.toFixed(0)} ms until it is there`,
    },
  ]
}
