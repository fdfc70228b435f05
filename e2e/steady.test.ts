import type { Channel, Customer, Nimble, Site } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signIn } from './api.ts'
import { attach, type Prepared, password, prepare, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, press, shots, sound } from './stage.ts'

let prepared: Prepared
let south: Customer
let marseille: Site
/** What people are told of faces at each site. */
const notices = { lyon: 'Staff of Lyon agreed.', marseille: 'Nobody is compared in Marseille.' }

const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepare(product)
  const { root, ids } = prepared
  south = (await root.call('customer', 'create', { customer_name: 'South Cold' })) as Customer
  const { customer_id } = south
  const site_address = { site_timezone: 'Europe/Paris' }
  marseille = (await root.call('site', 'create', { site_name: 'Marseille', customer_id, site_address })) as Site
  await root.call('site', 'update', { site_id: ids.sid, faces_notice: notices.lyon })
  await root.call('site', 'update', { site_id: marseille.site_id, faces_notice: notices.marseille })
})
const open = (page: Page, address: string) => stage.open(page, address)

/** Addresses of the reads of one path, in their order. */
function readsOf(page: Page, path: string): URL[] {
  const reads: URL[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (request.method() === 'GET' && url.pathname === `/api/v1${path}`) reads.push(url)
  })
  return reads
}
const comeBack = (page: Page) => page.evaluate(() => void dispatchEvent(new Event('visibilitychange')))
const toSite = async (page: Page, name: string) => {
  await press(page, /Switch customer/)
  await page.getByRole('dialog').getByRole('link', { name, exact: true }).click()
}

test('a list of events that stays open asks of now for another filter and for who comes back, and tells who reads further down', async () => {
  const page = await stage.as(usernameOf('super_viewer'), { height: 420 })
  const reads = readsOf(page, '/event/range')
  const lists = () => reads.filter(({ searchParams }) => searchParams.has('end'))
  const endOf = (url: URL | undefined) => Date.parse(url?.searchParams.get('end') ?? '')
  await open(page, '/event?period=h1&show=all')
  const first = await until('the list is read', () => lists()[0])
  const later = (than: URL, why: string) => until(why, () => lists().find((url) => endOf(url) > endOf(than)))
  await page.getByRole('combobox', { name: 'Use case' }).click()
  await page.getByRole('option', { name: 'People counting', exact: true }).click()
  const filtered = await until('the filter asks of now', () =>
    lists().find((url) => endOf(url) > endOf(first) && url.searchParams.get('usecase_key') === 'pplcnt'),
  )
  await comeBack(page)
  const back = await later(filtered, 'who comes back is shown what is there now')
  for (const { searchParams } of lists())
    expect(Date.parse(searchParams.get('end') ?? '') - Date.parse(searchParams.get('start') ?? '')).toBe(3_600_000)

  await page.setViewportSize({ width: 390, height: 300 })
  await until('somebody reads further down', () =>
    page.evaluate(() => {
      scrollTo({ top: 600 })
      return scrollY > 300
    }),
  )
  const looks = () => reads.filter(({ searchParams }) => !searchParams.has('end')).length
  const before = looks()
  await comeBack(page)
  await until('it is looked whether something waits', () => looks() > before)
  expect(endOf(lists().at(-1))).toBe(endOf(back))
})

test('nothing is called healthy before it is known to be', async () => {
  const page = await stage.as(usernameOf('super_viewer'), { expected: [/\b500\b/] })
  const isAsked = (url: URL) => url.pathname.endsWith('/device/list') && url.searchParams.has('health')
  let answer: () => void = () => undefined
  const held = new Promise<void>((done) => {
    answer = done
  })
  await page.route(isAsked, async (route) => {
    await held
    await route.fulfill({ status: 500, json: { message: 'no' } })
  })
  await page.goto(`${stage.product.origin}/dashboard`)
  const panel = page.getByRole('region', { name: 'Needs attention' })
  await panel.locator('[aria-busy=true]').waitFor()
  const well = panel.getByText('Every camera and analytic is healthy.')
  expect(await well.count()).toBe(0)
  answer()
  await panel.getByRole('alert').waitFor()
  expect(await well.count()).toBe(0)
  await page.unroute(isAsked)
  await panel.getByRole('button', { name: 'Try again' }).click()
  await panel.getByRole('alert').waitFor({ state: 'hidden' })
})

