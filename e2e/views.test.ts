/** The dashboard by camera, by use case and on the map; the large map; the wall alone on the screen; one camera. */
import type { Device, Site, User } from '@sightline/contract'
import { awayHeader } from '@sightline/contract/away'
import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Caller } from './api.ts'
import { axeFaults } from './browser.ts'
import { press } from './keyboard.ts'
import { addPerson, attach, prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, shots } from './stage.ts'

let root: Caller
let did: string

const stage = createStage(async (product) => {
  await registerFirst(product)
  const prepared = await prepareCamera(product)
  root = prepared.root
  did = prepared.did
  await attach(root, did, 'pplcnt')
  await attach(root, did, 'frdtec')
  const places: [string, number, number][] = [
    ['Paris HQ', 48.86, 2.35],
    ['Sydney Port', -33.87, 151.21],
  ]
  for (const [site_name, lat, long] of places)
    (await root.call('site', 'create', {
      site_name,
      customer_id: prepared.cuid,
      site_address: { site_timezone: 'Europe/Paris', lat, long },
    })) as Site
})

test('the dashboard shows cameras, use cases and the map by keyboard, and comes back as it was left', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/dashboard`)
  const views = page.getByRole('navigation', { name: 'View' })
  await views.getByRole('link', { name: 'Use cases' }).press('Enter')
  const column = page.getByRole('region', { name: 'People counting' })
  await column.getByText('Where most was seen').waitFor()
  await column.getByRole('link', { name: 'Lobby' }).waitFor()
  expect(new URL(page.url()).searchParams.get('view')).toBe('usecase')
  expect(await axeFaults(page, ['landmark-unique'])).toEqual([])
  await page.screenshot({ path: `${shots}views-usecase.png`, fullPage: true })

  await views.getByRole('link', { name: 'Map' }).press('Enter')
  await press(page, /Sydney Port/)
  const peek = page.getByRole('region', { name: 'Sydney Port' })
  await peek.getByText('Nothing was watched in the last 24 hours').waitFor()
  expect(await axeFaults(page, ['landmark-unique'])).toEqual([])
  await page.screenshot({ path: `${shots}views-map.png`, fullPage: true })

  await page.goto(`${stage.product.origin}/dashboard`)
  await views.locator('[aria-current=page]', { hasText: 'Map' }).waitFor()
  await views.getByRole('link', { name: 'Cameras' }).press('Enter')
  await page.getByRole('region', { name: 'Cameras' }).getByRole('link', { name: /Lobby/ }).waitFor()
  expect(await axeFaults(page, ['landmark-unique'])).toEqual([])
})

test('what counts nothing is drawn without the colours of a figure and says why, and its site needs attention', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/dashboard`)
  const backgroundOf = (name: string) =>
    page.getByRole('article', { name, exact: true }).evaluate((card) => getComputedStyle(card).backgroundImage)
  const fire = page.getByRole('article', { name: 'Fire', exact: true })
  await fire.getByText('Add a detection model').waitFor()
  expect(await backgroundOf('Fire')).toBe('none')
  await until('people are counted', async () => (await backgroundOf('Total')).includes('gradient'))

  await page.goto(`${stage.product.origin}/site`)
  const row = page.getByRole('row', { name: /Lyon DC/ })
  await row.getByText('Needs attention', { exact: true }).waitFor()
  await row.getByRole('link', { name: /needs? attention/ }).press('Enter')
  await page.getByRole('heading', { name: 'Analytics of Lyon DC' }).waitFor()
  await page.getByRole('row', { name: /At frdtec.*Add a detection model/ }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.screenshot({ path: `${shots}views-attention.png` })
})

