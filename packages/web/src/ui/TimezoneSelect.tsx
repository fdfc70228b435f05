import { Select, type SelectProps } from '@mantine/core'
import { canonicalZone, isZone, onlyZoneOf, zonesOf } from '@sightline/domain'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { zoneOffset } from '../i18n/format.ts'
import { countryName } from './CountrySelect.tsx'

const choice = (zone: string) => ({
  value: zone,
  // One that is stored may be younger than the browser.
  label: isZone(zone) ? `${zone.replaceAll('_', ' ')} (${zoneOffset(zone)})` : zone,
})

let zones: ReturnType<typeof choice>[] | null = null

/** Every time zone the browser knows, with its offset today. Made once: it takes some 20 ms. */
function allZones() {
  zones ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map(choice)
  return zones
}

/** Time zone of the browser, the best first guess for a site. */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

type Props = Omit<SelectProps, 'data'> & {
  /** Where the place is, as far as that is known: its zones come first, and the only one is filled in until somebody chooses. */
  country?: string | undefined
}

export function TimezoneSelect({ country = '', ...props }: Props) {
  const { t, i18n } = useTranslation()
  const { value, onChange, description } = props
  const [isChosen, setIsChosen] = useState(value !== browserZone() && value !== onlyZoneOf(country))
  // What stands there when the form opens was stored, or typed before: only another country suggests another zone.
  const suggested = useRef(country)
  const suggest = useEffectEvent(() => {
    const zone = onlyZoneOf(country)
    if (suggested.current !== country && !isChosen && zone && zone !== value) onChange?.(zone, choice(zone))
    suggested.current = country
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every country that is chosen
  useEffect(() => suggest(), [country])
  const all = allZones()
  const near = new Set(zonesOf(country))
  if (value && !near.has(value) && [...near].map(canonicalZone).includes(canonicalZone(value))) near.add(value)
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
