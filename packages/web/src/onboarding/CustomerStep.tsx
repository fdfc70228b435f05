import { Button, Group, TextInput } from '@mantine/core'
import { customerDraft } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { api, queryClient } from '../app/client.ts'
import { saveConfig } from '../app/customer.ts'
import { useUser } from '../session.ts'
import { Form, useDraftForm } from '../ui/form.tsx'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function CustomerStep(props: StepProps) {
  const { t } = useTranslation()
  const { customer } = props.run
  if (!customer) return <NewCustomer {...props} />
  return (
    <StepCard
      title={t('onboarding.customer.title')}
      text={t('onboarding.customer.have', { name: customer.customer_name })}
      onNext={props.onNext}
    />
  )
}

function NewCustomer({ onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const { organization_id } = useUser()
  const { field, frame, isSaving } = useDraftForm({
    name: 'first-run.customer',
    initial: { customer_name: '' },
    schema: customerDraft,
    async submit(values) {
      const result = await api.customer.create.call({ ...values, is_default: true, organization_id })
      if (!result.status) throw result.failure
      queryClient.setQueryData(api.customer.list.query({}).queryKey, (list) => [...(list ?? []), result.data])
      await saveConfig({ selected_customer_id: result.data.customer_id })
      onNext()
    },
  })
  return (
    <StepCard title={t('onboarding.customer.title')} text={t('onboarding.customer.text')}>
      <Form {...frame}>
        <TextInput
          label={t('onboarding.customer.name')}
          autoComplete="organization"
          maw={420}
          data-first
          {...field('customer_name')}
        />
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="subtle" color="gray" onClick={onSkip}>
            {t('onboarding.later')}
          </Button>
          <Button type="submit" loading={isSaving}>
            {t('onboarding.customer.create')}
          </Button>
        </Group>
      </Form>
    </StepCard>
  )
}
