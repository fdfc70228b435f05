/** Working a page with keys alone. */
import type { Page } from 'playwright-core'

/** Name of the focused element as assistive technology hears it, roughly: label, own text, or what describes it. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    // A container has the words of all it holds: only what can be pressed or filled has a name here.
    if (!element?.matches('a, button, input, select, textarea, [role=radio], [role=option], [role=switch]')) return ''
    const labels =
      element instanceof HTMLInputElement ? [...(element.labels ?? [])].map((label) => label.textContent) : []
    const texts = [element.getAttribute('aria-label'), ...labels, element.textContent]
    return texts.filter(Boolean).join(' | ')
  })

/** Tabs until the focus is on something of that name. */
export async function focus(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = []
  for (let step = 0; step < 120; step++) {
    const now = await focusedName(page)
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
  await page.waitForFunction(
    (source) =>
      [...document.querySelectorAll('button, a, input')].some((element) => {
        const text = `${element.getAttribute('aria-label') ?? ''} ${element.textContent}`
        return new RegExp(source, 'u').test(text) && !(element as HTMLButtonElement).disabled
      }),
    name.source,
  )
  await focus(page, name)
  await page.keyboard.press(key)
}
