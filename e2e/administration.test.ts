/** What administrators look after: licences and their renewal, pipelines, the simulated cameras. */
import { generateKeyPairSync } from 'node:crypto'
import type { Channel, Device, License } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { expect, test } from 'vitest'
import { attach, prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, press, shots, sound } from './stage.ts'

let prepared: Awaited<ReturnType<typeof prepareCamera>>
let counting: Channel

const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepareCamera(product)
  counting = await attach(prepared.root, prepared.did, 'pplcnt', { channel_name: 'Entrance' })
})

const { open } = stage
const hourMs = 3_600_000

test('a licence that ends is told of 30, 7 and 1 days before and when it is over; another key, seen beforehand, takes its place', async () => {
  const { root } = prepared
  const issue = async (channels: number, lasts: number | null) =>
    (
      await root.call('license', 'issue', {
        customer: 'Acme Logistics',
        channels,
        until: lasts === null ? null : new Date(Date.now() + lasts).toISOString(),
      })
    ).license_key
  const { license_id } = (await root.call('license', 'create', {
    license_name: 'Harbour',
    license_key: await issue(8, 20 * 24 * hourMs),
  })) as License
  await root.call('nimble', 'license', { nimble_id: localNimbleId, license_id })
  await attach(root, prepared.did, 'pplcnt', { channel_name: 'Exit' })

  const page = await stage.as(usernameOf('super_admin'), { expected: [/4(00|09) .*\/license|status of 4(00|09)/] })
  await open(page, '/license')
  await page.getByText(/^Licence Harbour expires on /).waitFor()
  await press(page, 'Dismiss')
  await page.getByText(/^Licence Harbour expires on /).waitFor({ state: 'detached' })

  const dialog = page.getByRole('dialog')
  const key = dialog.getByRole('textbox', { name: /^Licence key/ })
  const replace = dialog.getByRole('button', { name: 'Replace the key' })
  const renew = async (license_key: string) => {
    await press(page, 'Actions for Harbour')
    await page.getByRole('menuitem', { name: 'Replace the key…' }).click()
    await key.fill(license_key)
    await dialog.getByRole('row', { name: /^Valid until/ }).waitFor()
    await replace.click()
    await dialog.waitFor({ state: 'detached' })
  }
  // Fewer channels than are in use: said before anything is replaced, and nothing is.
  await press(page, 'Actions for Harbour')
  await page.getByRole('menuitem', { name: 'Replace the key…' }).click()
  await key.fill(await issue(1, null))
  await dialog.getByText('This key allows 1 channel, and 2 are in use: remove some analytics first').waitFor()
  expect(await replace.isDisabled()).toBe(true)
  await key.fill('SL1.nonsense')
  await dialog.getByText(/This is not a licence key|not valid for this portal/).waitFor()
  await key.fill(await issue(3, 5 * 24 * hourMs))
  await dialog.getByRole('row', { name: 'Channels 8 3' }).waitFor()
  await sound(page)
  await replace.click()
  await dialog.waitFor({ state: 'detached' })
  // Put away at 30 days, it comes back at 7 …
  await page.getByText(/^Licence Harbour expires on /).waitFor()
  // … on the last day …
  await renew(await issue(3, 10 * hourMs))
  await page.getByText('Licence Harbour expires within a day.').waitFor()
  // … and when it is over.
  const end = Date.now() + 60_000
  await renew(await issue(3, 60_000))
  await until('the licence is over', async () => Date.now() > end + 1000)
  await open(page, `/channel/add?sid=${prepared.sid}&did=${prepared.did}`)
  await page.getByText('Licence Harbour has expired.').waitFor()
  // Nobody draws zones for what would be refused at the end.
  await page.getByRole('radio', { name: /^People counting/ }).check()
  await page.getByText('The licence has expired.', { exact: false }).last().waitFor()
  expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true)
  await sound(page)
  await open(page, '/license')
  await renew(await issue(4, null))
  await page.getByText('Licence Harbour has expired.').waitFor({ state: 'detached' })
  await open(page, `/channel/add?sid=${prepared.sid}&did=${prepared.did}`)
  // Of this licence alone: the one that comes with the product has sixteen more.
  await page.getByText('2 channels left (Harbour)').waitFor()
})

