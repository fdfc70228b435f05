import { afterEach, expect, test } from 'vitest'
import {
  formatBytes,
  formatDuration,
  formatLastLogin,
  formatSince,
  formatSiteTime,
  formatTime,
  otherZone,
  setClock,
  zoneOffset,
} from './format.ts'
import { i18n, loadLanguage, showLanguage } from './index.ts'

await loadLanguage('en')

// There is no page in this test: only the words change.
Object.assign(globalThis, { document: { documentElement: {} } })
afterEach(() => i18n.changeLanguage('en'))

test('times read YYYY-MM-DD HH:mm:ss in the zone that is asked for', () => {
  expect(formatTime('2026-05-04T22:00:00.123Z', 'Europe/Paris')).toBe('2026-05-05 00:00:00')
})

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [5 * 1024 ** 3, '5 GB'],
  [1024 ** 8, '1 YB'],
])('%d bytes read %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0, '0 s'],
  [59, '59 s'],
  [3600, '1 h'],
  [90_061, '1 d 1 h 1 min 1 s'],
])('%d seconds read %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})

test('a text writes how many as its language does', async () => {
  expect(i18n.t('device.meta', { count: 5025 })).toBe('5,025 cameras')
  expect(i18n.t('device.meta', { count: 1 })).toBe('1 camera')
  await showLanguage('fr')
  expect(i18n.t('device.meta', { count: 5025 })).toBe('5\u202f025 caméras')
})

test('bytes are octets in French', async () => {
  await showLanguage('fr')
  expect(formatBytes(5.3 * 1024 ** 3)).toBe('5,3 Go')
})

test('days have their French letter', async () => {
  await showLanguage('fr')
  expect(formatDuration(86_400)).toBe('1 j')
})

test('a last sign-in is a weekday within six days, then the whole date', () => {
  const now = new Date('2026-05-10T12:00:00Z')
  expect(formatLastLogin('2026-05-08T12:00:00Z', now)).toMatch(/^Friday \d\d:\d\d$/)
  expect(formatLastLogin('2026-05-01T12:00:00Z', now)).toMatch(/^2026-05-01 /)
  expect(formatLastLogin(null, now)).toBe('Never')
})

test('the offset of a zone is the one of that day', () => {
  expect(zoneOffset('Europe/Paris', new Date('2026-07-01T00:00:00Z'))).toBe('+02:00')
  expect(zoneOffset('Europe/Paris', new Date('2026-01-01T00:00:00Z'))).toBe('+01:00')
  expect(zoneOffset('UTC')).toBe('+00:00')
})

test('a zone is named where its clock differs from that of the viewer, and only there', () => {
  expect(otherZone('2026-07-01T00:00:00Z', 'America/New_York', 'Asia/Tokyo')).toBe('New York')
  expect(otherZone('2026-07-01T00:00:00Z', 'Europe/Berlin', 'Europe/Paris')).toBeNull()
  // In winter London shows what UTC shows, in summer it does not.
  expect(otherZone('2026-01-01T00:00:00Z', 'Europe/London', 'UTC')).toBeNull()
  expect(otherZone('2026-07-01T00:00:00Z', 'Europe/London', 'UTC')).toBe('London')
})

test('a moment at a site reads by its own clock, with its place when the viewer is elsewhere', () => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const away = here === 'Asia/Tokyo' ? 'Asia/Kathmandu' : 'Asia/Tokyo'
  const at = '2026-05-04T22:00:00Z'
  expect(formatSiteTime(at, here)).toBe(formatTime(at))
  expect(formatSiteTime(at, away, true)).toBe(`${formatTime(at, away).slice(11)} (${away.split('/')[1]})`)
})

test('since when something is so has its place, and its date from a day on, by the clock that was chosen', () => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const away = here === 'Asia/Tokyo' ? 'Asia/Kathmandu' : 'Asia/Tokyo'
  const place = ` (${away.split('/')[1]})`
  const at = '2026-05-04T22:05:11Z'
  const hoursOn = (hours: number) => Date.parse(at) + hours * 3_600_000
  expect(formatSince(at, here, hoursOn(1))).toBe(formatTime(at).slice(11, 16))
  expect(formatSince(at, away, hoursOn(1))).toBe(formatTime(at, away).slice(11, 16) + place)
  expect(formatSince(at, away, hoursOn(72))).toBe(formatTime(at, away).slice(0, 16) + place)
  setClock('mine')
  expect(formatSince(at, away, hoursOn(72))).toBe(formatTime(at).slice(0, 16))
  setClock('site')
})
