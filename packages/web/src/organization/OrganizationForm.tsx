import { Alert, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { type Organization, organizationDraft } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import type * as z from 'zod'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { words } from '../i18n/words.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'

type Input = z.input<typeof organizationDraft>

/** A new organization, or another name and retention for one; what is kept for less time asks more plainly. */
export function OrganizationForm({
  organization,
  onClose,
}: {
  organization: Organization | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { values, field, frame, isSaving } = useDraftForm<Input>({
    name: organization ? `organization.edit:${organization.organization_id}` : 'organization.add',
    initial: {
      organization_name: organization?.organization_name ?? '',
      description: organization?.description ?? '',
      raw_days: organization?.raw_days ?? 7,
      rollup_days: organization?.rollup_days ?? 400,
    },
    version: organization?.version,
    schema: organizationDraft,
    async submit(input, version) {
      const result = organization
        ? await api.organization.update.call({
            ...input,
            organization_id: organization.organization_id,
            version,
          })
        : await api.organization.create.call(input)
      if (!result.status) throw result.failure
      notify({
        type: 'success',
        text: words.pair(organization ? 'organization.update' : 'organization.create').done,
      })
      refresh('organization')
      onClose()
    },
  })
  const isShorter =
    organization !== null &&
    (Number(values.raw_days) < organization.raw_days || Number(values.rollup_days) < organization.rollup_days)
  return (
    <Form {...frame}>
      <Stack gap="sm">
        <TextInput label={t('organization.name')} withAsterisk data-autofocus {...field('organization_name')} />
        <Textarea label={t('common.description')} {...field('description')} />
        <NumberInput
          label={t('organization.rawDays')}
          description={t('organization.rawHint')}
          withAsterisk
          min={1}
          {...field('raw_days')}
        />
        <NumberInput
          label={t('organization.rollupDays')}
          description={t('organization.rollupHint')}
          withAsterisk
          min={1}
          {...field('rollup_days')}
        />
        {isShorter && (
          <Alert color="orange" role="alert">
            {t('organization.shorter')}
          </Alert>
        )}
        <FormActions
          submitLabel={t(isShorter ? 'organization.saveShorter' : organization ? 'common.save' : 'organization.add')}
          isSaving={isSaving}
          onCancel={onClose}
        />
      </Stack>
    </Form>
  )
}
