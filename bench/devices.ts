/** Lists and tables of an organization with 10,000 cameras at 200 sites, each with an analytic, as screens ask for them. */
import { sql } from 'kysely'
import { openBrowser, openPage } from '../e2e/browser.ts'
import { freePort } from '../e2e/product.ts'
import type { Db } from '../packages/server/src/db/database.ts'
import { factories } from '../packages/server/src/testing/factories.ts'
import { caller, type Sent } from './caller.ts'
import { cpuMeter, type Figure, percentile } from './measure.ts'
import { startPortal } from './process.ts'
import type { Run } from './run.ts'
import { type Store, seedStore } from './store.ts'

const sites = 200
/** The last of the sites has half of all cameras. */
const camerasPerSite = 25
const cameras = 10_000
const lastSite = `Place ${sites}`
const camerasOfLast = cameras - (sites - 1) * camerasPerSite
const pageRows = 50

export async function devices(run: Run): Promise<Figure[]> {
  const dataDir = run.folder()
  const nimblePort = await freePort()
  const store = await seedStore({ dataDir, nimblePort, cameras: [], more: storeCameras })
  const portal = await startPortal(run, { dataDir, nimblePort })
  let turn = 0
  const ask = caller(portal.origin)
  const call = (path: string, sent: Partial<Sent> = {}) => {
    const cookie = store.cookies[turn++ % store.cookies.length] as string
    return ask(`/api/v1${path}`, { cookie, ...sent })
  }
  const rounds = run.quick ? 2 : 5
  const timed = async (path: string, each: number) => {
    await call(path)
    const product: number[] = []
    for (let round = 0; round < rounds; round++) {
      const all: number[] = []
      for (let i = 0; i < each; i++) all.push((await call(path)).ms)
      product.push(percentile(all, 0.95))
    }
    return { product, last: await call(path) }
  }
  const each = run.quick ? 15 : 50
  // A portal that has just begun still compiles what it runs; people ask one that has run for a while.
  for (let i = 0; i < 400; i++) await call(`/device/list?limit=${pageRows}`)
  const meter = cpuMeter(() => [portal.pid, portal.databasePid()])
  const list = await timed(`/device/list?limit=${pageRows}`, each)
  const cpuMs = (meter.stop() * 1000) / (rounds * each + 2)
  const first = JSON.parse(list.last.text)
  const names = (first.response as { device_name: string }[]).map(({ device_name }) => device_name)
  const inOrder = names.toSorted((a, b) => a.localeCompare(b, 'en'))
  const isFirst = names.length === pageRows && names.every((name, i) => name === inOrder[i])
  const view = `/customer/view?type=1&customer_id=${store.customerId}`
  const others: [name: string, path: string][] = [
    ['device.list, a word in the name', `/device/list?limit=${pageRows}&q=camera%2042`],
    ['device.list, what needs attention', `/device/list?limit=${pageRows}&health=offline,needs%20attention`],
    ['device.list, the last page', `/device/list?limit=${pageRows}&offset=${cameras - pageRows}`],
    [`site.list, first ${pageRows} of ${sites}`, `/site/list?limit=${pageRows}`],
    [`site.list, all ${sites}`, '/site/list'],
    ['customer.list', '/customer/list'],
    [`customer.view, first ${pageRows} cameras`, `${view}&limit=${pageRows}`],
    ['customer.view, 500 cameras', view],
  ]
  const told: string[] = []
  for (const [name, path] of others) {
    const { product, last } = await timed(path, run.quick ? 2 : 10)
    told.push(`${name} ${Math.max(...product).toFixed(0)} ms, ${(last.text.length / 1024).toFixed(0)} KB`)
  }

  const dryRuns: number[] = []
  const [cookie] = store.cookies as [string]
  const read = async (path: string) => JSON.parse((await call(path, { cookie })).text).response
  const { csrf_token: csrf } = (await read('/user/info')) as { csrf_token: string }
  const [site] = (await read('/site/list?limit=1')) as [{ site_id: string }]
  const [large] = (await read(`/site/list?q=${encodeURIComponent(lastSite)}`)) as [{ site_id: string }]
  const [nimble] = (await read('/nimble/list')) as [{ nimble_id: string }]
  const body = JSON.stringify({
    site_id: site.site_id,
    nimble_id: nimble.nimble_id,
    dry_run: true,
    rows: Array.from({ length: 1000 }, (_, i) => ({
      device_name: i % 10 === 9 ? '' : `Import ${i}`,
      stream_address: `rtsp://198.51.100.${(i % 250) + 1}:554/stream${i}`,
    })),
  })
  let outcomes: { outcome: string }[] = []
  for (let round = 0; round < rounds; round++) {
    const done = await call('/device/import', {
      method: 'POST',
      cookie,
      body,
      headers: { 'content-type': 'application/json', 'x-csrf-token': csrf, origin: portal.origin },
    })
    dryRuns.push(done.ms)
    outcomes = JSON.parse(done.text).response.rows
  }
  const valid = outcomes.filter(({ outcome }) => outcome === 'valid').length
  return [
    {
      metric: `devices: first ${pageRows} rows of ${cameras.toLocaleString('en')} cameras at ${sites} sites, p95`,
      unit: 'ms',
      product: list.product,
      gate: { atMost: 20 },
      isWallClock: true,
      correct: {
        ok: isFirst && first.page.total === cameras,
        what: `${pageRows} rows in the order of their names, ${first.page.total} in all`,
      },
      note: `${cpuMs.toFixed(1)} ms CPU a call; ${told.join('; ')}`,
    },
    {
      metric: 'devices: a table of 1,000 cameras judged, nothing written',
      unit: 'ms',
      product: dryRuns,
      gate: { atMost: 1000 },
      isWallClock: true,
      correct: { ok: valid === 900, what: `900 rows good, 100 without a name (${valid} said to be good)` },
    },
    ...(await inBrowser(run, portal.origin, cookie, large.site_id)),
  ]
}

