/** From nothing to customers, sites and cameras on screen; then moving, swapping, tagging and configuring what is there. */
import type {
  Customer,
  DemoCamera,
  Device,
  License,
  Nimble,
  Organization,
  Site,
  StorageData,
} from '@sightline/contract'
import { localNimbleId, type Role } from '@sightline/domain'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { focus } from './keyboard.ts'
import { addPerson, type Prepared, prepare, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, press, shots, sound } from './stage.ts'

let prepared: Prepared

const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepare(product)
})

const { open } = stage

test('a customer with its first site, more sites from pasted rows, and cameras from a file: each row with its outcome', async () => {
  const page = await stage.as(usernameOf('admin'), { expected: [/400 .*\/site\/create|status of 400/] })
  await open(page, '/customer/add')
  await press(page, 'Next')
  await page.getByText('This field is required').waitFor()
  await page.getByRole('textbox', { name: /^Customer/ }).fill('Nordwind Retail')
  await press(page, 'Next')
  await page.getByRole('textbox', { name: 'City' }).fill('Hamburg')
  await press(page, 'Next')
  await page.getByRole('switch', { name: 'Create a first site' }).check()
  await page.getByRole('textbox', { name: /^Name of the site/ }).fill('Hamburg City')
  await sound(page)
  await press(page, 'Next')
  await page.getByText('Nordwind Retail').first().waitFor()
  await press(page, 'Create customer')
  await page.waitForURL(/\/site\/detail\?sid=/)
  const customers = await prepared.root.call('customer', 'list', { q: 'Nordwind' })
  const [{ customer_id }] = customers as [Customer]

  await open(page, `/site/onboard?cuid=${customer_id}`)
  await page
    .getByRole('textbox', { name: 'Rows' })
    .fill(
      [
        'Nom;Ville;Pays;Fuseau horaire;Latitude;Longitude',
        'Bremen;Bremen;Allemagne;Europe/Berlin;53,07;8,8',
        'Kiel;Kiel;DE;Europe/Nowhere;54,32;10,13',
        'Hamburg City;Hamburg;DE;;;',
      ].join('\n'),
    )
  await press(page, 'Continue')
  await press(page, 'Check 3 rows')
  await page.getByText('1 row to mend').waitFor()
  await sound(page)
  const wrong = page.getByRole('textbox', { name: 'Time zone' })
  await wrong.fill('Europe/Berlin')
  await wrong.blur()
  await press(page, 'Create 3 sites')
  // The name is taken already: said in its row, and mended there.
  await page.getByText('1 row to mend').waitFor()
  // On the way back and on again nothing of it is lost, and nothing made is offered anew.
  await press(page, 'Back')
  await press(page, 'Check 3 rows')
  await page.getByText('2 created · 1 to mend').waitFor()
  const taken = page.getByRole('textbox', { name: 'Name', exact: true })
  await taken.fill('Hamburg Hafen')
  await taken.blur()
  await press(page, 'Create 1 site')
  // Its address was not looked up, and that is said.
  await page.getByText('3 created · 1 not on the map yet').waitFor()
  await press(page, 'To the sites')
  const sites = (await prepared.root.call('site', 'list', { customer_id })) as Site[]
  expect(sites.map(({ site_name }) => site_name)).toEqual(['Bremen', 'Hamburg City', 'Hamburg Hafen', 'Kiel'])
  expect(sites[0]?.site_address).toMatchObject({ site_country: 'DE', lat: 53.07, long: 8.8 })

  const sid = sites[0]?.site_id
  await open(page, `/device/bulk?sid=${sid}`)
  await page.getByText('From a file').click()
  const rows = ['name,address', 'Door,rtsp://192.0.2.11/1', 'Till,rtsp://192.0.2.12/1', 'Yard,http://192.0.2.13']
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'cameras.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) })
  await press(page, 'Check 3 rows')
  await page.getByText('2 ready · 1 failed').waitFor()
  // Nobody is at the two addresses: that is known before they are added.
  await press(page, 'Test all')
  await page.locator('[data-level="error"]').nth(1).waitFor()
  // They go in when that is said again.
  await page.getByText('2 did not work when they were tested.').waitFor()
  await sound(page)
  await press(page, 'Add all 2 anyway')
  await page.getByText('2 added · 1 failed').waitFor()
  await press(page, 'To the cameras')
  await page.getByRole('link', { name: 'Door' }).waitFor()
  expect(await page.getByRole('link', { name: 'Till' }).count()).toBe(1)
})

/** An edge server that never came: what moves there waits. */
async function otherServer(name: string): Promise<Nimble> {
  const [license] = (await prepared.root.call('license', 'list', {})) as License[]
  return (await prepared.root.call('nimble', 'create', {
    name,
    mode: 'enrolled',
    license_id: (license as License).license_id,
  })) as Nimble
}