test('a pipeline is made, given to an analytic, changed with its cost said, and kept from going while it runs', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, `/configuration/detail?nid=${localNimbleId}`)
  await page.getByRole('tab', { name: 'Streams' }).click()
  await page.getByRole('row', { name: /Lobby .*Entrance/ }).waitFor()
  await sound(page)
  await page.getByRole('tab', { name: 'Pipelines' }).click()
  await page.getByRole('link', { name: 'Entrance' }).waitFor()
  await press(page, 'New pipeline')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('Night shift')
  await press(dialog, 'Pictures')
  const rate = dialog.getByLabel('Pictures analysed per second.')
  await rate.fill('99')
  expect(await dialog.getByRole('button', { name: 'New pipeline' }).isDisabled()).toBe(true)
  await rate.fill('3')
  await sound(page)
  await press(dialog, 'New pipeline')
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row', { name: /Night shift/ })
  await row.getByText('no analytic').waitFor()

  const { channel_id: cid, usecase_id: uid } = counting
  await open(page, `/channel/detail?did=${prepared.did}&cid=${cid}&uid=${uid}`)
  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Refactor…' }).click()
  await dialog.getByRole('combobox', { name: 'Pipeline' }).click()
  await page.getByRole('option', { name: 'Night shift' }).click()
  await dialog.getByText('It fits', { exact: false }).waitFor()
  await press(dialog, 'Apply and restart')
  await dialog.waitFor({ state: 'detached' })

  await open(page, `/configuration/detail?nid=${localNimbleId}&tab=pipelines&q=Night`)
  await row.getByRole('link', { name: 'Entrance' }).waitFor()
  // Its own step, in its own version.
  await row.getByText('Running').waitFor()
  await row.getByText(/^version \d+/).waitFor()
  await sound(page)
  await press(page, 'Actions for Night shift')
  await page.getByRole('menuitem', { name: 'Delete pipeline' }).click()
  await dialog.getByText('It stays as long as these analytics run it.', { exact: false }).waitFor()
  await dialog.getByRole('link', { name: 'Entrance' }).waitFor()
  await sound(page)
  await press(dialog, 'Close')
  await press(page, 'Actions for Night shift')
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await press(dialog, 'Pictures')
  await rate.fill('4')
  await dialog.getByText(/^1 analytic runs it and /).waitFor()
  // A reload asks first, and what was set comes back with the dialog.
  page.once('dialog', (asked) => void asked.accept())
  await page.reload()
  await press(page, 'Actions for Night shift')
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await dialog.getByText('What you typed before is back.').waitFor()
  await dialog.getByText(/^1 analytic runs it and /).waitFor()
  await press(dialog, 'Pictures')
  expect(await rate.inputValue()).toMatch(/^4\D/)
  await sound(page)
  // What was set does not go unasked.
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.keyboard.press('Escape')
  await sound(page)
  await press(question, 'Stay')
  await question.waitFor({ state: 'detached' })
  await press(dialog, 'Save')
  await dialog.waitFor({ state: 'detached' })
  // The one that came with the analytic is free now.
  await open(page, `/configuration/detail?nid=${localNimbleId}&tab=pipelines&q=Entrance`)
  await press(page, 'Actions for Entrance')
  await page.getByRole('menuitem', { name: 'Delete pipeline' }).click()
  await press(dialog, 'Delete pipeline')
  await page.getByRole('row', { name: /^Entrance / }).waitFor({ state: 'detached' })
  await row.waitFor()
})

test('a new pipeline that was begun comes back after a reload in another language, and is begun anew when it was left', async () => {
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await open(page, `/fr/configuration/detail?nid=${localNimbleId}&tab=pipelines`)
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Nom', exact: true })
  await press(page, 'Nouveau pipeline')
  await name.fill('Équipe de nuit')
  page.once('dialog', (asked) => void asked.accept())
  await page.reload()
  await press(page, 'Nouveau pipeline')
  expect(await name.inputValue()).toBe('Équipe de nuit')
  await sound(page)
  await page.screenshot({ path: `${shots}pipeline-draft-390.png` })
  await press(dialog, 'Annuler')
  await page
    .getByRole('dialog', { name: /^Quitter sans enregistrer/ })
    .getByRole('button', { name: 'Quitter' })
    .click()
  await dialog.waitFor({ state: 'detached' })
  await press(page, 'Nouveau pipeline')
  expect(await name.inputValue()).not.toBe('Équipe de nuit')
})

