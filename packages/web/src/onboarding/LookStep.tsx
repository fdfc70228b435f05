import { Button, Group, Input, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { instanceChange } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useInstance } from '../app/instance.ts'
import { type ThemeChoice, useTheme } from '../app/theme.ts'
import { useChooseLanguage } from '../app/use-language.ts'
import { type Language, language, languages } from '../i18n/index.ts'
import { Form, useDraftForm } from '../ui/form.tsx'
import { ImageUpload } from '../ui/ImageUpload.tsx'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function LookStep({ onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const { name, logo } = useInstance()
  const { choice, isDark, choose } = useTheme()
  const chooseLanguage = useChooseLanguage()
  const { form, values, field, frame, isSaving } = useDraftForm<{ name: string; logo: string | null }>({
    name: 'first-run.look',
    initial: { name, logo },
    schema: instanceChange,
    async submit(values) {
      const result = await api.instance.update.call({
        ...values,
        default_language: language(),
        default_dark: isDark,
      })
      if (!result.status) throw result.failure
      refresh('instance')
      onNext()
    },
  })
  const themes: ThemeChoice[] = ['light', 'dark', 'system']
  return (
    <StepCard title={t('onboarding.look.title')} text={t('onboarding.look.text')}>
      <Form {...frame}>
        <Stack gap="md" maw={420}>
          <TextInput label={t('onboarding.look.name')} data-first {...field('name')} />
          <ImageUpload
            label={t('onboarding.look.logo')}
            value={values.logo}
            onChange={(path) => form.setFieldValue('logo', path)}
            error={field('logo').error}
          />
          <Input.Wrapper label={t('common.language')} labelElement="div">
            <SegmentedControl
              mt={4}
              fullWidth
              aria-label={t('common.language')}
              value={language()}
              onChange={(next) => void chooseLanguage(next as Language)}
              data={languages.map((one) => ({ value: one, label: t(`common.${one}`) }))}
            />
          </Input.Wrapper>
          <Input.Wrapper label={t('onboarding.look.theme')} labelElement="div">
            <SegmentedControl
              mt={4}
              fullWidth
              aria-label={t('onboarding.look.theme')}
              value={choice}
              onChange={(next) => choose(next as ThemeChoice)}
              data={themes.map((one) => ({ value: one, label: t(`onboarding.look.${one as 'light'}`) }))}
            />
          </Input.Wrapper>
        </Stack>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="subtle" color="gray" onClick={onSkip}>
            {t('onboarding.later')}
          </Button>
          <Button type="submit" loading={isSaving}>
            {t('common.continue')}
          </Button>
        </Group>
      </Form>
    </StepCard>
  )
}