test('a camera moves to another edge server after a look at what starts anew, and back by draining', async () => {
  const { nimble_id } = await otherServer('Rack B')
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, '/deployment')
  await page.getByRole('button', { name: 'Move to… Lobby' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('To', { exact: true }).first().click()
  await page.getByRole('option', { name: /^Rack B/ }).click()
  await dialog.getByText('4 analytics start anew. Nothing has been changed yet.').waitFor()
  await dialog.getByText('At emptyframecheck, At intrdtec, At pplcnt, At pplocc').waitFor()
  await sound(page)
  const where = async () => (await prepared.root.call('device', 'get', { device_id: prepared.ids.did })) as Device
  expect((await where()).nimble_id).toBe(localNimbleId)
  await dialog.getByRole('button', { name: 'Move 1 camera' }).click()
  await dialog.getByText('1 of 1 moved').waitFor()
  expect((await where()).nimble_id).toBe(nimble_id)
  await press(dialog, 'Close')

  const rack = page.getByRole('region', { name: 'Rack B', exact: true })
  // What moved there is saved, and waits for an edge server that never came.
  await rack.getByText('Saved').first().waitFor()
  await rack.getByRole('button', { name: 'Drain…' }).click()
  await dialog.getByLabel('To', { exact: true }).first().click()
  await page.getByRole('option', { name: /^Local/ }).click()
  await dialog.getByRole('button', { name: 'Move 1 camera' }).click()
  await dialog.getByText('1 of 1 moved').waitFor()
  await press(dialog, 'Close')
  const local = page.getByRole('region', { name: /^Local/ })
  await until('it runs again', async () => (await local.getByText('Running').count()) >= 5)
  expect((await where()).nimble_id).toBe(localNimbleId)
})

test('a camera is drawn onto another edge server by mouse or finger; nothing moves by Escape, beside it, or before the dialog is answered', async () => {
  const { nimble_id } = await otherServer('Rack C')
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, `/deployment?nid=${localNimbleId}`)
  const card = page
    .getByRole('region', { name: /^Local/ })
    .getByRole('listitem')
    .filter({ hasText: 'Lobby' })
    .first()
  const rack = page.getByRole('region', { name: 'Rack C', exact: true })
  const dialog = page.getByRole('dialog')
  const middle = async (of: Locator) => {
    await of.scrollIntoViewIfNeeded()
    const box = await of.boundingBox()
    if (!box) throw new Error('it is not drawn')
    return { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 20) }
  }
  const said = (text: string | RegExp) =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
  const handle = card.locator('[data-handle]')
  await page.evaluate(() => scrollTo(0, 0))
  // Both are looked for anew each time: the analytics that came back before still say how far they are, and push down
  // what is below them.
  const drawOver = async () => {
    const from = await middle(handle)
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    const to = await middle(rack)
    await page.mouse.move(to.x, to.y, { steps: 5 })
    await said('Lobby is over Rack C. Let go to see what would start anew.')
  }

  await drawOver()
  await page.keyboard.press('Escape')
  await page.mouse.up()
  await said('Let go; nothing moved.')
  const from = await middle(handle)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 40, from.y + 10, { steps: 3 })
  await said(/^Lobby is held/)
  await page.mouse.up()
  expect(await dialog.count()).toBe(0)

  await drawOver()
  await page.mouse.up()
  await dialog.getByText('4 analytics start anew. Nothing has been changed yet.').waitFor()
  expect(await dialog.getByLabel('To', { exact: true }).first().inputValue()).toMatch(/^Rack C/)
  await sound(page)
  await press(dialog, 'Cancel')

  const finger = await page.context().newCDPSession(page)
  await finger.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: points })
  await dialog.waitFor({ state: 'detached' })
  const start = await middle(handle)
  await touch('touchStart', start)
  const to = await middle(rack)
  for (const part of [0.3, 0.7, 1])
    await touch('touchMove', { x: start.x + (to.x - start.x) * part, y: start.y + (to.y - start.y) * part })
  await said(/^Lobby is over Rack C/)
  await touch('touchEnd')
  await dialog.getByText('4 analytics start anew. Nothing has been changed yet.').waitFor()
  const where = async () => (await prepared.root.call('device', 'get', { device_id: prepared.ids.did })) as Device
  expect((await where()).nimble_id).toBe(localNimbleId)
  await dialog.getByRole('button', { name: 'Move 1 camera' }).click()
  await dialog.getByText('1 of 1 moved').waitFor()
  expect((await where()).nimble_id).toBe(nimble_id)
  await page.close()
  await prepared.root.call('device', 'move', { device_id: [prepared.ids.did], nimble_id: localNimbleId })
  await prepared.root.call('nimble', 'delete', { nimble_id })
})

test('deployment is there to look at for a super viewer, and out of the way of everyone else', async () => {
  const page = await stage.as(usernameOf('super_viewer'))
  await open(page, '/deployment')
  await page.getByText('At pplcnt').first().waitFor()
  expect(await page.getByRole('button', { name: /Move to…|Drain…|Send again/ }).count()).toBe(0)
  await page.context().close()
  const admin = await stage.as(usernameOf('admin'))
  await admin.goto(`${stage.product.origin}/deployment`)
  await admin.waitForURL(/\/dashboard/)
})

