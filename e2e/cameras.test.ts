/** Cameras come in by a search of the edge server's networks, and by a file too long for one call. */
import type { Nimble, Site } from '@sightline/contract'
import { listenSeconds } from '@sightline/domain'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CameraNetwork, startCameraNetwork } from '../packages/simcam/src/testing/network.ts'
import { focus, press as pressKey } from './keyboard.ts'
import { prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, press, shots, sound } from './stage.ts'

const network = '10.249.9'
const range = `${network}.0/24`
let prepared: Awaited<ReturnType<typeof prepareCamera>>
let cameras: CameraNetwork | null = null

// Before the product, whose edge server tells of its networks when it starts.
beforeAll(async () => {
  cameras = await startCameraNetwork(network, [11, 12], [13])
}, 60_000)
const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepareCamera(product)
})
afterAll(() => cameras?.close())

/** What the next search asks for. */
const asked = async (page: Page, act: () => Promise<unknown>) => {
  const [request] = await Promise.all([page.waitForRequest(/\/device\/discover$/), act()])
  return request.postDataJSON() as { timeout: number; range?: string; interfaces?: string[] }
}
const withoutNetwork = 'skipped: cameras on a network of their own need root (or CAP_NET_ADMIN) and iproute2'
const found = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

test('a search is over within a second and tells whom it heard in vain; who waits longer keeps what was found, and a tested camera shows its picture', async ({
  skip,
}) => {
  if (!cameras) {
    console.log(withoutNetwork)
    return skip()
  }
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await stage.open(page, `/device/discover?sid=${prepared.sid}`)
  // The network of the edge server is offered, also by keyboard.
  const field = page.getByRole('combobox', { name: 'Addresses to ask one by one (optional)' })
  await focus(page, /^Addresses to ask/)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: range }).waitFor()
  await sound(page)
  await page.getByRole('option', { name: range }).click()
  expect(await field.inputValue()).toBe(range)

  expect(await asked(page, () => press(page, 'Look for cameras'))).toMatchObject({
    timeout: listenSeconds.first,
    range,
  })
  await found(page, 'Camera 1').waitFor()
  await found(page, 'Camera 2').waitFor()
  const inVain = page.getByRole('status').filter({ hasText: `${network}.13` })
  await inVain.getByText(/https/).waitFor()
  await page.getByText('A camera is missing? Some answer late.').waitFor()
  await sound(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.screenshot({ path: `${shots}discover-390.png`, fullPage: true })

  expect(await asked(page, () => pressKey(page, /^\W*Listen longer/))).toMatchObject({
    timeout: listenSeconds.longer,
    range,
  })
  await page.getByText('Listening for cameras that answer late …').waitFor()
  expect(await found(page, 'Camera 1').count()).toBe(1)
  await press(page, 'Stop')
  await page.getByText('The search was stopped').waitFor()
  expect(await found(page, 'Camera 2').count()).toBe(1)

  const box = page.getByRole('checkbox', { name: 'Select Camera 1' })
  await box.check()
  await page.getByLabel('User name of the cameras').fill('admin')
  await page.getByLabel('Password of the cameras').fill('network')
  await press(page, 'Test 1 camera')
  const picture = found(page, 'Camera 1').getByRole('img')
  await picture.waitFor({ timeout: 60_000 })
  await until('the picture is there', () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0))
  await box.uncheck()
  expect(await picture.count()).toBe(1)
  await page.screenshot({ path: `${shots}discover-tested-390.png`, fullPage: true })
})

test('the first run offers the same networks and range, folded away, in French and in the dark', async ({ skip }) => {
  if (!cameras) {
    console.log(withoutNetwork)
    return skip()
  }
  await prepared.root.call('user', 'configUpdate', { ui_config: { language: 'fr', dark: true } })
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await page.goto(`${stage.product.origin}/onboarding?step=cameras`)
  const field = page.getByRole('combobox', { name: 'Adresses à interroger une à une (facultatif)' })
  await page.getByRole('button', { name: 'Où chercher…' }).waitFor()
  expect(await field.isVisible()).toBe(false)
  await pressKey(page, /^\W*Où chercher/)
  await field.waitFor()
  for (const box of await page.getByRole('checkbox', { name: /^(?!.*10\.249\.9\.1).* · \d/ }).all()) await box.uncheck()
  await focus(page, /^Adresses à interroger/)
  await page.keyboard.type(range)
  await page.keyboard.press('Escape')
  const sent = await asked(page, () => press(page, 'Chercher des caméras'))
  expect(sent).toMatchObject({ timeout: listenSeconds.first, range, interfaces: [expect.any(String)] })
  await found(page, 'Camera 1').waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: `${network}.13` })
    .waitFor()
  await page.getByRole('button', { name: 'Écouter plus longtemps' }).waitFor()
  await sound(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.screenshot({ path: `${shots}discover-first-run-390.png`, fullPage: true })
  await prepared.root.call('user', 'configUpdate', { ui_config: { language: 'en', dark: false } })
})

test('a file of 1,203 cameras goes in as one, though a call takes 1,000: its faults, also between the two, stand in their rows', async () => {
  const { root, cuid } = prepared
  const [license] = (await root.call('license', 'list', {})) as { license_id: string }[]
  // It never comes: the cameras are only stored.
  const far = { name: 'Rack F', mode: 'enrolled', license_id: license?.license_id ?? '' } as const
  const { name } = (await root.call('nimble', 'create', far)) as Nimble
  const { site_id } = (await root.call('site', 'create', {
    ...{ site_name: 'Terminal', customer_id: cuid, site_address: { site_timezone: 'Europe/Paris' } },
  })) as Site
  const row = (i: number) => [`Gate ${String(i).padStart(4, '0')}`, `rtsp://10.9.${i >> 8}.${i & 255}/1`, name]
  const rows = Array.from({ length: 1203 }, (_, i) => row(i))
  // One beyond the first call is no camera, one is there in the first call already.
  ;(rows[1100] as string[])[1] = 'http://10.9.4.76'
  ;(rows[1150] as string[])[1] = row(3)[1] as string
  const file = [['device_name', 'stream_address', 'nimble_name'], ...rows].map((cells) => cells.join(',')).join('\n')

  const page = await stage.as(usernameOf('super_admin'))
  await stage.open(page, `/device/bulk?sid=${site_id}`)
  await page.getByText('From a file').click()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'terminal.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  await press(page, 'Check 1,203 rows')
  await page.getByText('1,201 ready · 2 failed').waitFor({ timeout: 60_000 })
  // All of them, and few on the page.
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(2000)
  const line = (text: string) => page.getByRole('row').filter({ hasText: text })
  const filter = page.getByRole('textbox', { name: 'Filter rows' })
  for (const [text, number, why] of [
    ['Gate 1100', '1101', /^Stream address: Enter an address like rtsp:/],
    ['Gate 1150', '1151', 'Row 4 of this file is the same camera'],
  ] as const) {
    await filter.fill(text)
    await line(text).getByText(number, { exact: true }).waitFor()
    await line(text).getByText(why).waitFor()
  }
  await sound(page)
  await page.screenshot({ path: `${shots}import-1203.png` })
  await filter.fill('')
  await press(page, 'Add 1,201 cameras')
  await page.getByText(/^1,201 added/).waitFor({ timeout: 240_000 })
  const { site_total_devices } = (await root.call('site', 'get', { site_id })) as Site
  expect(site_total_devices).toBe(1201)
  await press(page, 'To the cameras')
  await page.getByRole('link', { name: 'Gate 0000' }).waitFor()
})