test('from one site to another nothing goes along, and a notice that was typed is asked about, kept and given back', async () => {
  const page = await stage.as(usernameOf('admin'))
  const notice = page.getByRole('textbox', { name: 'What people are told' })
  const shows = (text: string) => until(`it says ${text}`, async () => (await notice.inputValue()) === text)
  await open(page, `/site/detail?sid=${prepared.ids.sid}&tab=faces`)
  await shows(notices.lyon)
  await toSite(page, 'Marseille')
  await page.getByRole('heading', { name: 'Marseille', level: 1 }).waitFor()
  await page.getByRole('tab', { name: 'Faces' }).click()
  await shows(notices.marseille)
  await page.goBack()
  await page.getByRole('heading', { name: 'Lyon DC', level: 1 }).waitFor()
  await shows(notices.lyon)

  await notice.fill('Staff of Lyon agreed in 2026.')
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await press(page, 'Stay')
  await page.reload()
  await page.getByText('What you typed before is back.').waitFor()
  await shows('Staff of Lyon agreed in 2026.')
  await prepared.root.call('site', 'update', { site_id: prepared.ids.sid, faces_notice: 'Theirs.' })
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'Changed meanwhile' }).waitFor()
  await shows('Staff of Lyon agreed in 2026.')
  await sound(page)
  await page.screenshot({ path: `${shots}steady-notice.png` })
  await press(page, 'Take theirs')
  await shows('Theirs.')
  await notice.fill(notices.lyon)
  await press(page, 'Switch on')
  await page.getByText('Faces are compared here', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.waitForURL(/\/site$/)
})

test('what somebody was told of edge servers, and what failed for them, is not for whoever comes next', async () => {
  const expected = [/\b401\b/, /\b500\b/, /HTTP Authentication failed/]
  const page = await stage.as(usernameOf('admin'), { expected })
  await page.route(
    (url) => url.pathname.endsWith('/nimble/list'),
    async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      const changed = (body.response as Nimble[]).map((one) => ({
        ...one,
        status: one.status && { ...one.status, state: 'unreachable' },
      }))
      await route.fulfill({ response, json: { ...body, response: changed } })
    },
  )
  const signedIn = async () => {
    await page.getByText(/^Edge server .* is unreachable/).waitFor()
    await page.getByRole('button', { name: /^Notifications/ }).waitFor()
  }
  const saysNothing = async () => {
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.getByText('unreachable').count()).toBe(0)
  }
  const enter = async () => {
    await page.getByRole('textbox', { name: /^E-mail or user name/ }).fill(usernameOf('admin'))
    await page.getByRole('textbox', { name: /^Password/ }).fill(password)
    await press(page, 'Sign in')
  }
  await open(page, '/configuration/add')
  await signedIn()
  await press(page, 'Account menu')
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await saysNothing()
  await enter()
  await signedIn()

  // A session that ends by itself says so, and nothing of before.
  const { root } = prepared
  const { user_id } = (await (
    await signIn(stage.product.origin, usernameOf('admin'), password)
  ).call('user', 'info', {})) as { user_id: string }
  const sessions = (await root.call('user', 'sessions', { user_id })) as { session_id: string }[]
  for (const { session_id } of sessions) await root.call('user', 'sessionRevoke', { session_id })
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.waitForURL(/\/login/)
  await page.getByText('Your session has ended.').waitFor()
  await press(page, 'Dismiss')
  await saysNothing()
})

