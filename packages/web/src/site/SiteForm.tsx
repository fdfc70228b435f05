import { Alert, Button, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type Customer, type Site, siteDraft, type ZipPlace } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type * as z from 'zod'
import { AddressFields } from '../ui/AddressFields.tsx'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { ImageUpload } from '../ui/ImageUpload.tsx'
import { PinMap } from '../ui/map/PinMap.tsx'
import { Panel } from '../ui/Panel.tsx'
import { browserZone, TimezoneSelect } from '../ui/TimezoneSelect.tsx'
import { isDefault, type Pin, pinMove } from './pin.ts'

export type SiteInput = z.input<typeof siteDraft>

/** A number field holds '' while it is empty; the wire knows null. */
const orNull = (value: number | string | null | undefined) => (value === '' || value === undefined ? null : value)

const inputOf = (values: SiteInput): SiteInput => ({
  ...values,
  site_address: {
    ...values.site_address,
    lat: orNull(values.site_address.lat) as number | null,
    long: orNull(values.site_address.long) as number | null,
  },
})

type Props = {
  site?: Site
  customers: readonly Customer[]
  customerId: string
  submitLabel: string
  /** @param version of the stored site that the input came from */
  onSubmit: (input: SiteInput, version: number | undefined) => Promise<unknown>
  onCancel: () => void
}

/** Name and clock first, the rest when there is time. */
export function SiteForm({ site, customers, customerId, submitLabel, onSubmit, onCancel }: Props) {
  const { t } = useTranslation()
  const address = site?.site_address
  const { values, form, field, frame, isSaving } = useDraftForm<SiteInput>({
    name: site ? `site.edit:${site.site_id}` : 'site.add',
    initial: {
      site_name: site?.site_name ?? '',
      customer_id: site?.customer_id ?? customerId,
      site_image: site?.site_image ?? null,
      site_address: {
        site_unit: address?.site_unit ?? '',
        site_street: address?.site_street ?? '',
        site_area: address?.site_area ?? '',
        site_city: address?.site_city ?? '',
        site_state: address?.site_state ?? '',
        site_country: address?.site_country ?? '',
        site_zip: address?.site_zip ?? '',
        site_timezone: address?.site_timezone ?? browserZone(),
        lat: address?.lat ?? null,
        long: address?.long ?? null,
      },
    },
    version: site?.version,
    schema: siteDraft,
    toInput: inputOf,
    submit: (filled, version) => onSubmit(inputOf(filled), version),
  })
  const number = (path: string) => {
    const { value, ...rest } = field(path)
    return { ...rest, value: (value as number | null) ?? '' }
  }
  const { lat, long } = values.site_address
  const pin = typeof lat === 'number' && typeof long === 'number' ? { lat, long } : null
  /** What was looked up last and put the pin there, and what would move a pin that somebody placed. */
  const [looked, setLooked] = useState<ZipPlace | null>(null)
  const [offered, setOffered] = useState<ZipPlace | null>(null)
  const movePin = (to: Pin) => {
    form.setFieldValue('site_address.lat', to.lat)
    form.setFieldValue('site_address.long', to.long)
    setOffered(null)
  }
  const takePlace = (place: ZipPlace) => {
    setLooked(place)
    movePin(place)
  }
  return (
    <Form {...frame}>
      <Stack gap="md" maw={860}>
        <Panel>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput label={t('site.form.name')} withAsterisk autoFocus {...field('site_name')} />
            {!site && customers.length > 1 && (
              <Select
                label={t('site.form.customer')}
                withAsterisk
                allowDeselect={false}
                searchable
                data={customers.map((one) => ({ value: one.customer_id, label: one.customer_name }))}
                {...field('customer_id')}
              />
            )}
            <TimezoneSelect
              label={t('site.form.timezone')}
              description={t('site.form.timezoneHint')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              withAsterisk
              country={values.site_address.site_country}
              {...field('site_address.site_timezone')}
            />
          </SimpleGrid>
        </Panel>
        <Panel title={t('site.form.address')}>
          <AddressFields
            prefix="site_address.site_"
            field={field}
            onPlace={(place) => {
              const { city, state } = place
              const move = pinMove(pin, looked, place)
              if (move === 'go') takePlace(place)
              else setOffered(move === 'ask' ? place : null)
              // What somebody wrote stays.
              if (city && !values.site_address.site_city) form.setFieldValue('site_address.site_city', city)
              if (state && !values.site_address.site_state) form.setFieldValue('site_address.site_state', state)
            }}
          />
        </Panel>
        <Panel title={t('site.form.position')} hint={t('site.form.positionHint')}>
          {offered && (
            <Alert color="gray" mb="md" role="status">
              {t('site.form.pinStays')}{' '}
              <Button size="compact-sm" variant="default" onClick={() => takePlace(offered)}>
                {t('site.form.movePin', { place: offered.city ?? values.site_address.site_zip ?? '' })}
              </Button>
            </Alert>
          )}
          {isDefault(pin, looked) && (
            <Alert color="orange" mb="md" role="status">
              {looked?.precision === 'area'
                ? t('site.form.defaultArea', { zip: values.site_address.site_zip ?? '' })
                : t(looked?.precision === 'country' ? 'site.form.defaultCountry' : 'site.form.defaultMap')}
            </Alert>
          )}
          <PinMap
            label={t('site.form.map')}
            height={280}
            pin={pin}
            country={values.site_address.site_country}
            onMove={(lat, long) => movePin({ lat, long })}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="md">
            <NumberInput label={t('site.form.lat')} hideControls decimalScale={6} {...number('site_address.lat')} />
            <NumberInput label={t('site.form.long')} hideControls decimalScale={6} {...number('site_address.long')} />
          </SimpleGrid>
        </Panel>
        <Panel title={t('site.form.image')} hint={t('site.form.imageHint')}>
          <ImageUpload
            label={t('site.form.image')}
            value={values.site_image ?? null}
            onChange={(path) => form.setFieldValue('site_image', path)}
            error={field('site_image').error}
          />
        </Panel>
        <FormActions submitLabel={submitLabel} isSaving={isSaving} onCancel={onCancel} />
      </Stack>
    </Form>
  )
}
