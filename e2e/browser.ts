/** A real Chromium in which any console error, page error or request to another origin fails the test. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { patienceMs } from './product.ts'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  // A picture that Chromium draws itself stands for the camera of the person's computer.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
]

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })

export type Watched = { context: BrowserContext; page: Page; faults: string[] }

/**
 * A page whose faults are collected: assert `faults` empty at the end. `expected` are texts of errors that the test
 * itself provokes (a refused call is logged by the browser as an error).
 */
export async function openPage(
  browser: Browser,
  origin: string,
  options: { width?: number; height?: number; dark?: boolean; locale?: string; expected?: RegExp[] } = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    locale: options.locale ?? 'en-US',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const faults: string[] = []
  const note = (text: string) => {
    if (!options.expected?.some((pattern) => pattern.test(text))) faults.push(text)
  }
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) note(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  page.on('pageerror', (error) => note(`page: ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(data|blob|about|chrome):/.test(url) && new URL(url).host !== new URL(origin).host)
      note(`foreign request: ${url}`)
  })
  return { context, page, faults }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious and critical violations of WCAG 2.2 AA that axe-core finds on the page. @param also ids of further rules */
export async function axeFaults(page: Page, also: string[] = []): Promise<string[]> {
  // Through the debugger protocol, as the page's own policy forbids inline scripts.
  await page.evaluate(axeSource)
  return page.evaluate(async (also) => {
    const axe = (globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }).axe
    type Violation = { id: string; impact: string; nodes: { target: string[] }[] }
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'],
      rules: Object.fromEntries(also.map((id) => [id, { enabled: true }])),
      resultTypes: ['violations'],
    })
    return violations
      .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || also.includes(id))
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
  }, also)
}
