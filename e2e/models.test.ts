import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, Pipeline } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { expect, test } from 'vitest'
import { colourDetector } from '../packages/domain/src/testing/onnx-file.ts'
import { axeFaults } from './browser.ts'
import { prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { createStage, shots } from './stage.ts'

let prepared: Awaited<ReturnType<typeof prepareCamera>>
const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepareCamera(product)
})

test('a model is uploaded, seen at work, given its labels, added and deleted; what is no model is refused in words', async () => {
  const page = await stage.as(usernameOf('super_admin'), { expected: [/400/] })
  const file = join(tmpdir(), `helmets-${process.pid}.onnx`)
  const choose = async (bytes: Uint8Array) => {
    writeFileSync(file, bytes)
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles(file)
  }
  await page.goto(`${stage.product.origin}/model`)
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
}, 180_000)
