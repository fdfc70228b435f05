import { type Role, roles, screens, screensFor } from '@sightline/domain'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFaults, type Watched } from './browser.ts'
import { type Ids, isBusy, pageOf, prepare, registerFirst, titleOf, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, shots } from './stage.ts'

let ids: Ids

const stage = createStage(async (product) => {
  await registerFirst(product)
  ids = (await prepare(product)).ids
})

/** Runs a visit on a page of its own; when it fails, says where and shows what was seen. */
async function onPage(username: string, expected: RegExp[], visit: (watched: Watched) => Promise<void>): Promise<void> {
  const watched = await pageOf(stage.browser, stage.product, username, { expected })
  try {
    await visit(watched)
  } catch (error) {
    console.log([watched.page.url(), ...watched.faults].join('\n'))
    await watched.page.screenshot({ path: `${shots}failed-screens-${username}.png` })
    throw error
  } finally {
    await watched.context.close()
  }
}

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
  '/channel/diagnostic': ['did', 'cid', 'uid'],
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

// Side by side, as each page waits more than it works.
test.concurrent.each(roles)('every screen opens for %s, or leads where the guard says', async (role) => {
  const seesNothing = role === 'user' || role === 'viewer'
  await onPage(usernameOf(role), seesNothing ? [/404/] : [], async ({ page, faults }) => {
    await page.goto(`${stage.product.origin}/support`)
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
})

const direct = screens.filter(({ path, nav }) => path !== '/logout' && path !== '/' && nav !== 'signed_out')
/** Half of what an administrator may open is looked at as one. */
const looking = (path: string, index: number): Role =>
  index % 4 < 2 || screensFor('admin').every((screen) => screen.path !== path) ? 'super_admin' : 'admin'

test.concurrent.each(['super_admin', 'admin'] as const)(
  'every screen opens by its address, in light and dark, wide and narrow, without serious faults of accessibility: as %s',
  async (role) => {
    const found: string[] = []
    await onPage(usernameOf(role), [], async ({ page, faults }) => {
      for (const [index, { path }] of direct.entries()) {
        if (looking(path, index) !== role) continue
        // Every screen in both themes and at both widths; which goes with which alternates.
        const looks = [
          { width: 1440, height: 900, scheme: index % 2 === 0 ? 'light' : 'dark' },
          { width: 390, height: 844, scheme: index % 2 === 0 ? 'dark' : 'light' },
        ]
        for (const { width, height, scheme } of looks) {
          await page.setViewportSize({ width, height })
          if (width === 1440) await page.goto(stage.product.origin + addressOf(path))
          await until(`${path} shows`, async () => {
            if (new URL(page.url()).pathname !== path) throw new Error(`it is at ${page.url()}`)
            return (await titleOf(page)) !== null && !(await isBusy(page))
          })
          await page.evaluate((to) => document.documentElement.setAttribute('data-mantine-color-scheme', to), scheme)
          for (const fault of await axeFaults(page)) found.push(`${path} ${scheme} ${width}: ${fault}`)
          const beyond = () => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
          // What is drawn anew for another width, such as a chart, has a moment for it.
          await until('it fits', async () => (await beyond()) === 0, 10_000).catch(async () =>
            found.push(`${path} ${scheme} ${width}: ${await beyond()} px wider than the window`),
          )
        }
      }
      expect(found).toEqual([])
      expect(faults).toEqual([])
    })
  },
)
