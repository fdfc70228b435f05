import { Button, Group, SimpleGrid, TextInput } from '@mantine/core'
import type { ZipPlace } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import type { InputHTMLAttributes, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { CountrySelect } from './CountrySelect.tsx'

type FieldProps = { error: string | undefined; onChange: (value: unknown) => void } & Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'value'
> & { [key: string]: unknown }

type Props = {
  /** Where the parts live in the form: `site_address.site_` or `customer_address.customer_`. */
  prefix: string
  field: (path: string) => FieldProps
  /** Called with where the zip code or the town is; without it there is nothing to look up. */
  onPlace?: (place: ZipPlace) => void
  children?: ReactNode
}

/** The parts of a postal address, for customers and sites alike. */
export function AddressFields({ prefix, field, onPlace, children }: Props) {
  const { t } = useTranslation()
  const at = (part: string) => field(`${prefix}${part}`)
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TextInput label={t('address.unit')} {...at('unit')} />
      <TextInput label={t('address.street')} autoComplete="address-line1" {...at('street')} />
      <TextInput label={t('address.area')} {...at('area')} />
      <TextInput label={t('address.city')} autoComplete="address-level2" {...at('city')} />
      <TextInput label={t('address.state')} autoComplete="address-level1" {...at('state')} />
      <TextInput label={t('address.zip')} autoComplete="postal-code" {...at('zip')} />
      <CountrySelect label={t('address.country')} {...(at('country') as object)} />
      {onPlace && (
        <PlaceLookup
          zip={String(at('zip').value ?? '').trim()}
          city={String(at('city').value ?? '').trim()}
          country={String(at('country').value ?? '')}
          onPlace={onPlace}
        />
      )}
      {children}
    </SimpleGrid>
  )
}

type LookupProps = { zip: string; city: string; country: string; onPlace: (place: ZipPlace) => void }

/** Finds the place of a zip code, or without one of a town. */
function PlaceLookup({ zip, city, country, onPlace }: LookupProps) {
  const { t } = useTranslation()
  const look = useMutation(api.geo.zip.mutation({ quiet: true, inline: true }))
  const place = look.data
  const said = look.isError
    ? look.error.message
    : place &&
      (place.found
        ? t('address.found', { place: [place.city ?? city, place.state].filter(Boolean).join(', ') || zip })
        : t('address.notFound'))
  return (
    <Group gap="sm" align="center">
      <Button
        variant="default"
        loading={look.isPending}
        disabled={(zip === '' && city === '') || country === ''}
        onClick={() => look.mutate({ zip, city, country }, { onSuccess: onPlace })}
      >
        {t('address.lookup')}
      </Button>
      <span className="t2" role="status" style={{ flex: 1, fontSize: 13 }}>
        {said ?? t('address.lookupHint')}
      </span>
    </Group>
  )
}
