import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { colourDetector, colourEmbedder } from '../packages/domain/src/testing/onnx-file.ts'
import { axeFaults } from './browser.ts'
import { addPerson, prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, shots } from './stage.ts'

let ids: Awaited<ReturnType<typeof prepareCamera>>
const stage = createStage(async (product) => {
  await registerFirst(product)
  ids = await prepareCamera(product)
})

const kept = (name: string, bytes: Uint8Array): string => {
  const file = join(tmpdir(), `${process.pid}-${name}`)
  writeFileSync(file, bytes)
  return file
}
const choose = async (page: Page, button: string, file: string) => {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).click(),
  ])
  await chooser.setFiles(file)
}

/** Grey, with these colours as what the detector calls faces. */
async function picture(...colours: string[]): Promise<Buffer> {
  const patches = colours.map(async (background, i) => ({
    input: await sharp({ create: { width: 128, height: 128, channels: 3, background } })
      .png()
      .toBuffer(),
    ...{ left: 128 + 384 * i, top: 512 },
  }))
  const grey = { create: { width: 1280, height: 1280, channels: 3 as const, background: 'rgb(114,114,114)' } }
  return sharp(grey)
    .composite(await Promise.all(patches))
    .png()
    .toBuffer()
}

test('from two models to a known person: added, attached, allowed, enrolled, refused in words, deleted', async () => {
  const page = await stage.as(usernameOf('super_admin'), { expected: [/400|409/] })
  const addModel = async (name: string, bytes: Uint8Array) => {
    await page.getByRole('button', { name: 'Add a model' }).first().click()
    await choose(page, 'Choose a file', kept(`${name}.onnx`, bytes))
    await page.getByRole('img', { name: 'The picture that the model was tried on' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
  }
  await page.goto(`${stage.product.origin}/model`)
  await addModel('Finds faces', colourDetector('yolov8', 320, ['face', 'face2', 'face3']))
  await page.getByRole('button', { name: 'Confirm and add' }).click()
  await page.getByRole('heading', { name: 'Finds faces' }).waitFor()
  await addModel('Compares faces', colourEmbedder())
  await page.getByText('It answers a vector of 3 numbers').waitFor()
  await page.screenshot({ path: `${shots}faces-model.png` })
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Confirm and add' }).click()
  await page.getByRole('heading', { name: 'Compares faces' }).waitFor()

  // Before the site allows it, the way there is shown.
  await page.goto(`${stage.product.origin}/site/detail?sid=${ids.sid}&tab=faces`)
  await page.getByText('Nobody is known here').waitFor()
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('required', { exact: false }).first().waitFor()
  await page.screenshot({ path: `${shots}faces-off.png`, fullPage: true })
  expect(await axeFaults(page)).toEqual([])

  await page.goto(`${stage.product.origin}/channel/add?sid=${ids.sid}&did=${ids.did}`)
  await page.getByText('Face recognition', { exact: true }).first().click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This site does not compare faces yet').waitFor()
  for (const [field, model] of [
    [/makes a vector of a face/, 'Compares faces'],
    [/^The uploaded model\./, 'Finds faces'],
  ] as const) {
    await page.getByRole('combobox', { name: field }).click()
    await page.getByRole('option', { name: model }).click()
  }
  await page.screenshot({ path: `${shots}faces-add.png`, fullPage: true })
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Attach', exact: true }).click()
  await page.waitForURL(/channel\/detail/)
  await page.getByText('Zones and settings').waitFor()
  await page.getByText('Face recognition is switched off at this site').first().waitFor()
  await page.screenshot({ path: `${shots}faces-channel.png` })

  await page.goto(`${stage.product.origin}/site/detail?sid=${ids.sid}&tab=faces`)
  await page.getByRole('textbox', { name: 'What people are told' }).fill('Faces of staff who agreed are compared here.')
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('Faces are compared here', { exact: true }).waitFor()
  await page.getByText(`Switched on by ${usernameOf('super_admin')}`, { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Add a person' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill("Ada O'Red")
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: "Ada O'Red" }).waitFor()
  await choose(page, 'Add a picture', kept('two.png', await picture('rgb(255,0,0)', 'rgb(0,0,255)')))
  await page.getByText('2 faces were found. Choose a picture of one person.').waitFor()
  await choose(page, 'Add a picture', kept('one.png', await picture('rgb(255,0,0)')))
  await page.getByRole('img', { name: "Face of Ada O'Red" }).waitFor()
  await page.getByText('128 px tall').waitFor()
  await page.getByRole('textbox', { name: 'Days for which people are known' }).fill('30')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText(/^Known until \d{4}-\d\d-\d\d$/).waitFor()
  await page.screenshot({ path: `${shots}faces-known.png`, fullPage: true })
  expect(await axeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.screenshot({ path: `${shots}faces-phone.png`, fullPage: true })
  await until('nothing is wider than the window', () =>
    page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
  )
  await page.setViewportSize({ width: 1440, height: 900 })

  // Who only looks sees names alone.
  await addPerson(ids.root, usernameOf('viewer'), 'viewer')
  const [{ user_id } = { user_id: '' }] = (
    (await ids.root.call('user', 'list', {})) as { user_id: string; username: string }[]
  ).filter(({ username }) => username === usernameOf('viewer'))
  await ids.root.call('site', 'assign', { user_id, site_id: [ids.sid] })
  const viewer = await stage.as(usernameOf('viewer'))
  await viewer.goto(`${stage.product.origin}/fr/site/detail?sid=${ids.sid}&tab=faces`)
  await viewer.getByRole('heading', { name: "Ada O'Red" }).waitFor()
  await viewer.getByText('1 image').waitFor()
  expect(await viewer.getByRole('img', { name: /Ada/ }).count()).toBe(0)
  expect(await viewer.getByRole('button', { name: /Activer|Désactiver|Ajouter/ }).count()).toBe(0)
  await viewer.screenshot({ path: `${shots}faces-viewer.png`, fullPage: true })

  await page.getByRole('button', { name: "Actions for Ada O'Red" }).click()
  await page.getByRole('menuitem', { name: 'Delete person' }).click()
  await page.getByRole('button', { name: 'Delete person' }).click()
  await page.getByText('Nobody is known here').waitFor()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('Faces are not compared here.', { exact: false }).waitFor()
})
