/** The chart of one channel's day: what it weighs on the wire, and what drawing it costs the browser. */
import { once } from 'node:events'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { EventSeries } from '@sightline/contract'
import { sql } from 'kysely'
import { openBrowser, openPage } from '../e2e/browser.ts'
import type { Db } from '../packages/server/src/db/database.ts'
import { usecaseUid } from '../packages/server/src/db/seed.ts'
import { seriesOf } from '../packages/server/src/event/series.ts'
import type { Stored } from './dashboard.ts'
import type { Figure } from './measure.ts'
import type { Run } from './run.ts'
import type { Store } from './store.ts'

const hourMs = 3_600_000
const hours = 22
const quarters = hours * 4

export async function chart(run: Run, db: Db, stored: Stored): Promise<Figure[]> {
  const { store } = stored
  const device = store.devices.find(({ channels }) => channels.some(({ usecase_key }) => usecase_key === 'pplcnt'))
  const channel = device?.channels.find(({ usecase_key }) => usecase_key === 'pplcnt')
  if (!device || !channel) throw new Error('no channel counts people')
  return [await onTheWire(db, stored, channel), await inBrowser(run, stored, device.device_id, channel.uid)]
}

/** As a browser over HTTP asks for it; its least and greatest are those of the raw events. */
async function onTheWire(
  db: Db,
  { portal, store }: Stored,
  channel: Store['devices'][number]['channels'][number],
): Promise<Figure> {
  const end = Math.floor(Date.now() / hourMs) * hourMs
  const query = new URLSearchParams({
    usecase_key: 'pplcnt',
    channel_id: channel.uid,
    start: new Date(end - hours * hourMs).toISOString(),
    end: new Date(end).toISOString(),
    agg_frequency: '15m',
    type: '2',
  })
  const headers = { cookie: store.cookies[0] as string, 'accept-encoding': 'gzip, deflate' }
  const [answer] = await once(request(`${portal.origin}/api/v1/event/range?${query}`, { headers }).end(), 'response')
  const body = await buffer(answer)
  const { series } = JSON.parse(gunzipSync(body).toString()).response as EventSeries
  const total = series.find(({ metric }) => metric === 'total')?.points ?? []
  const { rows } = await db.owner((trx) =>
    sql<{ slot: Date; least: number; most: number; raw: number }>`
      select date_bin('15 minutes', ts - interval '1 ms', 'epoch') as slot, count(*) as raw,
        min(numbers[place + 1]) filter (where (numbers[place])::int % 4 < 2) as least,
        max(numbers[place + 1]) filter (where (numbers[place])::int % 4 in (0, 2)) as most
      from event, generate_subscripts(numbers, 1) place
      where kind = 0 and channel_id = ${channel.id} and place % 2 = 1
        and (numbers[place])::int / 4 = ${seriesOf('total', 'level')}
        and ts > ${new Date(end - hours * hourMs)} and ts <= ${new Date(end)}
      group by 1 order by 1`.execute(trx),
  )
  const asRaw = rows.map(({ slot, least, most }) => [slot.toISOString(), least, most].join())
  const isSame = total.map(({ start, min, max }) => [start, min, max].join()).join(';') === asRaw.join(';')
  const raw = rows.reduce((sum, row) => sum + row.raw, 0)
  return {
    metric: `chart: bytes of ${hours} hours of one channel by quarter of an hour, over the wire`,
    unit: 'KB',
    product: [body.length / 1024],
    gate: { atMost: 20 },
    correct: {
      ok: isSame && total.length === quarters,
      what: `the least and the greatest of ${total.length} quarters are those of ${raw.toLocaleString('en')} raw numbers`,
    },
  }
}

/** What drawing takes of the page's thread, by the profiler: all that is done in the file with the chart library. */
async function inBrowser(run: Run, { portal, store }: Stored, device: string, channel: string): Promise<Figure> {
  const browser = await openBrowser()
  run.atEnd(() => browser.close())
  const { context, page, faults } = await openPage(browser, portal.origin, { expected: [/snapshot|\/media\/|live/] })
  const [name = '', value = ''] = (store.cookies[0] as string).split('=')
  await context.addCookies([{ name, value, url: portal.origin }])
  await page.goto(`${portal.origin}/channel/detail?did=${device}&cid=${channel}&uid=${usecaseUid('pplcnt')}`)
  const frame = page.locator('[role=img]:has(canvas)')
  await frame.waitFor()
  const answered = page.waitForResponse((response) => /event\/range.*type=2/.test(response.url()))
  await page.getByRole('radiogroup', { name: 'Period' }).getByText('24 h').click()
  const { series } = (await (await answered).json()).response as EventSeries
  await page.waitForLoadState('networkidle')
  const session = await context.newCDPSession(page)
  await session.send('Profiler.enable')
  await session.send('Profiler.setSamplingInterval', { interval: 100 })
  const rounds = run.quick ? 10 : 30
  const product: number[] = []
  let drawn = 0
  for (let round = 0; round < rounds; round++) {
    await session.send('Profiler.start')
    // Another width is another picture: laid out and drawn anew, as for new data.
    drawn += await frame.evaluate(async (element, width) => {
      const canvas = element.querySelector('canvas') as HTMLCanvasElement
      const before = canvas.width
      element.style.width = `${width}px`
      for (let frames = 0; frames < 60 && canvas.width === before; frames++)
        await new Promise((next) => requestAnimationFrame(next))
      await new Promise((next) => requestAnimationFrame(() => setTimeout(next)))
      const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
        0,
        0,
        canvas.width,
        canvas.height,
      )
      return canvas.width !== before && data.some((part) => part !== 0) ? 1 : 0
    }, 600 + round)
    const { profile } = await session.send('Profiler.stop')
    product.push(msInLibrary(profile))
  }
  await browser.close()
  const points = series.find(({ metric }) => metric === 'total')?.points.length ?? 0
  return {
    metric: 'chart: drawing a day of one channel in the browser, script and canvas',
    unit: 'ms',
    product,
    gate: { atMost: 16 },
    correct: {
      ok: drawn === rounds && points > 90 && faults.length === 0,
      what: `${drawn} of ${rounds} times another picture, not an empty one, of ${points} quarters with least and greatest${faults.length > 0 ? ` (${faults[0]})` : ''}`,
    },
  }
}

type Profile = {
  nodes: { id: number; callFrame: { url: string }; children?: number[] }[]
  samples?: number[]
  timeDeltas?: number[]
}

/** Time in functions of the chart library and in what they call, ms. */
function msInLibrary({ nodes, samples = [], timeDeltas = [] }: Profile): number {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const isInside = (id: number | undefined): boolean =>
    id !== undefined && (/EChartCanvas/.test(byId.get(id)?.callFrame.url ?? '') || isInside(parents.get(id)))
  return samples.reduce((sum, id, i) => (isInside(id) ? sum + (timeDeltas[i] ?? 0) : sum), 0) / 1000
}
