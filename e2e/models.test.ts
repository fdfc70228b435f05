import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, Pipeline } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { colourDetector } from '../packages/domain/src/testing/onnx-file.ts'
import { axeFaults } from './browser.ts'
import { focus } from './keyboard.ts'
import { prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { createStage, shots } from './stage.ts'

let prepared: Awaited<ReturnType<typeof prepareCamera>>
const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepareCamera(product)
})

async function chooseFile(page: Page, button: string, bytes: Uint8Array) {
  const file = join(tmpdir(), `helmets-${process.pid}.onnx`)
  writeFileSync(file, bytes)
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).click(),
  ])
  await chooser.setFiles(file)
}

test('a model is uploaded, seen at work, given its labels, added and deleted; what is no model is refused in words', async () => {
  const page = await stage.as(usernameOf('super_admin'), { expected: [/400/] })
  const choose = (bytes: Uint8Array) => chooseFile(page, 'Choose a file', bytes)
  await page.goto(`${stage.product.origin}/model`)
  await page.getByText('No detection models yet').waitFor()
  await page.getByRole('button', { name: 'Add a model' }).first().click()
  await choose(Buffer.from('PK\u0003\u0004 weights'))
  await page.getByText('This is an archive (a PyTorch .pt file, for example). Export the model as .onnx.').waitFor()

  // Given up while it is tried: the answer that comes after that brings nothing back.
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async (route: Route) => {
    asked.resolve()
    await answered.promise
    await route.continue()
  }
  await page.route('**/model/check', hold, { times: 1 })
  const file = colourDetector('yolov8', 320, ['Hardhat', 'NO-Hardhat', 'banana'])
  await choose(file)
  await asked.promise
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  const checked = page.waitForResponse(/\/model\/check$/)
  answered.resolve()
  await (await checked).finished()
  await page.getByRole('button', { name: 'Add a model' }).first().click()
  await choose(file)
  await page.getByRole('img', { name: 'The picture that the model was tried on' }).waitFor()
  await page.screenshot({ path: `${shots}model-confirm.png` })
  expect(await axeFaults(page)).toEqual([])
  const classes = page.getByRole('group', { name: 'What its classes mean' })
  expect(
    await classes.getByRole('combobox').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
  ).toEqual(['Helmet', 'No helmet', ''])
  await page.getByLabel('Name', { exact: false }).first().fill('Helmets of the site')
  await page.getByRole('button', { name: 'Confirm and add' }).click()
  await page.getByRole('heading', { name: 'Helmets of the site' }).waitFor()
  await page.screenshot({ path: `${shots}model-list.png` })
  expect(await axeFaults(page)).toEqual([])
  // As long as a pipeline names it, it stays, and says which.
  const { root } = prepared
  const [model] = (await root.call('model', 'list', {})) as Model[]
  const { pipeline_id } = (await root.call('pipeline', 'create', {
    pipeline_name: 'With helmets',
    nimble_id: localNimbleId,
    pipeline_usecase: 'pplcnt',
    pipeline_elements: { 'detector.model': model?.model_id ?? '' },
  })) as Pipeline
  await page.getByText('1 pipeline', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete the model Helmets of the site' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'With helmets' }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await root.call('pipeline', 'delete', { pipeline_id })
  await page.getByText('1 pipeline', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete the model Helmets of the site' }).click()
  await page.getByRole('button', { name: 'Delete model' }).click()
  await page.getByText('No detection models yet').waitFor()
})

test('of 300 classes without names any gets its meaning: by number, by a pasted list, and nothing is lost on the way', async () => {
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await page.goto(`${stage.product.origin}/model`)
  await page.getByText('No detection models yet').waitFor()
  await page.getByRole('button', { name: 'Add a model' }).first().click()
  await chooseFile(page, 'Choose a file', colourDetector('yolov8', 640, [], null, 297))
  const found = page.getByRole('img', { name: 'The picture that the model was tried on' })
  await found.waitFor({ timeout: 60_000 })
  const classes = page.getByRole('group', { name: 'What its classes mean' })
  const meaning = (name: string) => classes.getByRole('combobox', { name, exact: true })
  await page.getByText('The model tells 300 classes apart.').waitFor()
  // Not 300 fields.
  expect(await classes.getByRole('combobox').count()).toBeLessThan(10)

  // By its number, with the keyboard alone.
  await focus(page, /^Another class/)
  await page.keyboard.type('217')
  await page.getByRole('option', { name: 'Class 217' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await meaning('Class 217').waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox')
  await meaning('Class 217').click()
  await page.getByRole('option', { name: 'Forklift', exact: true }).click()
  expect(await axeFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)

  const list = Array.from({ length: 301 }, (_, i) => ({ 3: 'person', 299: 'hard hat' })[i] ?? `thing ${i}`)
  await classes.getByRole('textbox', { name: 'Names of the classes' }).fill(list.join('\n'))
  await page.getByText('301 names read. The model has only 300 classes: what is listed beyond is not used.').waitFor()
  const values = async () =>
    Promise.all(['person', 'thing 217', 'hard hat'].map(async (name) => await meaning(name).inputValue()))
  expect(await values()).toEqual(['Person', 'Forklift', 'Helmet'])
  await classes.getByRole('combobox', { name: 'Another class' }).fill('thing 150')
  await page.getByRole('option', { name: '150 · thing 150' }).waitFor()
  await page.keyboard.press('Escape')
  await page.screenshot({ path: `${shots}model-classes-390.png` })

  // Another picture tries the model anew, and a reload loses the dialog: neither what was said in it.
  await chooseFile(
    page,
    'Try another picture',
    readFileSync(new URL('../packages/server/src/model/test-picture.jpg', import.meta.url)),
  )
  await found.waitFor({ state: 'detached' })
  await found.waitFor({ timeout: 60_000 })
  expect(await values()).toEqual(['Person', 'Forklift', 'Helmet'])
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: 'Add a model' }).first().click()
  await found.waitFor({ timeout: 60_000 })
  expect(await values()).toEqual(['Person', 'Forklift', 'Helmet'])
  await page.getByRole('button', { name: 'Confirm and add' }).click()
  await page.getByText('No detection models yet').waitFor({ state: 'detached', timeout: 60_000 })
  const [model] = (await prepared.root.call('model', 'list', {})) as Model[]
  expect(model?.labels).toEqual({ 3: 'person', 217: 'forklift', 299: 'helmet' })
})
