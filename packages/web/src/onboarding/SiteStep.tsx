import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type Customer, siteDraft } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { CountrySelect } from '../ui/CountrySelect.tsx'
import { useDraftForm } from '../ui/form.tsx'
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

type Props = { customer: Customer; onNext: () => void; onSkip: () => void }

function NewSite({ customer: { customer_id, organization_id }, onNext, onSkip }: Props) {
  const { t } = useTranslation()
  const { field, onSubmit, isSaving } = useDraftForm({
    name: 'first-run.site',
    initial: { site_name: '', site_address: { site_timezone: browserZone(), site_city: '', site_country: '' } },
    schema: siteDraft,
    toInput: (values) => ({ ...values, customer_id, organization_id }),
    async submit(values) {
      const result = await api.site.create.call({ ...values, customer_id, organization_id })
      if (!result.status) throw result.failure
      refresh('site')
      refresh('customer')
      onNext()
    },
  })
  return (
    <StepCard title={t('onboarding.site.title')} text={t('onboarding.site.text')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="sm" maw={520}>
          <TextInput label={t('onboarding.site.name')} data-first {...field('site_name')} />
          <TimezoneSelect
            label={t('site.form.timezone')}
            description={t('site.form.timezoneHint')}
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
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="subtle" color="gray" onClick={onSkip}>
            {t('onboarding.later')}
          </Button>
          <Button type="submit" loading={isSaving}>
            {t('onboarding.site.create')}
          </Button>
        </Group>
      </form>
    </StepCard>
  )
}
