import { expect, test } from 'vitest'
import { countryCode, draftOf, judgeRows, type SiteRow } from './columns.ts'

const place = { customer_id: '0192d3c0-0000-7000-8000-000000000001', timezone: 'Europe/Paris' }
const row = (change: Partial<SiteRow>): SiteRow => ({
  site_name: 'Lyon',
  site_timezone: '',
  site_street: '',
  site_zip: '',
  site_city: '',
  site_state: '',
  site_country: '',
  lat: '',
  long: '',
  ...change,
})

test.each([
  ['FR', 'FR'],
  ['fr', 'FR'],
  ['France', 'FR'],
  ['Allemagne', 'DE'],
  ['états-unis', 'US'],
  ['Atlantis', 'Atlantis'],
])('a country may be written as a code or by its name: %s', (written, code) => {
  expect(countryCode(written)).toBe(code)
})

test('a row without a time zone has the one of the import, and degrees may have a comma', () => {
  const { site_address } = draftOf(row({ lat: '45,76', long: '4.83' }), place)
  expect(site_address).toMatchObject({ site_timezone: 'Europe/Paris', lat: 45.76, long: 4.83 })
})

test('a row without a time zone has that of its country first, where there is only one', () => {
  const zoneIn = (site_country: string) => draftOf(row({ site_country }), place).site_address.site_timezone
  expect(['Japon', 'DE', 'United States', 'Atlantis'].map(zoneIn)).toEqual([
    'Asia/Tokyo',
    'Europe/Berlin',
    'Europe/Paris',
    'Europe/Paris',
  ])
})

test('every row is judged as the server does, cell by cell', () => {
  const rows = [
    row({}),
    row({ site_name: '' }),
    row({ site_name: 'Nice', site_timezone: 'Mars/Olympus' }),
    row({ site_name: 'Nantes', site_country: 'Atlantis' }),
    row({ site_name: 'Lille', lat: 'north', long: '3' }),
    row({ site_name: 'Brest', lat: '48.4' }),
  ]
  const errors = judgeRows(rows, place)
  expect(errors[0]).toEqual({})
  expect(errors[1]).toHaveProperty('site_name')
  expect(errors[2]).toHaveProperty('site_timezone', 'timezone_invalid')
  expect(errors[3]).toHaveProperty('site_country')
  expect(errors[4]).toHaveProperty('lat', 'lat_invalid')
  expect(errors[5]).toHaveProperty('long', 'lat_long_both')
})

test('a name that stands twice is wrong in both rows', () => {
  const errors = judgeRows([row({}), row({ site_name: 'LYON' }), row({ site_name: 'Nice' })], place)
  expect(errors.map(({ site_name }) => site_name)).toEqual(['name_taken', 'name_taken', undefined])
})
