import { Select, type SelectProps } from '@mantine/core'
import { zoneOffset } from '../i18n/format.ts'

let zones: { value: string; label: string }[] | null = null

/** Every time zone the browser knows, with its offset today. Made once: it takes some 20 ms. */
function allZones() {
  zones ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
    value: zone,
    label: `${zone.replaceAll('_', ' ')} (${zoneOffset(zone)})`,
  }))
  return zones
}

/** Time zone of the browser, the best first guess for a site. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

export function TimezoneSelect(props: Omit<SelectProps, 'data'>) {
  return <Select data={allZones()} searchable limit={80} {...props} />
}
