/** Waits until `condition` holds; fails after `ms` with what was waited for. */
export async function until(condition: () => unknown, what: string, ms = 60_000): Promise<void> {
  const end = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
