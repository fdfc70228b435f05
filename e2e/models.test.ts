import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colourDetector } from '../packages/domain/src/testing/onnx-file.ts'
import { axeFaults, openBrowser } from './browser.ts'
import { pageOf, prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { type Product, startProduct } from './product.ts'

const shots = fileURLToPath(new URL('./out/', import.meta.url))
let product: Product
let browser: Browser
beforeAll(async () => {
  mkdirSync(shots, { recursive: true })
  product = await startProduct()
  browser = await openBrowser()
  await registerFirst(product)
  await prepareCamera(product)
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await product?.discard()
})

test('a model is uploaded, seen at work, given its labels, added and deleted; what is no model is refused in words', async () => {
  const { page, faults } = await pageOf(browser, product, usernameOf('super_admin'), { expected: [/400/] })
  const file = join(tmpdir(), `helmets-${process.pid}.onnx`)
  const choose = async (bytes: Uint8Array) => {
    writeFileSync(file, bytes)
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles(file)
  }
  await page.goto(`${product.origin}/model`)
  await page.getByText('No detection models yet').waitFor()
  await page.getByRole('button', { name: 'Add a model' }).first().click()
  await choose(Buffer.from('PK\u0003\u0004 weights'))
  await page.getByText('This is an archive (a PyTorch .pt file, for example). Export the model as .onnx.').waitFor()

  await choose(colourDetector('yolov8', 320, ['Hardhat', 'NO-Hardhat', 'banana']))
  await page.getByRole('img', { name: 'The picture that the model was tried on' }).waitFor({ timeout: 60_000 })
  await page.screenshot({ path: `${shots}model-confirm.png` })
  expect(await axeFaults(page)).toEqual([])
  const classes = page.getByRole('group', { name: 'What its classes mean' })
  expect(
    await classes.getByRole('combobox').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
  ).toEqual(['Helmet', 'No helmet', ''])
  await page.getByLabel('Name', { exact: false }).first().fill('Helmets of the site')
  await page.getByRole('button', { name: 'Confirm and add' }).click()
  await page.getByRole('heading', { name: 'Helmets of the site' }).waitFor({ timeout: 60_000 })
  await page.screenshot({ path: `${shots}model-list.png` })
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete the model Helmets of the site' }).click()
  await page.getByRole('button', { name: 'Delete model' }).click()
  await page.getByText('No detection models yet').waitFor()
  expect(faults).toEqual([])
}, 180_000)