test('simulated cameras go with their analytics in one step, which says beforehand what goes', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, `/configuration/detail?nid=${localNimbleId}`)
  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Remove demo cameras…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Lobby').waitFor()
  await dialog.getByText('Entrance', { exact: false }).waitFor()
  await sound(page)
  await press(dialog, 'Remove demo cameras')
  await dialog.waitFor({ state: 'detached' })
  expect(await prepared.root.call('device', 'list', {})).toEqual([])
  expect(await prepared.root.call('demo', 'list', {})).toEqual([])
  await press(page, 'Actions')
  await page.getByRole('menuitem', { name: 'Remove demo cameras…' }).click()
  await dialog.getByText('There are no demo cameras.').waitFor()
})

test('the status says of each part how it is, also of what is not set up, in the language of the person', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await open(page, '/status')
  await page.getByRole('link', { name: 'Local edge server' }).waitFor()
  await page.getByText('not set up: no mail is sent').waitFor()
  await page.getByText('not set up: no text messages are sent').waitFor()
  await page.getByText('Work in the background').waitFor()
  await sound(page)
  await open(page, '/fr/status')
  await page.getByRole('link', { name: 'Serveur edge local' }).waitFor()
})

test('a licence whose signer does not count says why on its card, warns of no end, and is offered for nothing', async () => {
  const { root, sid } = prepared
  const issued = (until: Date) =>
    root.call('license', 'issue', { customer: 'Acme Logistics', channels: 5, until: until.toISOString() })
  const { license_key } = await issued(new Date(Date.now() + 20 * 24 * hourMs))
  const { license_id } = (await root.call('license', 'create', { license_name: 'Quay', license_key })) as License
  await root.call('nimble', 'license', { nimble_id: localNimbleId, license_id })
  const { device_id } = (await root.call('device', 'create', {
    ...{ device_name: 'Gate', site_id: sid, nimble_id: localNimbleId },
    stream_address: 'rtsp://198.51.100.9/gate',
  })) as Device
  const page = await stage.as(usernameOf('super_admin'), { expected: [/ERR_CONNECTION|WebSocket|status of 50/] })
  await open(page, '/license')
  await page.getByText(/^Licence Quay expires on /).waitFor()

  // From now on the portal's maker signs, and nobody else.
  const { publicKey } = generateKeyPairSync('ed25519')
  const vendor = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  await stage.restart({ LICENSE_PUBLIC_KEY: vendor })
  await open(page, '/license')
  const card = page.getByRole('article').filter({ hasText: 'Quay' })
  await card.getByText('Does not count', { exact: true }).waitFor()
  await card
    .getByText('its key is not signed by whoever issues the licences of this portal', { exact: false })
    .waitFor()
  await card.getByText('Its analytics go on; no new ones can be attached.', { exact: false }).waitFor()
  await page.getByText(/^Licence Quay /).waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Issue a key…' }).count()).toBe(0)
  await sound(page)
  await page.screenshot({ path: `${shots}license-foreign.png` })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.screenshot({ path: `${shots}license-foreign-390.png`, fullPage: true })
  await page.setViewportSize({ width: 1440, height: 900 })

  await open(page, `/channel/add?sid=${sid}&did=${device_id}`)
  await page.getByRole('radio', { name: /^People counting/ }).check()
  await page.getByText('The licence does not count here', { exact: false }).last().waitFor()
  expect(await page.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true)
  await sound(page)

  await open(page, '/configuration/add')
  const choice = page.getByRole('combobox', { name: /^Licence/ })
  expect(await choice.inputValue()).not.toContain('Quay')
  await choice.click()
  const option = page.getByRole('option', { name: /^Quay .* Does not count$/ })
  await option.waitFor()
  expect(await option.getAttribute('data-combobox-disabled')).toBe('true')
  await open(page, '/fr/license')
  await page.getByText('Ne compte pas', { exact: true }).first().waitFor()
  await page.screenshot({ path: `${shots}license-foreign-fr.png` })
}, 180_000)
