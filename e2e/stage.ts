/** For the tests of one file: the product, and pages of a real browser whose faults fail the test that opened them. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { axeFaults, openBrowser, type openPage, type Watched } from './browser.ts'
import { isBusy, pageOf, titleOf } from './prepared.ts'
import { type Product, startProduct, until } from './product.ts'

/** Pictures of what was seen, for people to look at; not kept in the repository. */
export const shots = fileURLToPath(new URL('./out/', import.meta.url))

export type Stage = {
  /** From the set-up on. */
  readonly product: Product
  readonly browser: Browser
  /**
   * A page on which somebody is signed in, nobody without a name; closed after the test, which fails when a fault was
   * seen on it.
   */
  as(username: string | null, options?: Parameters<typeof openPage>[2]): Promise<Page>
  /** Ends the product and starts it on its data again, with these settings beside its own. */
  restart(env: Record<string, string>): Promise<void>
  /** Goes to an address and waits until its screen has a title and nothing on it is busy. */
  open(page: Page, address: string): Promise<void>
}

export const press = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name }).first().click()
export const sound = async (page: Page) => expect(await axeFaults(page)).toEqual([])

/** Starts the product before the tests of this file, and discards it after them. */
export function createStage(setUp?: (product: Product) => Promise<unknown>): Stage {
  let product: Product
  let browser: Browser
  let opened: Watched[] = []

  beforeAll(async () => {
    mkdirSync(shots, { recursive: true })
    product = await startProduct()
    browser = await openBrowser()
    await setUp?.(product)
  })
  afterEach(async ({ task }) => {
    const pages = opened
    opened = []
    if (task.result?.state === 'fail') {
      console.log(product.output().slice(-2000))
      for (const [i, { page }] of pages.entries()) {
        if (page.isClosed()) continue
        console.log(page.url())
        await page.screenshot({ path: `${shots}failed-${task.name.slice(0, 32)}-${i}.png` })
      }
    }
    for (const { context } of pages) await context.close()
    // As one text, which a report without the difference tells too.
    expect(pages.flatMap(({ faults }) => faults).join('\n')).toBe('')
  })
  afterAll(async () => {
    await browser?.close()
    await product?.discard()
  })

  return {
    get product() {
      return product
    },
    get browser() {
      return browser
    },
    async as(username, options) {
      const watched = await pageOf(browser, product, username, options)
      opened.push(watched)
      return watched.page
    },
    async restart(env) {
      const { dataDir, origin } = product
      await product.stop()
      product = await startProduct({ dataDir, port: Number(new URL(origin).port), env })
    },
    async open(page, address) {
      await page.goto(product.origin + address)
      const path = new URL(address, product.origin).pathname
      await until(`${path} shows`, async () => {
        if (new URL(page.url()).pathname !== path) throw new Error(`it is at ${page.url()}`)
        return (await titleOf(page)) !== null && !(await isBusy(page))
      })
    },
  }
}
