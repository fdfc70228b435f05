import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core'
import { type Customer, customerDraft } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import type * as z from 'zod'
import { AddressFields } from '../ui/AddressFields.tsx'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Panel } from '../ui/Panel.tsx'

export type CustomerInput = z.input<typeof customerDraft>

type Props = {
  customer?: Customer
  submitLabel: string
  /** @param version of the stored customer that the input came from */
  onSubmit: (input: CustomerInput, version: number | undefined) => Promise<unknown>
  onCancel: () => void
}

export function CustomerForm({ customer, submitLabel, onSubmit, onCancel }: Props) {
  const { t } = useTranslation()
  const address = customer?.customer_address
  const { form, values, field, frame, isSaving } = useDraftForm<CustomerInput>({
    name: customer ? `customer.edit:${customer.customer_id}` : 'customer.add',
    initial: {
      customer_name: customer?.customer_name ?? '',
      description: customer?.description ?? '',
      is_default: customer?.is_default ?? false,
      customer_address: {
        customer_unit: address?.customer_unit ?? '',
        customer_street: address?.customer_street ?? '',
        customer_area: address?.customer_area ?? '',
        customer_city: address?.customer_city ?? '',
        customer_state: address?.customer_state ?? '',
        customer_country: address?.customer_country ?? '',
        customer_zip: address?.customer_zip ?? '',
      },
    },
    version: customer?.version,
    schema: customerDraft,
    submit: onSubmit,
  })
  return (
    <Form {...frame}>
      <Stack gap="md" maw={860}>
        <Panel>
          <Stack gap="sm">
            <TextInput label={t('customer.name')} withAsterisk autoFocus {...field('customer_name')} />
            <Textarea label={t('common.description')} {...field('description')} />
            <Checkbox
              label={t('customer.default')}
              description={t('customer.defaultHint')}
              {...field('is_default', { type: 'checkbox' })}
            />
          </Stack>
        </Panel>
        <Panel title={t('customer.address')}>
          <AddressFields
            prefix="customer_address.customer_"
            field={field}
            onPlace={({ city, state }) => {
              const typed = values.customer_address
              if (city && !typed?.customer_city) form.setFieldValue('customer_address.customer_city', city)
              if (state && !typed?.customer_state) form.setFieldValue('customer_address.customer_state', state)
            }}
          />
        </Panel>
        <FormActions submitLabel={submitLabel} isSaving={isSaving} onCancel={onCancel} />
      </Stack>
    </Form>
  )
}
