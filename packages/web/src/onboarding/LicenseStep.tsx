import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { api as table } from '@sightline/contract'
import { IconLicense } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatDate } from '../i18n/format.ts'
import { licenseName } from '../i18n/seeded.ts'
import { Form, useDraftForm } from '../ui/form.tsx'
import type { StepProps } from './Onboarding.tsx'
import classes from './onboarding.module.css'
import { StepCard } from './StepCard.tsx'

export function LicenseStep({ run: { license }, onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <StepCard
      title={t('onboarding.license.title')}
      text={t('onboarding.license.text')}
      onNext={license && !isAdding ? onNext : undefined}
      onSkip={license && !isAdding ? undefined : onSkip}
      aside={
        !isAdding && (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            {t('onboarding.license.addKey')}
          </Button>
        )
      }
    >
      {license && (
        <div className={classes.fact}>
          <IconLicense size={20} stroke={1.6} aria-hidden="true" />
          <b>{licenseName(license)}</b>
          <span className="t2 num">
            {t('onboarding.license.channels', { used: license.channels_used, limit: license.channel_limit })} ·{' '}
            {license.state === 'upcoming' &&
              license.valid_from &&
              `${t('license.state.upcoming', { date: formatDate(license.valid_from) })} · `}
            {license.expires_at
              ? t('onboarding.license.expires', { date: formatDate(license.expires_at) })
              : t('onboarding.license.unlimited')}
          </span>
        </div>
      )}
      {isAdding && <AddKey onAdded={() => setIsAdding(false)} onCancel={() => setIsAdding(false)} />}
    </StepCard>
  )
}

function AddKey({ onAdded, onCancel }: { onAdded: () => void; onCancel: () => void }) {
  const { t } = useTranslation()
  const { field, frame, isSaving } = useDraftForm({
    name: 'first-run.license',
    initial: { license_name: '', license_key: '' },
    schema: table.license.create.input,
    secrets: ['license_key'],
    async submit(values) {
      const result = await api.license.create.call(values)
      if (!result.status) throw result.failure
      refresh('license')
      onAdded()
    },
  })
  return (
    <Form {...frame}>
      <Stack gap="sm" mt="md">
        <TextInput label={t('onboarding.license.keyName')} autoFocus {...field('license_name')} />
        <Textarea
          label={t('onboarding.license.key')}
          description={t('onboarding.license.keyHint')}
          {...field('license_key')}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={isSaving}>
            {t('onboarding.license.add')}
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}
