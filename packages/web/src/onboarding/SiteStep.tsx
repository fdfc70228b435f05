import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type Customer, siteDraft } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { CountrySelect } from '../ui/CountrySelect.tsx'
import { Form, useDraftForm } from '../ui/form.tsx'
import { browserZone, TimezoneSelect } from '../ui/TimezoneSelect.tsx'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function SiteStep({ run, onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const { customer, sites } = run
  if (sites.length > 0)
    return (
      <StepCard
        title={t('onboarding.site.title')}
        text={t('onboarding.site.have', { count: sites.length, name: sites.map((site) => site.site_name).join(', ') })}
        onNext={onNext}
      />
    )
  if (!customer) return <StepCard title={t('onboarding.site.title')} text={t('site.noCustomer')} onSkip={onSkip} />
  return <NewSite customer={customer} onNext={onNext} onSkip={onSkip} />
}

const typingMs = 500
const isPlace = (city: string, country: string) => city.trim().length >= 2 && country !== ''

type Props = { customer: Customer; onNext: () => void; onSkip: () => void }

function NewSite({ customer: { customer_id, organization_id }, onNext, onSkip }: Props) {
  const { t } = useTranslation()
  const { field, values, frame, isSaving } = useDraftForm({
    name: 'first-run.site',
    initial: { site_name: '', site_address: { site_timezone: browserZone(), site_city: '', site_country: '' } },
    schema: siteDraft,
    toInput: (values) => ({ ...values, customer_id, organization_id }),
    async submit(values) {
      const { site_city: city, site_country: country } = values.site_address
      const place = isPlace(city, country) ? await api.geo.zip.call({ city: city.trim(), country }) : null
      // The middle of a country is no place for a site.
      const at = place?.status && place.data.found ? { lat: place.data.lat, long: place.data.long } : {}
      const site_address = { ...values.site_address, ...at }
      const result = await api.site.create.call({ ...values, site_address, customer_id, organization_id })
      if (!result.status) throw result.failure
      refresh('site')
      refresh('customer')
      onNext()
    },
  })
  const { site_city, site_country } = values.site_address
  const [city] = useDebouncedValue(site_city.trim(), typingMs)
  const look = useQuery({
    ...api.geo.zip.query({ city, country: site_country }),
    meta: { op: 'geo.zip', quiet: true },
    enabled: isPlace(city, site_country),
    retry: false,
  })
  const found = look.data && isPlace(city, site_country) ? look.data : null
  return (
    <StepCard title={t('onboarding.site.title')} text={t('onboarding.site.text')}>
      <Form {...frame}>
        <Stack gap="sm" maw={520}>
          <TextInput label={t('onboarding.site.name')} data-first {...field('site_name')} />
          <TimezoneSelect
            label={t('site.form.timezone')}
            description={t('site.form.timezoneHint')}
            country={site_country}
            {...field('site_address.site_timezone')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput
              label={t('address.city')}
              placeholder={t('common.optional')}
              {...field('site_address.site_city')}
            />
            <CountrySelect
              label={t('address.country')}
              placeholder={t('common.optional')}
              {...field('site_address.site_country')}
            />
          </SimpleGrid>
          <span className="t3" role="status" style={{ fontSize: 13 }}>
            {look.isError
              ? look.error.message
              : found?.found
                ? t('address.found', { place: [found.city ?? city, found.state].filter(Boolean).join(', ') })
                : t(found ? 'onboarding.site.unplaced' : 'onboarding.site.placeHint')}
          </span>
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="subtle" color="gray" onClick={onSkip}>
            {t('onboarding.later')}
          </Button>
          <Button type="submit" loading={isSaving}>
            {t('onboarding.site.create')}
          </Button>
        </Group>
      </Form>
    </StepCard>
  )
}
