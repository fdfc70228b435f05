import { Select, type SelectProps } from '@mantine/core'
import { zoneOffset } from '../i18n/format.ts'

const choice = (zone: string) => ({ value: zone, label: `${zone.replaceAll('_', ' ')} (${zoneOffset(zone)})` })

let zones: ReturnType<typeof choice>[] | null = null

/** Every time zone the browser knows, with its offset today. Made once: it takes some 20 ms. */
function allZones() {
  zones ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map(choice)
  return zones
}

/** Time zone of the browser, the best first guess for a site. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

export function TimezoneSelect(props: Omit<SelectProps, 'data'>) {
  const { value } = props
  const all = allZones()
  // A zone has older names too, such as America/Montreal, which are no less right.
  const isListed = !value || all.some((one) => one.value === value)
  return <Select data={isListed ? all : [choice(value), ...all]} searchable limit={80} {...props} />
}
