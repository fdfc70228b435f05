/** The dashboard's calls, as its page makes them, against a portal with a full store. */
import type { EventSeries } from '@sightline/contract'
import { metricRule, metricsOf, type UsecaseKey } from '@sightline/domain'
import { sql } from 'kysely'
import { openBrowser, openPage } from '../e2e/browser.ts'
import type { Db } from '../packages/server/src/db/database.ts'
import { seriesOf } from '../packages/server/src/event/series.ts'
import { caller } from './caller.ts'
import { chart } from './chart.ts'
import { cpuMeter, type Figure, median, percentile } from './measure.ts'
import type { Portal } from './process.ts'
import { reports } from './report.ts'
import type { Run } from './run.ts'
import { lookInto, type Store } from './store.ts'

export type Stored = { dataDir: string; portal: Portal; store: Store; events: number }

const hourMs = 3_600_000

export async function dashboard(run: Run, stored: Stored): Promise<Figure[]> {
  const { portal, store, events, dataDir } = stored
  const { calls, faults } = await callsOfPage(run, stored)
  const ask = caller(portal.origin)
  let turn = 0
  const get = async (call: string): Promise<{ ms: number; body: { response: unknown } }> => {
    const cookie = store.cookies[turn++ % store.cookies.length] as string
    const { ms, text } = await ask(call, { cookie })
    return { ms, body: JSON.parse(text) }
  }
  const rounds = run.quick ? 2 : 5
  const each = run.quick ? 4 : 30
  for (const call of calls) await get(call)
  const times = new Map(calls.map((call) => [call, [] as number[]]))
  const product: number[] = []
  const meter = cpuMeter(() => [portal.pid, portal.databasePid()])
  for (let round = 0; round < rounds; round++) {
    const all: number[] = []
    for (let i = 0; i < each; i++)
      for (const call of calls) {
        const { ms } = await get(call)
        all.push(ms)
        times.get(call)?.push(ms)
      }
    product.push(percentile(all, 0.95))
  }
  const cpuMs = (meter.stop() * 1000) / (rounds * each)
  const slowest = [...times].sort(([, a], [, b]) => median(b) - median(a)).slice(0, 3)

  const db = await lookInto(dataDir)
  run.atEnd(() => db.close())
  const usecases = [
    ...new Set(store.devices.flatMap((device) => device.channels.map((channel) => channel.usecase_key))),
  ]
  const wrong = await chartsThatDiffer(db, store, usecases, async (call) => (await get(call)).body.response)
  return [
    ...(await chart(run, db, stored)),
    ...(await reports(run, stored)),
    {
      metric: `dashboard: p95 of its ${calls.length} calls with ${(events / 1e6).toFixed(1)} million events stored, 120 channels`,
      unit: 'ms',
      product,
      peer: run.quick
        ? null
        : { name: 'a day by hour and channel from raw rows, SQL alone', rounds: await timed(db, fromRaw, 3) },
      limit: { name: 'the same from hour roll-ups, SQL alone', rounds: await timed(db, fromHours, 5) },
      gate: { atMost: 50 },
      isWallClock: true,
      correct: {
        ok: wrong.length === 0 && faults.length === 0 && calls.length > 0,
        what: `${usecases.length} charts of a day by hour equal the raw events to the thousandth${wrong.length > 0 ? ` (${wrong[0]})` : ''}${faults.length > 0 ? `, no faults on the page (${faults[0]})` : ''}`,
      },
      note: `${cpuMs.toFixed(0)} ms CPU for all calls once; slowest ${slowest.map(([call, ms]) => `${shortName(call)} ${median(ms).toFixed(1)} ms`).join(', ')}`,
    },
  ]
}

const shortName = (call: string) =>
  call
    .replace('/api/v1', '')
    .replace(/customer_id=[^&]*&?/, '')
    .replace(/[?&]$/, '')

