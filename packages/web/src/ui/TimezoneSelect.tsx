import { Select, type SelectProps } from '@mantine/core'
import { onlyZoneOf, zonesOf } from '@sightline/domain'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { portalNow } from '../app/clock.ts'
import { zoneOffset } from '../i18n/format.ts'
import { countryName } from './CountrySelect.tsx'

const choice = (zone: string) => ({ value: zone, label: `${zone.replaceAll('_', ' ')} (${zoneOffset(zone)})` })

let zones: ReturnType<typeof choice>[] | null = null

/** Every time zone the browser knows, with its offset today. Made once: it takes some 20 ms. */
function allZones() {
  zones ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map(choice)
  return zones
}

/** Time zone of the browser, the best first guess for a site. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

const only = new Map<string, string | null>()

/** The zone to begin with at a place of which only the country is known; null where that leaves it open. */
export function zoneFor(country: string): string | null {
  // Of a country with thirty zones it takes some 2 ms, and each row of a list of sites has a country.
  if (!only.has(country)) only.set(country, onlyZoneOf(country, new Date(portalNow()).getUTCFullYear()))
  return only.get(country) ?? null
}

type Props = Omit<SelectProps, 'data'> & {
  /** Where the place is, as far as that is known: its zones come first, and the only one is filled in until somebody chooses. */
  country?: string | undefined
}

export function TimezoneSelect({ country = '', ...props }: Props) {
  const { t, i18n } = useTranslation()
  const { value, onChange, description } = props
  const [isChosen, setIsChosen] = useState(value !== browserZone() && value !== zoneFor(country))
  const suggest = useEffectEvent(() => {
    const zone = zoneFor(country)
    if (!isChosen && zone && zone !== value) onChange?.(zone, choice(zone))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every country that is chosen
  useEffect(() => suggest(), [country])
  const all = allZones()
  const near = new Set(zonesOf(country))
  // A zone has older names too, such as America/Montreal, which are no less right.
  const known = !value || all.some((one) => one.value === value) ? all : [choice(value), ...all]
  const [here, elsewhere] = [known.filter((one) => near.has(one.value)), known.filter((one) => !near.has(one.value))]
  const place = countryName(country, i18n.language)
  const isElsewhere = here.length > 0 && !here.some((one) => one.value === value)
  return (
    <Select
      data={
        here.length > 0
          ? [
              { group: place, items: here },
              { group: t('site.form.elsewhere'), items: elsewhere },
            ]
          : known
      }
      searchable
      limit={80}
      {...props}
      description={isElsewhere ? t('site.form.timezoneElsewhere', { country: place }) : description}
      onChange={(zone, option) => {
        setIsChosen(true)
        onChange?.(zone, option)
      }}
    />
  )
}