/** The list of a site's cameras with the tree of sites open in it: how fast the tree finds, and how much of both is drawn. */
async function inBrowser(run: Run, origin: string, cookie: string, site_id: string): Promise<Figure[]> {
  const browser = await openBrowser()
  run.atEnd(() => browser.close())
  const { context, page, faults } = await openPage(browser, origin, { expected: [/snapshot|\/media\//] })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: origin }])
  await page.goto(`${origin}/device?sid=${site_id}`)
  await page.getByText(`${lastSite} · ${camerasOfLast.toLocaleString('en')} cameras`).waitFor()
  await page
    .getByRole('link', { name: /^Camera \d/ })
    .first()
    .waitFor()
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: /Bench/ }).click()
  const tree = page.getByRole('dialog')
  await tree.getByRole('link').first().waitFor()
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  const times: number[] = []
  const wrong: string[] = []
  const names = ['Hall', ...Array.from({ length: sites }, (_, i) => `Place ${i + 1}`)]
  for (const typed of ['Place 19', 'place 7', '42', 'hall', 'Place 200', 'nowhere']) {
    const field = tree.getByRole('textbox')
    await field.fill('')
    const { ms, found } = await field.evaluate(async (input: HTMLInputElement, text) => {
      const begun = performance.now()
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
      input.dispatchEvent(new Event('input', { bubbles: true }))
      // Drawn: the frame after the change has begun.
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))
      const links = input.closest('[role=dialog]')?.querySelectorAll('a') ?? []
      return { ms: performance.now() - begun, found: [...links].map((link) => link.textContent ?? '') }
    }, typed)
    times.push(ms)
    const fitting = names.filter((site) => site.toLowerCase().includes(typed.toLowerCase()))
    if (found.toSorted().join() !== fitting.toSorted().join()) wrong.push(`"${typed}" finds ${found.length}`)
  }
  await browser.close()
  const correct = {
    ok: wrong.length === 0 && faults.length === 0,
    what: `each word finds the sites with it in their names, no faults${[...wrong, ...faults].length > 0 ? ` (${[...wrong, ...faults][0]})` : ''}`,
  }
  return [
    {
      metric: `devices: a word typed into the tree of ${sites} sites with ${cameras.toLocaleString('en')} cameras, until it is drawn`,
      unit: 'ms',
      product: times,
      gate: { atMost: 50 },
      isWallClock: true,
      correct,
    },
    {
      metric: `devices: elements of the page with the list of a site's ${camerasOfLast.toLocaleString('en')} cameras and that tree`,
      unit: 'elements',
      product: [nodes],
      gate: { atMost: 1500 },
      correct,
    },
  ]
}

