/** The first screens in Chromium: what they load, and what running it costs. */
import { gzipSync } from 'node:zlib'
import type { Browser, Page, Response } from 'playwright-core'
import { openBrowser, openPage } from '../e2e/browser.ts'
import { weighScreens } from '../packages/web/budget.ts'
import type { Stored } from './dashboard.ts'
import { parseRate } from './events.ts'
import type { Figure } from './measure.ts'
import type { Run } from './run.ts'

const screens = [
  { path: '/login', heading: /./, isSignedIn: false },
  { path: '/dashboard', heading: 'Dashboard', isSignedIn: true },
] as const
type Screen = (typeof screens)[number]

const kilobyte = 1024
const parsedEvents = 100_000
const parsing = `JSON.parse of ${parsedEvents.toLocaleString('en')} events`

export async function frontend(run: Run, { portal, store }: Stored): Promise<Figure[]> {
  const weights = weighScreens()
  const browser = await openBrowser()
  run.atEnd(() => browser.close())
  const rounds = run.quick ? 2 : 5
  const figures: Figure[] = []
  for (const screen of screens) {
    const loads: Load[] = []
    const parses: number[] = []
    for (const cookie of store.cookies.slice(0, rounds)) {
      loads.push(await load(browser, portal.origin, cookie, screen))
      parses.push((parsedEvents * 1000) / (await parseRate()))
    }
    const own = weights.find(({ path }) => path === screen.path)
    const scripts = new Map(loads.flatMap(({ scripts }) => [...scripts]))
    const unread = own?.scripts.filter((file) => !scripts.has(file)) ?? []
    const fault = loads.flatMap(({ faults }) => faults)[0] ?? (unread.length > 0 ? `not loaded: ${unread[0]}` : null)
    const correct = {
      ok: own !== undefined && fault === null,
      what: `the page shows its heading, loads all that is weighed and has no faults${fault ? ` (${fault})` : ''}`,
    }
    const later = [...scripts].filter(([file]) => !own?.scripts.includes(file))
    const laterWeight = later.reduce((sum, [, size]) => sum + size, 0) / kilobyte
    figures.push(
      {
        metric: `${screen.path}: JavaScript before it runs, gzip`,
        unit: 'KB',
        product: [own?.js ?? Number.NaN],
        gate: { atMost: 280 },
        correct,
        note: `${laterWeight.toFixed(0)} KB more come after the first screen, in ${later.length} files`,
      },
      {
        metric: `${screen.path}: CSS, gzip`,
        unit: 'KB',
        product: [own?.css ?? Number.NaN],
        gate: { atMost: 50 },
        correct,
      },
      {
        metric: `${screen.path}: script CPU of the first load, cold cache`,
        unit: 'ms',
        product: loads.map(({ scriptMs }) => scriptMs),
        limit: { name: parsing, rounds: parses },
        gate: { atMost: 350, where: { limit: parsing, is: 55 } },
        correct,
        note: `all work of the page's thread ${loads.map(({ taskMs }) => taskMs.toFixed(0)).join(', ')} ms`,
      },
    )
  }
  return figures
}

type Load = { scriptMs: number; taskMs: number; faults: string[]; scripts: Map<string, number> }

/** One load with an empty cache. Times are CPU time of the page's main thread, as the browser counts it. */
async function load(browser: Browser, origin: string, cookie: string, screen: Screen): Promise<Load> {
  const { context, page, faults } = await openPage(browser, origin, {
    expected: [/401 .*\/user\/info|status of 401|snapshot|\/media\//],
  })
  const [name = '', value = ''] = cookie.split('=')
  if (screen.isSignedIn) await context.addCookies([{ name, value, url: origin }])
  const scripts = new Map<string, number>()
  const sizes: Promise<void>[] = []
  const hear = (response: Response) => {
    const file = new URL(response.url()).pathname.slice(1)
    if (file.endsWith('.js'))
      sizes.push(response.body().then((body) => void scripts.set(file, gzipSync(body, { level: 9 }).length)))
  }
  page.on('response', hear)
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(`${origin}${screen.path}`)
  // By its element: looking for a role asks every element of the page what it is, which the page would be charged with.
  await page.locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  const { metrics } = await session.send('Performance.getMetrics')
  await page.getByRole('heading', { name: screen.heading, level: 1 }).waitFor()
  const of = (metric: string) => (metrics.find((one) => one.name === metric)?.value ?? Number.NaN) * 1000
  // A file that comes later is none of the first screen, and is gone with the page.
  page.off('response', hear)
  await Promise.all(sizes)
  await close(page)
  return { scriptMs: of('ScriptDuration'), taskMs: of('TaskDuration'), faults, scripts }
}

const close = (page: Page) => page.context().close()
