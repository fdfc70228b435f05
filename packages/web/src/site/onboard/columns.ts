/** Sites as rows of a table: what its columns are called, and what becomes of a row. */
import { siteDraft } from '@sightline/contract'
import { onlyZoneOf } from '@sightline/domain'
import { countryCodes, countryName } from '../../ui/CountrySelect.tsx'
import type { Names } from '../../ui/table-file/table.ts'
import type { SiteInput } from '../SiteForm.tsx'

export const siteColumns = [
  'site_name',
  'site_timezone',
  'site_street',
  'site_zip',
  'site_city',
  'site_state',
  'site_country',
  'lat',
  'long',
] as const
export type SiteColumn = (typeof siteColumns)[number]
export type SiteRow = Record<SiteColumn, string>

/** In English and French. */
export const siteNames: Names<SiteColumn> = {
  site_name: ['sitename', 'name', 'site', 'store', 'shop', 'nom', 'nomdusite', 'magasin'],
  site_timezone: ['sitetimezone', 'timezone', 'zone', 'tz', 'fuseau', 'fuseauhoraire'],
  site_street: ['sitestreet', 'street', 'address', 'adresse', 'rue', 'voie'],
  site_zip: ['sitezip', 'zip', 'zipcode', 'postcode', 'postalcode', 'codepostal', 'cp'],
  site_city: ['sitecity', 'city', 'town', 'ville', 'commune'],
  site_state: ['sitestate', 'state', 'region', 'province', 'departement'],
  site_country: ['sitecountry', 'country', 'pays'],
  lat: ['lat', 'latitude'],
  long: ['long', 'lng', 'lon', 'longitude'],
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
let byName: Map<string, string> | null = null

/** ISO code of a country that was written as a code, or by its English or French name; as it was written when unknown. */
export function countryCode(text: string): string {
  const written = text.trim()
  if (/^[A-Za-z]{2}$/.test(written)) return written.toUpperCase()
  byName ??= new Map(
    ['en', 'fr'].flatMap((language) => countryCodes.map((code) => [fold(countryName(code, language)), code])),
  )
  return byName.get(fold(written)) ?? written
}

/** Degrees with a point or a comma; null for an empty cell. Anything else is no number and refused as such. */
const degrees = (text: string): number | null => (text.trim() === '' ? null : Number(text.trim().replace(',', '.')))

export type Place = { customer_id: string; timezone: string; organization_id?: string }

/** The time zone of a row: what it names, else that of a country that has one, else `timezone`. */
export const zoneOf = ({ site_timezone, site_country }: SiteRow, timezone: string): string =>
  site_timezone.trim() || onlyZoneOf(countryCode(site_country)) || timezone

/** A row as the call takes it; `timezone` serves the rows that name none, and no country that has one. */
export const draftOf = (row: SiteRow, { customer_id, timezone, organization_id }: Place): SiteInput => ({
  site_name: row.site_name.trim(),
  customer_id,
  organization_id,
  site_address: {
    site_street: row.site_street.trim(),
    site_zip: row.site_zip.trim(),
    site_city: row.site_city.trim(),
    site_state: row.site_state.trim(),
    site_country: countryCode(row.site_country),
    site_timezone: zoneOf(row, timezone),
    lat: degrees(row.lat),
    long: degrees(row.long),
  },
})

export type RowErrors = Partial<Record<SiteColumn, string>>

const isColumn = (name: string): name is SiteColumn => siteColumns.some((column) => column === name)
/** `site_address.site_city` and `site_city` are one cell. */
export const columnOf = (path: string): SiteColumn => {
  const name = path.split('.').at(-1) ?? ''
  return isColumn(name) ? name : 'site_name'
}

/** What is wrong with each row, by cell, as message ids: judged as the server does, and no name twice. */
export function judgeRows(rows: readonly SiteRow[], place: Place): RowErrors[] {
  const times = Map.groupBy(rows, ({ site_name }) => site_name.trim().toLowerCase())
  return rows.map((row) => {
    const read = siteDraft.safeParse(draftOf(row, place))
    const errors: RowErrors = {}
    for (const { path, message } of read.error?.issues ?? []) errors[columnOf(path.join('.'))] ??= message
    const name = row.site_name.trim().toLowerCase()
    if (name !== '' && (times.get(name)?.length ?? 0) > 1) errors.site_name ??= 'name_taken'
    for (const cell of ['lat', 'long'] as const)
      if (Number.isNaN(degrees(row[cell]) ?? 0)) errors[cell] = `${cell}_invalid`
    return errors
  })
}
