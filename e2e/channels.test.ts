/** An analytic's life on the screens: attached, calibrated, counting, changed, diagnosed, broken and removed. */
import type { Channel, Job } from '@sightline/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axeFaults, openBrowser, type Watched } from './browser.ts'
import { focus, press } from './keyboard.ts'
import { pageOf, prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { type Product, startProduct, until } from './product.ts'

let product: Product
let browser: Browser
let watched: Watched
let prepared: Awaited<ReturnType<typeof prepareCamera>>

beforeAll(async () => {
  product = await startProduct()
  await registerFirst(product)
  prepared = await prepareCamera(product)
  browser = await openBrowser()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log([...(watched?.faults ?? []), product.output().slice(-2000)].join('\n'))
})
afterAll(async () => {
  await browser?.close()
  await product?.discard()
})

/** Keys, one after the other: `Shift+ArrowLeft*4 Space`. */
async function keys(page: Page, text: string): Promise<void> {
  for (const part of text.split(' ')) {
    const [key = '', times = '1'] = part.split('*')
    for (let i = 0; i < Number(times); i++) await page.keyboard.press(key)
  }
}

test('distances are attached, calibrated and counted by keyboard, a zone is moved, a dead camera is found, and the analytic removed', async () => {
  const { root, did, camera } = prepared
  // The news that the analytic is gone may come before its page is left, which then looks once more.
  const expected = [/404 .*\/channel\//, /status of 404/]
  watched = await pageOf(browser, product, usernameOf('super_admin'), { expected })
  const { page } = watched
  await page.goto(`${product.origin}/channel/add?did=${did}`)
  await focus(page, /People counting/)
  await page.getByRole('radio', { name: /Physical distancing/ }).focus()
  await page.keyboard.press('Space')
  await press(page, /^\W*Continue/)

  await press(page, /Set distances/)
  await keys(page, 'Shift+ArrowLeft*4 Shift+ArrowDown*8 Space Shift+ArrowRight*8 Space')
  await keys(page, 'Shift+ArrowUp*8 Shift+ArrowLeft*2 Space Shift+ArrowLeft*4 Space')
  await page.getByText('Floor 2 × 2 m').waitFor()
  expect(await axeFaults(page)).toEqual([])
  await press(page, /^\W*Continue/)
  await page.getByRole('heading', { name: 'Tune' }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await press(page, /^\W*Continue/)
  await press(page, /^\W*Attach$/)

  await page.waitForURL(/\/channel\/detail/)
  const [channel] = (await root.call('channel', 'mine', {})) as [Channel]
  await page.getByTestId('levels').waitFor({ timeout: 40_000 })
  expect(await page.getByTestId('levels').textContent()).toMatch(/Total/)
  const { pipeline_elements } = (await root.call('pipeline', 'get', { pipeline_id: channel.pipeline_id })) as {
    pipeline_elements: Record<string, unknown>
  }
  expect(pipeline_elements['calibration.image_points']).toBe('0.3,0.9 0.7,0.9 0.6,0.5 0.4,0.5')

  await press(page, /Zones and settings/)
  await page.getByRole('button', { name: /zone1.*4 points/ }).click()
  await press(page, /zone1, point 1:/)
  await keys(page, 'ArrowRight*3 Insert')
  await page.getByRole('button', { name: /zone1.*5 points/ }).waitFor()
  await press(page, /Save changes/)
  await page.waitForURL(/\/channel\/detail/)
  const [changed] = (await root.call('channel', 'mine', {})) as [Channel]
  expect(changed.zones[0]).toMatchObject({ name: 'zone1', static_id: channel.zones[0]?.static_id })
  expect(changed.zones[0]?.points.slice(0, 2)).toEqual([
    [0.03, 0],
    [0.515, 0],
  ])

  await press(page, /Diagnose/)
  await page.getByRole('heading', { name: 'Camera', exact: true }).waitFor()
  await press(page, /Troubleshoot/)
  await page.getByRole('img', { name: 'Picture just taken' }).waitFor()
  expect(
    await page
      .getByRole('listitem')
      .filter({ has: page.getByText('The camera sends pictures.') })
      .count(),
  ).toBe(1)
  expect(await page.getByText('Broken', { exact: true }).count()).toBe(0)
  expect(await axeFaults(page)).toEqual([])

  const { job_id } = (await root.call('channel', 'revive', { channel_id: channel.channel_id })) as { job_id: string }
  const revived = await until('it counts again', async () => {
    const job = (await root.call('job', 'get', { job_id })) as Job
    return job.state === 'completed' ? job : null
  })
  expect(revived.result).toMatchObject({ is_active: true, channel_state: 'running' })

  await root.call('channel', 'update', { channel_id: channel.channel_id, auto_recovery: false })
  await root.call('demo', 'fault', { UUID: camera.UUID, fault: 'cut' })
  await page.getByText('Look at this step first: Camera.').waitFor({ timeout: 30_000 })
  await press(page, /Force remove/)
  await page.getByRole('dialog').getByRole('button', { name: 'Force remove' }).click()
  await page.waitForURL(/\/device\/detail/)
  expect((await root.call('channel', 'mine', {})) as Channel[]).toEqual([])
  expect(watched.faults).toEqual([])
})