test('an organization without edge servers is told so in the text that clients know, and led to a licence first', async () => {
  const { root } = prepared
  const { organization_id } = (await root.call('organization', 'create', {
    organization_name: 'Fresh Start',
  })) as Organization
  await addPerson(root, 'fresh.admin', 'admin', organization_id)
  const page = await stage.as('fresh.admin', { expected: [/nimble\/list|status of 404/] })
  const answered = page.waitForResponse(/\/nimble\/list/)
  await open(page, '/configuration')
  expect((await (await answered).json()).message).toBe('mongo: no documents in result')
  await page.getByText('Add a licence first, then an edge server.').waitFor()
  await sound(page)
  await page.getByRole('link', { name: 'Add licence' }).click()
  await page.waitForURL(/\/license/)
})

test('a camera is swapped after both pictures were seen; its analytics and their history stay', async () => {
  const [camera] = ((await prepared.root.call('demo', 'start', { count: 2 })) as DemoCamera[]).filter(
    ({ UUID }) => UUID !== prepared.camera.UUID,
  ) as [DemoCamera]
  const { did, sid, cid } = prepared.ids
  const { stream_address } = (await prepared.root.call('device', 'get', { device_id: did })) as Device
  const small = { source_name: 'To look at', role: 'live', source_address: `${stream_address}/small` }
  await prepared.root.call('source', 'create', { device_id: did, ...small } as never)
  const before = (await prepared.root.call('device', 'get', { device_id: did })) as Device
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/device/detail?sid=${sid}&did=${did}`)
  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Swap the camera…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Address of the new camera/ }).fill(camera.stream_address)
  await dialog.getByRole('textbox', { name: 'User name' }).fill(camera.username)
  await dialog.getByLabel('Password', { exact: true }).fill('wrong!')
  await press(dialog, 'Test the new camera')
  await dialog.getByRole('button', { name: 'Test again' }).waitFor()
  expect(await dialog.getByRole('button', { name: 'Swap and restart' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Password', { exact: true }).fill(camera.password)
  const { UUID, stream_address: itsStream, username, password } = camera
  const side = { device_name: 'Side door', site_id: sid, nimble_id: localNimbleId, UUID, username, password }
  const other = (await prepared.root.call('device', 'create', { ...side, stream_address: itsStream })) as Device
  // Another password is another question: the verdict on the old one is gone.
  await press(dialog, /^Test/)
  await dialog.getByText('This camera is already added as Side door').waitFor()
  expect(await dialog.getByRole('button', { name: 'Swap and restart' }).isDisabled()).toBe(true)
  await prepared.root.call('device', 'delete', { device_id: other.device_id })
  await press(dialog, 'Test again')
  await dialog.getByText('This camera is already added').waitFor({ state: 'detached' })
  await dialog.getByRole('img', { name: 'New camera' }).waitFor()
  const becomes = dialog.getByRole('list', { name: 'What becomes of the streams' })
  expect(await becomes.textContent()).toMatch(/To look at is removed: the new camera has none/)
  await sound(page)
  await press(dialog, 'Swap and restart')
  await dialog.waitFor({ state: 'hidden' })
  const after = (await prepared.root.call('device', 'get', { device_id: did })) as Device
  expect(after.device_source).toMatchObject([{ source_address: camera.stream_address }])
  expect(after.stream_address).toBe(camera.stream_address)
  expect(after.device_name).toBe(before.device_name)
  expect(after.source_channels.map(({ channel_id }) => channel_id).toSorted()).toEqual(
    before.source_channels.map(({ channel_id }) => channel_id).toSorted(),
  )
  const events = await prepared.root.call('event', 'range', { channel_id: cid, type: 1, event_limit: 1 } as never)
  expect(events).toHaveLength(1)
})

test('a small stream beside the large one, a tag for the cameras that were chosen, and the reason why one cannot be deleted', async () => {
  const { did, sid } = prepared.ids
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/device/detail?sid=${sid}&did=${did}`)
  await page.getByRole('tab', { name: 'Stream' }).click()
  await press(page, 'Add stream')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('Small')
  await dialog.getByRole('textbox', { name: /^Stream address/ }).fill('rtsp://192.0.2.20/small')
  // At another host than the camera, its password is asked for again.
  await dialog.getByText('Enter the password again: the stored one is not sent to another host').first().waitFor()
  await dialog
    .getByLabel(/^Password/)
    .first()
    .fill(prepared.camera.password)
  await dialog.getByRole('button', { name: 'Add stream' }).click()
  await page.getByText('rtsp://192.0.2.20/small').waitFor()
  await press(page, 'Actions for Small')
  await page.getByRole('menuitem', { name: 'Remove stream' }).click()
  await press(page.getByRole('dialog'), 'Remove stream')
  await page.getByText('rtsp://192.0.2.20/small').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete camera' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'At pplcnt' }).waitFor()
  await press(page.getByRole('dialog'), 'Close')

  await open(page, `/device?sid=${sid}`)
  await page.getByRole('checkbox', { name: 'Select Lobby' }).check()
  await press(page, 'Set a tag…')
  await page.getByRole('dialog').getByRole('textbox', { name: /^Tag/ }).fill('floor')
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: /^Value/ })
    .fill('ground')
  await press(page.getByRole('dialog'), 'Set on 1 camera')
  await page.getByText('floor ground').waitFor()
  await page.getByRole('textbox', { name: 'Filter cameras' }).fill('nothing like it')
  await page.getByText('Nothing matches').waitFor()
})