test('the list beside the map has the sites in sight, and those without a place can be placed', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/map`)
  const list = page.getByRole('region', { name: 'Sites in sight' })
  await list.getByText('2 of 2 on the map').waitFor()
  const unplaced = page.getByRole('region', { name: 'Not on the map yet' })
  expect(await unplaced.getByRole('link', { name: 'Place on map' }).getAttribute('href')).toContain('/site/edit?sid=')
  expect(await axeFaults(page, ['landmark-unique'])).toEqual([])

  // By keys to the north-west, until Sydney is out of sight: the address says where the map stands.
  await page.goto(`${stage.product.origin}/map?at=48.0,2.0,4.0`)
  await list.getByText('1 of 2 on the map').waitFor()
  await list.getByRole('button', { name: /Paris HQ/ }).waitFor()
  await page.locator('canvas').focus()
  for (let times = 0; times < 12; times++) await page.keyboard.press('ArrowUp')
  await list.getByText('No site lies in this part of the map').waitFor()
  await page.screenshot({ path: `${shots}views-large-map.png` })

  await page.goto(`${stage.product.origin}/map?uc=pplcnt`)
  await list.getByText('0 of 0 on the map').waitFor()
  await unplaced.getByText('Lyon DC').waitFor()
})

test('the wall alone on the screen survives a reload, shows a video where something goes on, and is left by Escape', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/analytic`)
  const tile = page.locator(`[data-tile="${did}"]`)
  await tile.waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.goto(`${stage.product.origin}/analytic?kiosk=1`)
  const wall = page.getByRole('dialog')
  await wall.waitFor()
  // The wall shows a moment before it hears keys.
  await until('three columns are in the address', async () => {
    await page.keyboard.press('3')
    return new URL(page.url()).searchParams.get('cols')?.includes('3')
  })
  await page.keyboard.press('ArrowRight')
  await until('the tile has the focus', () => tile.evaluate((element) => element === document.activeElement))
  await until('the tile of the camera turns to video', () => tile.locator('[data-phase=playing]').isVisible())
  await tile.getByText(/fps/).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.screenshot({ path: `${shots}views-kiosk.png` })
  await page.reload()
  await wall.waitFor()
  await until('Escape leaves it', async () => {
    await page.keyboard.press('Escape')
    return (await wall.count()) === 0
  })
  expect(new URL(page.url()).searchParams.has('kiosk')).toBe(false)
})

test('the wall alone keeps a viewer signed in though nobody touches it, and tells everybody else when it ends', async () => {
  const { site_id } = (await root.call('device', 'get', { device_id: did })) as Device
  for (const [role, text, away] of [
    ['viewer', 'Stays signed in for 12 hours.', undefined],
    ['admin', 'Signs out after 30 minutes without a touch', '1'],
  ] as const) {
    const name = `wall.${role}`
    const { user_id } = (await addPerson(root, name, role)) as User
    if (role === 'viewer') await root.call('site', 'assign', { user_id, site_id: [site_id] })
    const page = await stage.as(name)
    await page.clock.install()
    await page.goto(`${stage.product.origin}/analytic?kiosk=1`)
    await page.getByRole('dialog').getByText(text).waitFor()
    await page.clock.runFor(60_000)
    // What the page asks for by itself.
    let asked: Request | undefined
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/nimble/list')) asked = request
    })
    await until('it asks by itself', async () => {
      await page.clock.runFor(10_000)
      return asked
    })
    expect([role, asked?.headers()[awayHeader]]).toEqual([role, away])
    await page.close()
  }
})

test('the view of a camera has its live picture, its analytics with their numbers, its day, and a picture to save', async () => {
  const page = await stage.as(usernameOf('super_admin'), {
    width: 390,
    height: 844,
  })
  await page.goto(`${stage.product.origin}/device/view?did=${did}`)
  await page.locator('[data-phase=playing]').waitFor()
  await page
    .getByRole('navigation', { name: 'Analytics' })
    .getByText(/Total \d/)
    .waitFor()
  await page.getByRole('region', { name: 'Last 24 hours' }).waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Snapshot' }).click()
  expect((await saved).suggestedFilename()).toMatch(/^Lobby-.+\.jpg$/)
  expect(await axeFaults(page)).toEqual([])
  await page.screenshot({ path: `${shots}views-camera-390.png`, fullPage: true })
})

test('a role that sees pictures blurred sees them clearly after giving a reason, and blurred again', async () => {
  const { user_id } = (await addPerson(root, usernameOf('viewer'), 'viewer')) as User
  const { site_id } = (await root.call('device', 'get', { device_id: did })) as Device
  await root.call('site', 'assign', { user_id, site_id: [site_id] })

  const chief = await stage.as(usernameOf('super_admin'))
  await chief.goto(`${stage.product.origin}/settings/role`)
  await chief.getByRole('radiogroup', { name: 'Pictures for Viewer' }).getByText('For a reason').click()
  await chief.getByText('Concerns 2 people, at once').waitFor()
  expect(await axeFaults(chief)).toEqual([])
  await chief.screenshot({ path: `${shots}privilege.png` })
  await chief.getByRole('button', { name: 'Save privileges' }).click()
  await chief.getByText('Privileges saved').waitFor()
  await chief.context().close()

  const page = await stage.as(usernameOf('viewer'))
  await page.goto(`${stage.product.origin}/device/view?did=${did}`)
  const picture = page.locator('img[alt*="Lobby"], [data-phase=playing] img').first()
  const width = () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)
  // Video is a picture of a camera too: what comes instead says why.
  await page.getByText(/Blurred for your role: pictures instead of video/).waitFor()
  await until('a blurred picture shows', async () => (await width()) === 480)
  await page.screenshot({ path: `${shots}blurred.png` })
  await page.getByRole('button', { name: 'Pictures are blurred for your role' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^See clearly/ }).click()
  await dialog.getByText('This field is required').waitFor()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Theft at the entrance')
  expect(await axeFaults(page)).toEqual([])
  await page.screenshot({ path: `${shots}unblur.png` })
  await dialog.getByRole('button', { name: /^See clearly/ }).click()
  await page.locator('video:visible').first().waitFor()
  await page.getByRole('button', { name: /^Pictures are clear until/ }).click()
  await dialog.getByRole('button', { name: 'Blur again' }).click()
  await page.getByText(/Blurred for your role: pictures instead of video/).waitFor()
})

