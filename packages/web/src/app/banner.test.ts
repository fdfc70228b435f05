import { beforeEach, expect, test } from 'vitest'
import { type Banner, banners, clearBanner, currentBanner, dismissBanner, setBanner } from './banner.ts'

const banner = (id: string, more: Partial<Banner> = {}): Banner => ({
  id,
  version: '1',
  message: id,
  color: 'warn',
  icon: 'plug',
  ...more,
})
const shown = () => currentBanner(banners.get())?.id ?? null

beforeEach(() => banners.set({ all: [], dismissed: {} }))

test('the worst condition takes the one slot', () => {
  setBanner(banner('edge'))
  setBanner(banner('server', { color: 'bad' }))
  expect(shown()).toBe('server')
  clearBanner('server')
  expect(shown()).toBe('edge')
})

test('a dismissed banner stays away until its condition changes', () => {
  setBanner(banner('edge'))
  dismissBanner(banner('edge'))
  setBanner(banner('edge', { message: 'the same condition, said again' }))
  expect(shown()).toBeNull()
  setBanner(banner('edge', { version: '2' }))
  expect(shown()).toBe('edge')
})