test('a configuration is replaced after its differences were seen, and a fault in it is named with its place', async () => {
  const { nimble_id } = await otherServer('Rack C')
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/configuration/detail?nid=${nimble_id}`)
  await press(page, 'Make a command')
  await page.getByText(/enrol http/).waitFor()
  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Replace configuration…' }).click()
  const dialog = page.getByRole('dialog')
  const document = dialog.getByRole('textbox', { name: 'Configuration as JSON' })
  const text = await document.inputValue()
  await document.fill(text.replace('"connection_timeout": 60', '"connection_timeout": 20'))
  await press(dialog, 'See what changes')
  await dialog.getByText('connection_timeout: Between 60 and 300').waitFor()
  await document.fill(text.replace('"connection_timeout": 60', '"connection_timeout": 90'))
  await press(dialog, 'See what changes')
  await dialog.getByText('2 lines differ. Nothing has been saved yet.').waitFor()
  await sound(page)
  await press(dialog, 'Replace configuration')
  await dialog.waitFor({ state: 'hidden' })
  const nimble = (await prepared.root.call('nimble', 'get', { nimble_id })) as Nimble
  expect(nimble.connection_timeout).toBe(90)
})

test('what sites store is read by super admins and admins alone, sorts, and costs nobody the list when it cannot be read', async () => {
  const { cuid, sid } = prepared.ids
  await prepared.root.call('site', 'create', {
    site_name: 'Empty yard',
    customer_id: cuid,
    site_address: { site_timezone: 'Europe/Paris' },
  })
  const asked: string[] = []
  const asksOf = async (role: Role) => {
    const page = await stage.as(usernameOf(role), { expected: [/ERR_FAILED/] })
    page.on('request', (request) => {
      if (request.url().includes('/storage/')) asked.push(role)
    })
    return page
  }
  for (const role of ['super_viewer', 'user', 'viewer'] as const) {
    const page = await asksOf(role)
    await open(page, '/site')
    expect(await page.getByRole('columnheader', { name: 'Storage' }).count()).toBe(0)
    await page.context().close()
  }
  expect(asked).toEqual([])

  const page = await asksOf('admin')
  await page.route('**/storage/data?*', (route) => route.abort())
  await open(page, '/site')
  await page.getByText('What the sites store could not be read.').waitFor()
  await page.getByRole('link', { name: 'Lyon DC' }).waitFor()
  await page.unroute('**/storage/data?*')
  await press(page, 'Try again')
  // What the sample camera's events take is known once the database has counted them.
  await until('it has counted them', async () => {
    const [site] = (await prepared.root.call('storage', 'data', { group: 'site', site_id: sid })) as StorageData[]
    return (site?.events ?? 0) > 0
  })
  const figures = page.getByRole('cell').filter({ hasText: /\d [KMG]?B$/ })
  await figures.first().waitFor()
  const column = page.getByRole('columnheader', { name: 'Storage' })
  await column.getByRole('button').click()
  await page.waitForURL(/sort=[^&]*storage/)
  await until('it is sorted', async () => (await column.getAttribute('aria-sort')) !== 'none')
  await sound(page)
})

test('sites change their customer, and a licence key is made and added on screen', async () => {
  const { cuid } = prepared.ids
  const other = (await prepared.root.call('customer', 'create', { customer_name: 'Blue Harbour' })) as Customer
  // To whom sites go that leave their customer.
  await prepared.root.call('customer', 'create', { customer_name: 'Unsold', is_default: true })
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, `/customer?cuid=${other.customer_id}`)
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Take over sites').first().fill('Lyon')
  await page.getByRole('option', { name: 'Lyon DC' }).click()
  await drawer.getByRole('button', { name: 'Take over' }).click()
  await drawer.getByRole('link', { name: 'Lyon DC' }).waitFor()
  await sound(page)
  // The last site that leaves takes the list with it, at once and without reading the page again.
  await drawer.getByRole('button', { name: /Lyon DC/ }).click()
  await drawer.getByText('No sites yet').waitFor()
  expect(await drawer.getByRole('link', { name: 'Lyon DC' }).count()).toBe(0)
  await prepared.root.call('customer', 'siteAssign', { customer_id: cuid, site_id: [prepared.ids.sid] })

  await open(page, '/license')
  await press(page, 'Issue a key…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^For/ }).fill('Blue Harbour')
  await press(dialog, 'Make the key')
  const field = dialog.getByRole('textbox', { name: 'Licence key' })
  await field.waitFor()
  await sound(page)
  const key = await field.inputValue()
  await press(dialog, 'Close')
  await press(page, 'Add licence')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('Harbour')
  await dialog.getByRole('textbox', { name: /^Licence key/ }).fill(key)
  await dialog.getByRole('button', { name: 'Add licence' }).click()
  await page.getByRole('heading', { name: 'Harbour' }).waitFor()
})

test('what somebody holds is seen and taken back, and a customer is told what it may attach', async () => {
  const { cuid, sid, did } = prepared.ids
  await addPerson(prepared.root, 'night.guard', 'viewer')
  const page = await stage.as(usernameOf('super_admin'))
  const dialog = page.getByRole('dialog').last()
  const give = async (within: Page | Locator) => {
    await within.getByLabel('Give it to', { exact: true }).first().fill('night.guard')
    await page.getByRole('option', { name: 'Test Person (night.guard) · Viewer' }).click()
    await within.getByRole('button', { name: 'Assign', exact: true }).click()
  }
  const take = async (within: Page | Locator) => {
    await within.getByRole('button', { name: 'Take it from Test Person' }).click()
    await dialog.getByRole('button', { name: 'Take away' }).click()
  }
  await open(page, `/site/detail?sid=${sid}&tab=users`)
  const reaching = page.getByRole('list', { name: 'Who reaches this site' })
  await reaching.getByText('by role').first().waitFor()
  await give(page)
  await reaching.getByText('assigned').waitFor()
  await sound(page)
  const people = await prepared.root.call('user', 'bySite', { site_id: sid })
  expect(
    (people as { username: string; by: string[] }[]).find(({ username }) => username === 'night.guard')?.by,
  ).toEqual(['site'])
  await take(page)
  await reaching.getByText('assigned').waitFor({ state: 'detached' })

  await open(page, `/customer?cuid=${cuid}`)
  const drawer = page.getByRole('dialog').first()
  await drawer.getByText('Nobody was given this customer').waitFor()
  await give(drawer)
  await take(drawer)
  await drawer.getByText('Nobody was given this customer').waitFor()

  await press(drawer, 'Change what may be attached')
  await drawer.getByRole('radio', { name: 'Only some' }).check()
  expect(await drawer.getByText('Choose at least one').count()).toBe(0)
  await press(drawer, 'Save')
  await drawer.getByText('Choose at least one').waitFor()
  await drawer.getByRole('checkbox', { name: 'People counting', exact: true }).check()
  await sound(page)
  await press(drawer, 'Save')
  await drawer.getByRole('button', { name: 'Change what may be attached' }).waitFor()
  await open(page, `/channel/add?did=${did}&uc=frdtec`)
  await page.getByText(/The customer of this camera may not attach: .*Fire/).waitFor()
  expect(await page.getByRole('radio').count()).toBe(1)
  await sound(page)
  await page.getByRole('link', { name: 'What the customer may attach' }).click()
  await press(drawer, 'Change what may be attached')
  await drawer.getByRole('radio', { name: 'All of them, also those to come' }).check()
  await press(drawer, 'Save')
  await drawer.getByText('All of them', { exact: true }).waitFor()
})

test('a second organization is made on screen, gets a customer, keeps events for less time, and goes when it is empty', async () => {
  const page = await stage.as(usernameOf('super_admin'), { expected: [/409 .*\/organization|status of 409/] })
  const dialog = page.getByRole('dialog')
  const kept = async () =>
    ((await prepared.root.call('organization', 'list', {})) as Organization[]).find(
      ({ organization_name }) => organization_name === 'Nord-Est',
    )
  await open(page, '/customer')
  await page.getByRole('link', { name: 'Organizations' }).click()
  await press(page, 'Add organization')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('Nord-Est')
  await sound(page)
  await press(dialog, 'Add organization')
  await page.getByRole('row', { name: /Nord-Est/ }).waitFor()
  const menu = async (item: string) => {
    await press(page, 'Actions for Nord-Est')
    await page.getByRole('menuitem', { name: item }).click()
  }
  await menu('Edit')
  await dialog.getByRole('textbox', { name: /^Days for which events/ }).fill('3')
  await dialog.getByText('is deleted within the hour').waitFor()
  await press(dialog, 'Save and delete what is older')
  await page.getByRole('row', { name: /3 days/ }).waitFor()
  expect(await kept()).toMatchObject({ raw_days: 3, rollup_days: 400 })

  await open(page, '/customer/add')
  await page.getByRole('textbox', { name: /^Customer/ }).fill('Rhine Freight')
  await page.getByLabel('Organization').first().click()
  await page.getByRole('option', { name: 'Nord-Est' }).click()
  for (let step = 0; step < 3; step++) await press(page, 'Next')
  await press(page, 'Create customer')
  await page.waitForURL(/\/customer\?cuid=/)
  const [customer] = (await prepared.root.call('customer', 'list', { q: 'Rhine' })) as [Customer]
  expect(customer.organization_id).toBe((await kept())?.organization_id)

  await open(page, '/customer?tab=organizations')
  const leave = async () => {
    await menu('Delete organization')
    await dialog.getByRole('textbox').fill('Nord-Est')
    await press(dialog, 'Delete organization')
  }
  await leave()
  await dialog.getByText('It is not empty; still there: 1 customer. Delete that first.').waitFor()
  await press(dialog, 'Cancel')
  await prepared.root.call('customer', 'destroy', { customer_id: customer.customer_id })
  await leave()
  await page.getByRole('row', { name: /Nord-Est/ }).waitFor({ state: 'detached' })
  expect(await kept()).toBeUndefined()
})

test('a camera that was added to the wrong site is moved with all it saw, after a look at who sees it then', async () => {
  const { sid, did, eid } = prepared.ids
  const root = prepared.root
  const { customer_id } = (await root.call('customer', 'create', { customer_name: 'Quayside' })) as Customer
  const { site_id } = (await root.call('site', 'create', {
    site_name: 'North quay',
    customer_id,
    site_address: { site_timezone: 'Europe/London', site_city: 'Leith', lat: 55.98, long: -3.17 },
  })) as Site
  await root.call('device', 'create', {
    device_name: 'Lobby',
    site_id,
    nimble_id: localNimbleId,
    device_tags: { quay: 'north' },
    stream_address: 'rtsp://192.0.2.19/1',
  })
  const page = await stage.as(usernameOf('super_admin'), { expected: [/400 .*\/device|status of 400/] })
  const dialog = page.getByRole('dialog')
  await open(page, `/device/detail?sid=${sid}&did=${did}`)
  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Move to another site' }).click()
  await dialog.getByLabel('To the site').first().fill('North')
  await page.getByRole('option', { name: 'North quay · Quayside' }).click()
  await dialog.getByText(/another customer’s site: people of Quayside will see what the camera saw for Acme/).waitFor()
  await dialog.getByText(/follow the clock of Europe\/London/).waitFor()
  await sound(page)
  await press(dialog, 'Move camera')
  await dialog.getByText('This name is in use').waitFor()
  await dialog.getByRole('textbox', { name: 'Name there' }).fill('Lobby two')
  await press(dialog, 'Move camera')
  await page.waitForURL((url) => url.searchParams.get('sid') === site_id)
  await page.getByRole('heading', { name: 'Lobby two', level: 1 }).waitFor()
  await page.getByText('North quay').first().waitFor()
  expect(await root.call('event', 'id', { event_uuid: eid })).toMatchObject({ site_id, customer_id })
  // The face of the site has it now, beside the other with its tag, and the map.
  await open(page, `/site/view?sid=${site_id}`)
  const tiles = page.getByRole('region', { name: 'Cameras' })
  await tiles.getByRole('link', { name: /Lobby two/ }).waitFor()
  await tiles.getByText('quay north').waitFor()
  await page.locator('.maplibregl-marker').waitFor()
  await sound(page)
  await root.call('device', 'update', { device_id: did, site_id: sid, device_name: 'Lobby' })
})

test("a site's place comes from its zip code and its picture from the camera at hand; cameras are looked for where one says, and give settings to others", async () => {
  const { did, sid } = prepared.ids
  const page = await stage.as(usernameOf('super_admin'), { expected: [/400 .*\/device\/discover|status of 400/] })
  await open(page, `/site/edit?sid=${sid}`)
  await page.getByRole('textbox', { name: 'Zip code' }).fill('69001')
  await page.getByLabel('Country').first().fill('France')
  await page.getByRole('option', { name: 'France', exact: true }).click()
  await press(page, 'Find the place')
  await page.getByText('Default location: somewhere in the area of 69001').waitFor()
  await page.locator('.maplibregl-marker').waitFor()
  await press(page, 'Take a picture')
  await page.getByRole('dialog').getByRole('button', { name: 'Take it' }).click()
  await page.getByRole('button', { name: 'Remove image' }).waitFor()
  await press(page, 'Save changes')
  await page.waitForURL(/\/site\/detail/)
  const { site_address, site_image } = (await prepared.root.call('site', 'get', { site_id: sid })) as Site
  expect([site_address.lat, site_address.long]).toEqual([45.8, 4.7])
  const picture = await page.request.get(`${stage.product.origin}${site_image}`)
  expect([picture.status(), picture.headers()['content-type']]).toEqual([200, expect.stringMatching(/^image\//)])

  await open(page, `/device/discover?sid=${sid}`)
  const range = page.getByRole('combobox', { name: /^Addresses to ask one by one/ })
  await range.fill('8.8.8.0/24')
  await press(page, 'Look for cameras')
  await page.getByText('Only private networks can be searched').waitFor()
  await range.fill('192.168.254.0/30')
  await press(page, /^Look/)
  await page.getByText(/^Looked in .*192\.168\.254\.0\/30, /).waitFor()
  // Stopped before the server has said that it began.
  const begun = Promise.withResolvers<void>()
  await page.route('**/device/discover', async (route) => {
    await begun.promise
    await route.continue()
  })
  await press(page, 'Listen longer')
  await press(page, 'Stop')
  begun.resolve()
  await page.getByText('The search was stopped').waitFor()

  await prepared.root.call('device', 'update', { device_id: did, device_tags: { wing: 'north' } })
  const { device_id } = (await prepared.root.call('device', 'create', {
    device_name: 'Ramp',
    site_id: sid,
    nimble_id: localNimbleId,
    stream_address: 'rtsp://192.0.2.44/ramp',
  })) as Device
  await open(page, `/device/detail?sid=${sid}&did=${did}`)
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy settings to others…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Tags' }).check()
  await dialog.getByLabel('To these cameras of the site').first().fill('Ramp')
  await page.getByRole('option', { name: 'Ramp' }).click()
  // What changes is seen before anything does.
  const planned = dialog.getByRole('list', { name: 'What changes' })
  await planned.getByText('Tags: – → wing=north').waitFor()
  expect(await dialog.getByRole('status').textContent()).toBe('1 camera changes')
  // News of cameras is read again; what would change is not asked again for it.
  let tries = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/device/copy')) tries++
  })
  const anew = page.waitForResponse(/\/device\/list\?/)
  await prepared.root.call('device', 'update', { device_id, onvif_port: 8080 })
  await anew
  expect(tries).toBe(0)
  await sound(page)
  expect(((await prepared.root.call('device', 'get', { device_id })) as Device).device_tags).toEqual({})
  await dialog.getByRole('button', { name: 'Copy to 1 camera' }).click()
  await dialog.getByText('Copied', { exact: true }).waitFor()
  expect(await dialog.getByRole('status').textContent()).toBe('Copied to 1 camera')
  // The pressed button went: the keyboard goes on at the one that is left.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close')
  const { device_tags } = (await prepared.root.call('device', 'get', { device_id })) as Device
  expect(device_tags).toEqual({ wing: 'north' })
  await prepared.root.call('user', 'configUpdate', { ui_config: { selected_customer_id: prepared.ids.cuid } })
  await open(page, '/site')
  await page.getByLabel('Tag').first().click()
  await page.getByRole('option', { name: 'wing north' }).click()
  await page.getByRole('link', { name: 'Lyon DC' }).waitFor()
})

test('copied settings are seen on every camera before, in French, in the dark, on a phone and by keyboard; who stays is named', async () => {
  const { root, ids } = prepared
  const camera = async (device_name: string, path: string, device_tags: Record<string, string>) =>
    (await root.call('device', 'create', {
      ...{ device_name, site_id: ids.sid, nimble_id: localNimbleId, device_tags },
      stream_address: `rtsp://192.0.2.46/${path}`,
    })) as Device
  const from = await camera('Quai A', 'a', { quai: 'A' })
  const [alike, other] = [await camera('Quai B', 'b', { quai: 'A' }), await camera('Quai C', 'c', { quai: 'C' })]
  await root.call('source', 'create', {
    ...{ device_id: other.device_id, source_name: 'Small', role: 'live' },
    source_address: 'rtsp://192.0.2.46/small',
  })
  await root.call('user', 'configUpdate', { ui_config: { language: 'fr', dark: true } })
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await open(page, `/device/detail?sid=${ids.sid}&did=${from.device_id}`)
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: /^Copier des réglages/ }).click()
  const dialog = page.getByRole('dialog')
  await focus(page, /^Étiquettes/)
  await page.keyboard.press('Space')
  await focus(page, /^Vers ces caméras/)
  for (const name of ['Quai B', 'Quai C']) {
    await page.keyboard.type(name)
    await until('it is the first that is offered', async () => {
      const [first] = await page.getByRole('option').allTextContents()
      return first === name
    })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await until(
      `${name} is chosen`,
      async () => (await dialog.locator('[class*=Pill-root]', { hasText: name }).count()) > 0,
    )
  }
  await page.keyboard.press('Escape')
  await dialog.getByText('Étiquettes\u00a0: quai=C → quai=A').waitFor()
  await dialog.getByText('Reste telle quelle\u00a0: Quai B').waitFor()
  await sound(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.screenshot({ path: `${shots}copy-settings-390.png` })
  await dialog.getByRole('checkbox', { name: 'Ce à quoi sert chaque flux' }).check()
  await dialog.getByText('Pas copié\u00a0: Elle a d’autres flux').waitFor()
  await dialog.getByRole('checkbox', { name: 'Ce à quoi sert chaque flux' }).uncheck()
  await dialog.getByRole('button', { name: 'Copier vers 1 caméra' }).click()
  await dialog.getByText('Copié', { exact: true }).waitFor()
  const tagsOf = async ({ device_id }: Device) =>
    ((await root.call('device', 'get', { device_id })) as Device).device_tags
  expect([await tagsOf(alike), await tagsOf(other)]).toEqual([{ quai: 'A' }, { quai: 'A' }])
  await root.call('user', 'configUpdate', { ui_config: { language: 'en', dark: false } })
})