/** As many rows as 10,000 cameras have, by SQL: through the API it would take minutes. */
export async function storeCameras(db: Db, store: Store): Promise<void> {
  const make = factories(db)
  const pipeline = await make.pipeline('pplcnt', { tenant_id: store.tenantId, id: store.nimbleId })
  const { tenantId: tenant, nimbleId: nimble } = store
  await db.owner(async (trx) => {
    const run = (text: ReturnType<typeof sql>) => text.execute(trx)
    await run(sql`insert into site (tenant_id, uid, customer_id, name, address)
      select ${tenant}, gen_random_uuid(), (select id from customer where uid = ${store.customerId}), 'Place ' || n,
        '{"site_timezone": "America/Toronto"}' from generate_series(1, ${sites}::int4) n`)
    await run(sql`insert into health_rule (tenant_id, site_id) select tenant_id, id from site on conflict do nothing`)
    await run(sql`insert into device (tenant_id, uid, site_id, nimble_id, name, stream_address, tags)
      select s.tenant_id, gen_random_uuid(), s.id, ${nimble}, 'Camera ' || s.id || ' ' || n,
        'rtsp://10.' || s.id || '.' || n / 250 || '.' || n % 250 || ':554/stream1',
        case when n % 5 = 0 then '{"floor": "ground"}' else '{}' end::jsonb
      from site s, generate_series(1, case when s.name = ${lastSite} then ${camerasOfLast}::int4 else ${camerasPerSite}::int4 end) n
      where s.name like 'Place %'`)
    await run(sql`insert into source (tenant_id, uid, device_id, nimble_id, name, stream_id, address, is_default)
      select tenant_id, gen_random_uuid(), id, nimble_id, name, uid || '/1', stream_address, true from device`)
    await run(sql`insert into source_state (tenant_id, source_id, state, cause, last_frame_at, failed_at)
      select tenant_id, id, case when id % 50 = 0 then 'offline' else 'streaming' end,
        case when id % 50 = 0 then 'unreachable' end, now() - interval '1 minute',
        case when id % 50 = 0 then now() end from source`)
    await run(sql`insert into channel (tenant_id, uid, site_id, device_id, source_id, nimble_id, pipeline_id, usecase_id,
        name, sid)
      select d.tenant_id, gen_random_uuid(), d.site_id, d.id, s.id, d.nimble_id, ${pipeline.id}, 1, 'People', 'channel/' || d.id
      from device d join source s on s.tenant_id = d.tenant_id and s.device_id = d.id`)
    await run(sql`insert into channel_state (tenant_id, channel_id, version, state, detector_state)
      select tenant_id, id, version, 'running', 'ok' from channel`)
    // The last half hour of each channel, minute by minute.
    await run(sql`insert into event_1m (tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
      select tenant_id, id, b, 0, 12, 0, 0, 0, 0, b, 60000
      from channel, generate_series(date_trunc('minute', now()) - interval '30 minutes', now(), '1 minute') b`)
  })
  await db.owner((trx) =>
    sql`insert into channel_heard select tenant_id, channel_id, max(bucket) from event_1m group by 1, 2`.execute(trx),
  )
  for (const table of [
    'site',
    'device',
    'source',
    'source_state',
    'channel',
    'channel_state',
    'channel_heard',
    'event_1m',
  ])
    await db.owner((trx) => sql`analyze ${sql.table(table)}`.execute(trx))
}