/** The addresses that the page reads from the API until it rests. */
async function callsOfPage(run: Run, { portal, store }: Stored): Promise<{ calls: string[]; faults: string[] }> {
  const browser = await openBrowser()
  run.atEnd(() => browser.close())
  // The edge server of this store does not run: no pictures.
  const { context, page, faults } = await openPage(browser, portal.origin, { expected: [/snapshot|\/media\//] })
  const [name = '', value = ''] = (store.cookies[0] as string).split('=')
  await context.addCookies([{ name, value, url: portal.origin }])
  const calls = new Set<string>()
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    const isData = pathname.startsWith('/api/') && response.request().method() === 'GET'
    if (isData && response.ok() && response.headers()['content-type']?.startsWith('application/json'))
      calls.add(pathname + search)
  })
  await page.goto(`${portal.origin}/dashboard`)
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await browser.close()
  return { calls: [...calls], faults }
}

/* ── whether it is right ─────────────────────────────────────────────────────────────── */

type RawMean = { channel_id: number; slot: Date; series: number; mean: number }

/** A day by hour of each use case, all its channels together, over HTTP and from raw rows; answers what differs. */
async function chartsThatDiffer(
  db: Db,
  store: Store,
  usecases: readonly UsecaseKey[],
  get: (call: string) => Promise<unknown>,
): Promise<string[]> {
  const end = Math.floor(Date.now() / hourMs) * hourMs
  // The day's first hour is not a whole one.
  const start = end - 22 * hourMs
  const wrong: string[] = []
  for (const usecase_key of usecases) {
    const query = new URLSearchParams({
      usecase_key,
      customer_id: store.customerId,
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
      agg_frequency: '1h',
      type: '2',
    })
    const { series } = (await get(`/api/v1/event/range?${query}`)) as EventSeries
    const ids = store.devices.flatMap((device) =>
      device.channels.filter((channel) => channel.usecase_key === usecase_key).map(({ id }) => id),
    )
    const means = await rawMeans(db, ids, new Date(start), new Date(end))
    for (const metric of metricsOf(usecase_key)) {
      if (metricRule(usecase_key, metric).level === null) continue
      const points = series.find((one) => one.metric === metric)?.points ?? []
      if (points.length !== 22) wrong.push(`${usecase_key} ${metric}: ${points.length} points`)
      for (const point of points) {
        const own = means.filter(
          ({ series: of, slot }) => of === seriesOf(metric, 'level') && slot.toISOString() === point.start,
        )
        const together = Math.round(own.reduce((sum, { mean }) => sum + mean, 0) * 1000) / 1000
        // Sums of fractions depend on their order: at the border of rounding the last place may differ.
        const isSame = point.mean !== null && Math.abs(together - point.mean) < 0.0015
        if (own.length !== ids.length || !isSame)
          wrong.push(`${usecase_key} ${metric} ${point.start}: ${point.mean}, raw ${together}`)
      }
    }
  }
  return wrong
}

/** By the definition of a level's mean, and nothing of the product's code. */
async function rawMeans(db: Db, ids: readonly number[], start: Date, end: Date): Promise<RawMean[]> {
  const { rows } = await db.owner((trx) =>
    sql<RawMean>`
      select channel_id, slot, series, sum / 1000 / observed as mean from (
        select channel_id, date_bin('1 hour', ts - interval '1 ms', 'epoch') as slot, (numbers[place])::int / 4 as series,
          sum(floor(numbers[place + 1]::float8 * 1000 + 0.5) * observed_ms) as sum, sum(observed_ms)::float8 as observed
        from event, generate_subscripts(numbers, 1) place
        where kind = 0 and channel_id = any(${[...ids]}::int4[]) and ts > ${start} and ts <= ${end}
          and place % 2 = 1 and (numbers[place])::int % 4 = 0
        group by 1, 2, 3
      ) s order by channel_id`.execute(trx),
  )
  return rows
}

/* ── what others reach ───────────────────────────────────────────────────────────────── */

const fromRaw = `select date_bin('1 hour', ts, 'epoch'), channel_id, count(*), sum(numbers[2] * observed_ms)
  from event where kind = 0 and ts > now() - interval '24 hours' group by 1, 2`
const fromHours = `select bucket, channel_id, sum(n), sum(sum), sum(observed_ms) from event_1h
  where bucket > now() - interval '24 hours' group by 1, 2`

async function timed(db: Db, statement: string, rounds: number): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++)
    await db.owner(async (trx) => {
      const begun = performance.now()
      await sql.raw(statement).execute(trx)
      times.push(performance.now() - begun)
    })
  return times
}