test('a site of hundreds of cameras stays light: few nodes on the page, and searches that the server answers', async () => {
  const count = 400
  const { nimble_id } = await otherServer('Rack D')
  const site = (await prepared.root.call('site', 'create', {
    site_name: 'Terminal',
    customer_id: prepared.ids.cuid,
    site_address: { site_timezone: 'Europe/Paris' },
  })) as Site
  const cell = { username: '', password: '', onvif_port: '', UUID: '', device_tags: '', site_name: '', nimble_name: '' }
  const rows = Array.from({ length: count }, (_, index) => ({
    ...cell,
    device_name: `Gate ${String(index).padStart(4, '0')}`,
    stream_address: `rtsp://10.9.${index >> 8}.${index & 255}/1`,
  }))
  await prepared.root.call('device', 'import', { site_id: site.site_id, nimble_id, rows })
  const total = async () => {
    const { site_total_devices } = (await prepared.root.call('site', 'get', { site_id: site.site_id })) as Site
    return site_total_devices === count
  }
  await until('all are there', total, 120_000)
  const page = await stage.as(usernameOf('super_admin'))
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
  await open(page, `/device?sid=${site.site_id}`)
  await page.getByText('Terminal · 400 cameras').waitFor()
  await page.getByRole('link', { name: 'Gate 0000' }).waitFor()
  expect(await nodes()).toBeLessThan(1500)
  // Down to the end of what was read, again and again: what follows is fetched.
  const frame = page.getByRole('region', { name: 'Cameras' })
  await until('the end of the third hundred shows', async () => {
    await frame.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    return (await page.getByRole('link', { name: /^Gate 03/ }).count()) > 0
  })
  expect(await nodes()).toBeLessThan(1500)
  await page.getByRole('textbox', { name: 'Filter cameras' }).fill('Gate 0277')
  await page.getByRole('link', { name: 'Gate 0277' }).waitFor()
  await until('only that one', async () => (await page.getByRole('link', { name: /^Gate / }).count()) === 1)
  // What is chosen stays chosen while others are looked for.
  await page.getByRole('checkbox', { name: 'Select Gate 0277' }).check()
  await page.getByRole('textbox', { name: 'Filter cameras' }).fill('Gate 0315')
  await page.getByRole('checkbox', { name: 'Select Gate 0315' }).check()
  await page.getByText('2 selected').waitFor()
  await press(page, 'Set a tag…')
  await page.getByRole('dialog', { name: 'Tag of 2 cameras' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('2 selected').waitFor({ state: 'detached' })

  await press(page, /^Search cameras/)
  await page.getByRole('textbox', { name: /^Type a screen/ }).fill('Gate 0315')
  await page.locator('.mantine-Spotlight-action', { hasText: 'Gate 0315' }).waitFor()
  await page.keyboard.press('Escape')
  for (const path of ['/dashboard', '/analytic', `/site/detail?sid=${site.site_id}`, '/event', '/deployment']) {
    await open(page, path)
    expect(await nodes(), path).toBeLessThan(1500)
  }
})

test('of a thousand sites those beyond the first are found by name, in the order of the language, and stay chosen', async () => {
  const { root } = prepared
  const { customer_id } = (await root.call('customer', 'create', { customer_name: 'Thousand Shops' })) as Customer
  const shops = Array.from({ length: 1002 }, (_, index) => `Shop ${String(index).padStart(4, '0')}`)
  const names = [...shops, 'Wing Annex', 'Wing Zoo', 'Wing Élysée']
  for (let at = 0; at < names.length; at += 100)
    await root.call('site', 'import', {
      sites: names
        .slice(at, at + 100)
        .map((site_name) => ({ site_name, customer_id, site_address: { site_timezone: 'Europe/Paris' } })),
    })
  const [wing] = (await root.call('site', 'list', { q: 'Wing Zoo' })) as [Site]
  await root.call('user', 'configUpdate', { ui_config: { selected_customer_id: customer_id } })
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, '/customer')
  await page.getByRole('row', { name: /Thousand Shops.*1,005/ }).waitFor()
  await open(page, '/site?sort=name')
  await page.getByText('Thousand Shops · 1,005 sites').waitFor()
  const cut = page.getByText('Listed are the first 500 sites')
  await cut.waitFor()

  // Where one corrects a letter the next one goes too: the address, which comes later, moves nothing.
  const filter = page.getByRole('textbox', { name: 'Filter sites' })
  await filter.pressSequentially('Wg', { delay: 300 })
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('i')
  await until('the address follows', () => new URL(page.url()).searchParams.get('q') === 'Wig')
  await page.keyboard.press('n')
  expect(await filter.inputValue()).toBe('Wing')
  await page.getByRole('link', { name: 'Wing Zoo' }).waitFor()
  const rows = page.getByRole('row').filter({ has: page.getByRole('link', { name: /^Wing/ }) })
  expect(await rows.getByRole('link', { name: /^Wing/ }).allTextContents()).toEqual([
    'Wing Annex',
    'Wing Élysée',
    'Wing Zoo',
  ])
  expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-rowindex')))).toEqual(['2', '3', '4'])

  await page.getByRole('checkbox', { name: 'Select Wing Zoo' }).check()
  await filter.fill('Élysée')
  await page.getByRole('link', { name: 'Wing Zoo' }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select Wing Élysée' }).check()
  await page.getByText('2 selected').waitFor()
  await cut.waitFor()
  await sound(page)
  await page.screenshot({ path: `${shots}hierarchy-chosen-sites.png` })
  await press(page.getByRole('region', { name: 'Selection' }), 'Assign')
  await page.getByRole('dialog', { name: 'Assign 2 sites' }).waitFor()
  await page.keyboard.press('Escape')

  // A camera at such a site says where it is.
  const { nimble_id } = await otherServer('Rack F')
  await root.call('device', 'create', {
    device_name: 'Far away',
    site_id: wing.site_id,
    nimble_id,
    stream_address: 'rtsp://192.0.2.77/1',
  })
  await open(page, `/deployment?nid=${nimble_id}`)
  await page.getByRole('region', { name: 'Rack F' }).getByText('Wing Zoo').waitFor()
  await root.call('user', 'configUpdate', { ui_config: { selected_customer_id: prepared.ids.cuid } })
})