test('what a use case starts with: what is typed survives a failed read, is asked about, and meets what somebody else saved', async () => {
  const { root } = prepared
  const page = await stage.as(usernameOf('super_admin'), { expected: [/\b500\b/] })
  const stored = await root.call('bundle', 'defaultsGet', { bundle_usecase: 'pplcnt' })
  const save = (more: Record<string, number>) =>
    root.call('bundle', 'defaultsSet', {
      bundle_usecase: 'pplcnt',
      defaults: { pipeline_elements: { ...stored.defaults.pipeline_elements, ...more } },
    } as never)
  await page.clock.install()
  await open(page, '/settings/bundle?uc=pplcnt')
  /** After so long a time that what is shown is read again. */
  const comeBackLater = async () => {
    await page.clock.fastForward(60_000)
    await comeBack(page)
  }
  const recovery = page.getByRole('switch', { name: /recover/i })
  await recovery.waitFor()
  const was = await recovery.isChecked()
  await page.locator('label', { has: recovery }).or(recovery).first().click()
  const isMine = () => until('what was set stands', async () => (await recovery.isChecked()) !== was)
  await isMine()

  const isRead = (url: URL) => url.pathname.endsWith('/bundle/config/defaults/get')
  let failed = 0
  await page.route(isRead, (route) => {
    failed++
    return route.fulfill({ status: 500, json: { message: 'no' } })
  })
  await save({ 'decode.fps': 4 })
  await comeBackLater()
  await until('it was read again in vain', () => failed > 0)
  await isMine()
  await page.unroute(isRead)
  await save({ 'decode.fps': 3 })
  await comeBackLater()
  const told = page.getByRole('alert').filter({ hasText: 'Changed meanwhile' })
  await told.waitFor()
  await isMine()
  expect(await page.getByRole('button', { name: 'Save defaults' }).isEnabled()).toBe(false)
  await sound(page)
  await page.screenshot({ path: `${shots}steady-defaults.png`, fullPage: true })

  await page.getByRole('navigation', { name: 'Use cases' }).getByRole('button', { name: 'Intrusion' }).first().click()
  await press(page, 'Stay')
  await press(page, 'Keep mine on top')
  await press(page, 'Save defaults')
  await until('both changes are stored', async () => {
    const { defaults } = await root.call('bundle', 'defaultsGet', { bundle_usecase: 'pplcnt' })
    return defaults.auto_recovery !== was && defaults.pipeline_elements['decode.fps'] === 3
  })
  await until('nothing is left to save', async () => !(await told.isVisible()))
  await page.getByRole('navigation', { name: 'Use cases' }).getByRole('button', { name: 'Intrusion' }).first().click()
  await page.waitForURL(/uc=intrdtec/)
  await root.call('bundle', 'defaultsSet', { bundle_usecase: 'pplcnt', defaults: null })
})

test('a configuration that is typed does not go by a press beside its dialog, and privileges that were chosen not by a link', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, `/configuration/detail?nid=${localNimbleId}`)
  const show = async () => {
    await press(page, 'Actions')
    await page.getByRole('menuitem', { name: 'Replace configuration…' }).click()
  }
  await show()
  const document = page.getByRole('textbox', { name: 'Configuration as JSON' })
  const text = await document.inputValue()
  const typed = text.replace(/"wait_between_retry": \d+/, '"wait_between_retry": 77')
  expect(typed).not.toBe(text)
  await document.fill(typed)
  await page.mouse.click(5, 450)
  await page.keyboard.press('Escape')
  await press(page, 'Stay')
  expect(await document.inputValue()).toBe(typed)
  await page.reload()
  await show()
  await page.getByText('What you typed before is back.').waitFor()
  expect(await document.inputValue()).toBe(typed)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await press(page, 'Leave')
  await document.waitFor({ state: 'hidden' })
  await show()
  expect(await document.inputValue()).toBe(text)
  await page.keyboard.press('Escape')
  await document.waitFor({ state: 'hidden' })

  await open(page, '/settings/role')
  await page.getByRole('radiogroup', { name: 'Pictures for Viewer' }).getByText('For a reason').click()
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await press(page, 'Stay')
  await page.reload()
  await page.getByText('What you typed before is back.').waitFor()
  await press(page, 'Discard it')
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.waitForURL(/\/site$/)
})

