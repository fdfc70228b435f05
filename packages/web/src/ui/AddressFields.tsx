import { SimpleGrid, TextInput } from '@mantine/core'
import type { InputHTMLAttributes, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CountrySelect } from './CountrySelect.tsx'

type FieldProps = { error: string | undefined; onChange: (value: unknown) => void } & Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'value'
> & { [key: string]: unknown }

type Props = {
  /** Where the parts live in the form: `site_address.site_` or `customer_address.customer_`. */
  prefix: string
  field: (path: string) => FieldProps
  children?: ReactNode
}

/** The parts of a postal address, for customers and sites alike. */
export function AddressFields({ prefix, field, children }: Props) {
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
      {children}
    </SimpleGrid>
  )
}