test('in a browser without WebGL the sites are on a still map, and the list beside it works', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await page.addInitScript(() => {
    const getContext = HTMLCanvasElement.prototype.getContext as (kind: string, options?: object) => unknown
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
      return kind.includes('webgl') ? null : getContext.call(this, kind, options)
    } as typeof HTMLCanvasElement.prototype.getContext
  })
  await page.goto(`${stage.product.origin}/map`)
  await page.getByText(/A map to move about in could not be drawn/).waitFor()
  await page.getByRole('region', { name: 'Sites in sight' }).getByText('2 of 2 on the map').waitFor()
  const sites = page.locator('[data-site]')
  await until('both sites are drawn', async () => (await sites.count()) === 2)
  await page.screenshot({ path: `${shots}views-still-map.png` })
  await sites.first().click()
  await page.getByRole('link', { name: 'Open site' }).waitFor()
})

test('only cameras in sight ask for new pictures, however many more are shown', async () => {
  // One camera stands for sixty, of which the portal knows nothing.
  const page = await stage.as(usernameOf('super_admin'), { expected: [/404/] })
  const alike = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
  await page.route('**/customer/view?*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    for (const site of body.response.sites)
      site.devices = site.devices.flatMap((device: Device & { channels: object[] }) =>
        Array.from({ length: 60 }, (_, at) => ({
          ...device,
          device_id: alike(at),
          device_name: `Lobby ${String(at).padStart(2, '0')}`,
          device_health: 'healthy',
          channels: device.channels.slice(0, 1).map((channel) => ({ ...channel, channel_id: alike(at) })),
        })),
      )
    await route.fulfill({ response, json: body })
  })
  const asked = new Map<string, number>()
  await page.route('**/channel/ondemand', async (route) => {
    const { channel_id: id }: { channel_id: string } = route.request().postDataJSON()
    asked.set(id, (asked.get(id) ?? 0) + 1)
    await route.fulfill({ json: { response_code: 200, response: { kind: 'snapshot', snapshot_url: null } } })
  })
  await page.goto(`${stage.product.origin}/analytic?cols=4`)
  const tiles = page.locator('[data-tile]')
  await tiles.first().waitFor()
  await page.getByRole('button', { name: 'Show more cameras' }).click()
  await until('more are shown', async () => (await tiles.count()) === 48)
  await tiles.first().scrollIntoViewIfNeeded()
  // Two rounds: with the first those stop that were in sight by the button.
  const [first, last] = [alike(0), alike(47)]
  for (const round of ['one round', 'another']) {
    asked.clear()
    await until(round, () => (asked.get(first) ?? 0) > 0)
  }
  expect(asked.size).toBeGreaterThan(4)
  expect(asked.size).toBeLessThan(30)
  expect(asked.has(last)).toBe(false)
  await tiles.last().scrollIntoViewIfNeeded()
  await until('whoever comes in sight asks', () => asked.has(last))
})

test('the map is read again once when an edge server goes away with all of its cameras', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  const { site_id } = (await root.call('device', 'get', { device_id: did })) as Device
  let tell: ((messages: object[]) => void) | undefined
  await page.routeWebSocket(/\/api\/v1\/stream/, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((frame) => {
      const { cursor } = JSON.parse(String(frame))
      tell = (messages) => socket.send(JSON.stringify({ cursor, messages }))
      socket.send(frame)
    })
  })
  let reads = 0
  page.on('request', (request) => {
    if (request.url().includes('/site/map?')) reads++
  })
  await page.goto(`${stage.product.origin}/map`)
  await page.getByRole('region', { name: 'Sites in sight' }).getByText('2 of 2 on the map').waitFor()
  await until('the stream is open', () => tell !== undefined)
  reads = 0
  const message = { type: 'health', device_id: did, site_id, health: 'healthy', cause: null, before: null }
  for (let camera = 0; camera < 200; camera++) tell?.([message])
  // One for all of them; then those that come every ten seconds anyway.
  await until('it was read again, and again after its rest', () => reads >= 2)
  expect(reads).toBeLessThan(5)
})
