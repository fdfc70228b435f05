import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Role, roles, screens, screensFor } from '@sightline/domain'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axeFaults, openBrowser, type Watched } from './browser.ts'
import { type Ids, isBusy, pageOf, prepare, registerFirst, titleOf, usernameOf } from './prepared.ts'
import { type Product, startProduct, until } from './product.ts'

const shots = fileURLToPath(new URL('./out/', import.meta.url))
let product: Product
let browser: Browser
let ids: Ids
let watched: Watched

beforeAll(async () => {
  mkdirSync(shots, { recursive: true })
  product = await startProduct()
  browser = await openBrowser()
  await registerFirst(product)
  ;({ ids } = await prepare(product))
})
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') {
    console.log([watched.page.url(), ...watched.faults].join('\n'))
    await watched.page.screenshot({ path: `${shots}failed-${task.name.slice(0, 32)}.png` })
  }
  await watched.context.close()
})
afterAll(async () => {
  await browser?.close()
  await product?.discard()
})

/** Ids that a screen needs in its address. */
const needs: Record<string, (keyof Ids)[]> = {
  '/customer/edit': ['cuid'],
  '/site/detail': ['sid'],
  '/site/view': ['sid'],
  '/site/edit': ['sid'],
  '/device': ['sid'],
  '/device/add': ['sid'],
  '/device/bulk': ['sid'],
  '/device/discover': ['sid'],
  '/device/detail': ['sid', 'did'],
  '/device/edit': ['sid', 'did'],
  '/device/view': ['did'],
  '/channel': ['did'],
  '/channel/add': ['did'],
  '/channel/detail': ['did', 'cid', 'uid'],
  '/channel/edit': ['did', 'cid', 'uid'],
  '/event/detail': ['eid'],
  '/configuration/edit': ['nid'],
  '/configuration/detail': ['nid'],
}
const addressOf = (path: string) => {
  const query = new URLSearchParams((needs[path] ?? []).map((name) => [name, ids[name]]))
  return query.size > 0 ? `${path}?${query}` : path
}
/** Screens that change something: who may only look is told so in place. */
const changes = /\/(customer|site|device|configuration)\/(add|edit|bulk|discover|onboard)$|^\/channel\/add$/

/** Where a visit ends, and whether the screen says there that the person has no access. */
function endOf(role: Role, path: string): { at: string; isDenied: boolean } {
  const isListed = screensFor(role).some((screen) => screen.path === path)
  if (!isListed || path === '/') return { at: '/dashboard', isDenied: false }
  if (role === 'super_viewer' && changes.test(path)) return { at: path, isDenied: true }
  // Nothing was assigned to these two: what they name cannot be loaded. A missing event has a page that says so.
  const seesNothing = role === 'user' || role === 'viewer'
  if (seesNothing && needs[path] && path !== '/event/detail') return { at: '/site', isDenied: false }
  return { at: path, isDenied: false }
}

const visit = (page: Page, address: string) => page.evaluate((to) => history.pushState({}, '', to), address)

test.each(roles)('every screen opens for %s, or leads where the guard says', async (role) => {
  const seesNothing = role === 'user' || role === 'viewer'
  watched = await pageOf(browser, product, usernameOf(role), seesNothing ? { expected: [/404/] } : {})
  const { page, faults } = watched
  await page.goto(`${product.origin}/support`)
  await until('the portal shows', () => titleOf(page))
  for (const { path } of screens) {
    if (path === '/logout') continue
    // From a page like no other, so that what shows afterwards is the screen's own.
    const neutral = path === '/400' ? '/500' : '/400'
    const words = neutral === '/400' ? 'Woow' : 'Oops'
    await visit(page, neutral)
    await until(neutral, async () => (await titleOf(page))?.startsWith(words))
    await visit(page, addressOf(path))
    const { at, isDenied } = endOf(role, path)
    await until(`${path} leads ${role} to ${at}${isDenied ? ', without access' : ''}`, async () => {
      if (new URL(page.url()).pathname !== at || (await isBusy(page))) return false
      if (isDenied) return page.getByText('You do not have access to this screen').isVisible()
      const title = await titleOf(page)
      return title !== null && !title.startsWith(words)
    })
  }
  expect(faults).toEqual([])
})

test('every screen opens by its address, in light and dark, wide and narrow, without serious faults of accessibility', async () => {
  // In turn, as nobody may load so many pages a minute.
  const people = [
    await pageOf(browser, product, usernameOf('super_admin')),
    await pageOf(browser, product, usernameOf('admin')),
  ] as const
  const found: string[] = []
  const direct = screens.filter(({ path, nav }) => path !== '/logout' && path !== '/' && nav !== 'signed_out')
  for (const [index, { path, nav }] of direct.entries()) {
    watched = nav === 'super_admin_only' || index % 4 < 2 ? people[0] : people[1]
    const { page } = watched
    // Every screen in both themes and at both widths; which goes with which alternates.
    const looks = [
      { width: 1440, height: 900, scheme: index % 2 === 0 ? 'light' : 'dark' },
      { width: 390, height: 844, scheme: index % 2 === 0 ? 'dark' : 'light' },
    ]
    for (const { width, height, scheme } of looks) {
      await page.setViewportSize({ width, height })
      if (width === 1440) await page.goto(product.origin + addressOf(path))
      await until(`${path} shows`, async () => {
        if (new URL(page.url()).pathname !== path) throw new Error(`it is at ${page.url()}`)
        return (await titleOf(page)) !== null && !(await isBusy(page))
      })
      await page.evaluate((to) => document.documentElement.setAttribute('data-mantine-color-scheme', to), scheme)
      for (const fault of await axeFaults(page)) found.push(`${path} ${scheme} ${width}: ${fault}`)
      const beyond = () => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
      // What is drawn anew for another width, such as a chart, has a moment for it.
      await until('it fits', async () => (await beyond()) === 0, 2000).catch(async () =>
        found.push(`${path} ${scheme} ${width}: ${await beyond()} px wider than the window`),
      )
    }
  }
  const faults = people.flatMap((one) => one.faults)
  for (const { context } of people) await context.close()
  expect(found).toEqual([])
  expect(faults).toEqual([])
})
