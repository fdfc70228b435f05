import { expect, test, vi } from 'vitest'
import { createSoon } from './soon.ts'

test('what is told again and again is looked for once in two seconds, and for the last time after it', () => {
  vi.useFakeTimers()
  try {
    let looked = 0
    const { soon, stop } = createSoon()
    for (let ms = 0; ms < 10_000; ms += 100) {
      soon(() => looked++)
      vi.advanceTimersByTime(100)
    }
    expect(looked).toBe(5)
    soon(() => looked++)
    vi.advanceTimersByTime(2000)
    expect(looked).toBe(6)
    soon(() => looked++)
    stop()
    vi.advanceTimersByTime(10_000)
    expect(looked).toBe(6)
  } finally {
    vi.useRealTimers()
  }
})