test('another customer is chosen: its own events and sites are listed, without what narrowed them to the first', async () => {
  const page = await stage.as(usernameOf('super_viewer'), { width: 390, height: 844 })
  const reads = readsOf(page, '/event/range')
  const onPhone = async (name: string) => {
    await press(page, 'Open menu')
    await press(page.getByRole('dialog'), /Switch customer/)
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await until('the menu is out of the way', async () => (await page.getByRole('dialog').count()) === 0)
  }
  const { sid, cid, uid } = prepared.ids
  for (const address of [`/event?sid=${sid}&uc=pplcnt`, `/event/gallery?cid=${cid}&uid=${uid}&uc=pplcnt`]) {
    await open(page, address)
    await onPhone('South Cold')
    await page.waitForURL(({ search }) => search === '?uc=pplcnt')
    await until('those of the other customer are read', () => {
      const last = reads.at(-1)?.searchParams
      return last?.get('customer_id') === south.customer_id && !last.has('site_id') && !last.has('channel_id')
    })
    await page
      .getByText(/^(Nothing matches|No events|No pictures)/)
      .first()
      .waitFor()
    await onPhone('Acme Logistics')
  }
  await open(page, '/site?health=offline&country=FR&tag=cold')
  await onPhone('South Cold')
  await page.waitForURL(({ search }) => search === '')
  await page.getByRole('link', { name: 'Marseille' }).first().waitFor()
  await onPhone('Acme Logistics')
})

test('what fails says so: pictures that cannot be read, and blurring again', async () => {
  const page = await stage.as(usernameOf('admin'), { expected: [/\b500\b/] })
  let calls = 0
  await page.route('**/api/v1/face/read', (route) => {
    calls++
    return route.fulfill({ status: 500, json: { message: 'no' } })
  })
  await page.route('**/api/v1/face/list*', (route) =>
    route.fulfill({
      json: {
        response_code: 200,
        response: [
          {
            face_id: marseille.site_id,
            site_id: marseille.site_id,
            face_name: 'Ada',
            agreed_at: new Date().toISOString(),
            kept_until: null,
            pictures: [
              {
                picture_id: marseille.site_id,
                url: null,
                face_px: 128,
                is_read: false,
                created_at: new Date().toISOString(),
              },
            ],
            version: 1,
          },
        ],
      },
    }),
  )
  await open(page, `/site/detail?sid=${marseille.site_id}&tab=faces`)
  await press(page, 'Have them read')
  await page.locator('[data-message=error]').first().waitFor()
  expect(calls).toBe(1)

  // Who sees pictures clearly for a while, and goes on doing so.
  await page.route('**/api/v1/user/info', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { response: object }
    const unblurred_until = new Date(Date.now() + 600_000).toISOString()
    const clear = { ...body.response, privileges: ['picture.unblur'], unblurred_until }
    await route.fulfill({ response, json: { ...body, response: clear } })
  })
  await page.route('**/api/v1/user/session/unblur', (route) => route.fulfill({ status: 500, json: { message: 'no' } }))
  await open(page, '/site')
  await press(page, /^Pictures are clear until/)
  await press(page, 'Blur again')
  await page.locator('[data-message=error]').first().waitFor()
})

test('an analytic is deleted once, however often the button is pressed; a dialog that only tells why not is not red', async () => {
  const { root, ids } = prepared
  const { channel_id, usecase_id } = (await attach(root, ids.did, 'pplcnt', { channel_name: 'Twice' })) as Channel
  await root.call('channel', 'update', { channel_id, auto_recovery: false })
  // Its page looks once more for what is gone.
  const page = await stage.as(usernameOf('admin'), { expected: [/\b404\b/] })
  let deletions = 0
  await page.route('**/api/v1/channel/delete*', async (route) => {
    deletions++
    await route.continue()
  })
  await open(page, `/channel/detail?did=${ids.did}&cid=${channel_id}&uid=${usecase_id}`)
  await press(page, 'Actions for Twice')
  await page.getByRole('menuitem', { name: 'Delete analytic' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete analytic' }).dblclick()
  await page.waitForURL(/device\/detail/)
  expect(deletions).toBe(1)

  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Delete camera' }).click()
  const close = page.getByRole('dialog').locator('button[type=submit]', { hasText: 'Close' })
  await close.waitFor()
  expect(await close.getAttribute('style')).not.toContain('red')
})
