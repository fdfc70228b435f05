/** Working a page with keys alone. */
import type { Page } from 'playwright-core'
import { until } from './product.ts'

/**
 * Name of an element as assistive technology hears it, roughly: label, own text, or what describes it. A container has the
 * words of all it holds: only what can be pressed or filled has a name here, and what cannot be at the moment has none.
 */
const names = (page: Page, which: 'all' | 'focused'): Promise<string[]> =>
  page.evaluate((which) => {
    const named = 'a, button, input, select, textarea, [role=radio], [role=option], [role=switch]'
    const focused = document.activeElement?.matches(named) ? [document.activeElement] : []
    const elements = which === 'all' ? [...document.querySelectorAll(named)] : focused
    return elements
      .filter((element) => !(element as HTMLButtonElement).disabled)
      .map((element) => {
        const labels =
          element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((label) => label.textContent) : []
        return [element.getAttribute('aria-label'), ...labels, element.textContent].filter(Boolean).join(' | ')
      })
  }, which)

/** Tabs until the focus is on something of that name, once there is such a thing. */
export async function focus(page: Page, name: RegExp): Promise<void> {
  await until(`${name} can be reached`, async () => (await names(page, 'all')).some((one) => name.test(one)))
  const seen: string[] = []
  for (let step = 0; step < 120; step++) {
    const [now = ''] = await names(page, 'focused')
    if (name.test(now)) return
    seen.push(now.slice(0, 40))
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached ${name}; it passed ${[...new Set(seen)].join(' › ')}`)
}

/** Focuses a field and writes into it, replacing what was there. */
export async function write(page: Page, field: RegExp, text: string): Promise<void> {
  await focus(page, field)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

/** Focuses a button, link or choice and presses it. */
export async function press(page: Page, name: RegExp, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await focus(page, name)
  await page.keyboard.press(key)
}
