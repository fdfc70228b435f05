import { Alert, Button, PasswordInput, TextInput } from '@mantine/core'
import type { UserInfo } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallFailed } from '../api.ts'
import { api } from '../app/client.ts'
import { useInstance } from '../app/instance.ts'
import { MinimalCard } from '../app/Minimal.tsx'
import { statusQuery } from '../app/ServerWatch.tsx'
import { Form, useDraftForm } from '../ui/form.tsx'

type Values = { username: string; password: string }

/** Sign-in with user name or e-mail address; pasting and password managers are welcome. */
export function LoginForm({ onSignedIn }: { onSignedIn: (user: UserInfo) => Promise<void> }) {
  const { t } = useTranslation()
  const { name } = useInstance()
  const { data: status } = useQuery(statusQuery())
  const [refused, setRefused] = useState<CallFailed | null>(null)
  const { form, field, frame, isSaving } = useDraftForm<Values>({
    name: 'login',
    initial: { username: '', password: '' },
    secrets: ['username', 'password'],
    async submit(values) {
      setRefused(null)
      const result = await api.auth.login.call(values)
      if (result.status) return onSignedIn(result.data)
      // Nothing was typed into a field: said at that.
      if (result.failure.code === 400) throw result.failure
      setRefused(result.failure)
      form.setFieldValue('password', '')
      form.getInputNode('password')?.focus()
    },
  })
  return (
    <MinimalCard title={t('login.title')} hint={t('login.hint', { name })}>
      {status?.is_onboarding && (
        <Alert variant="light" color="brand" mb="md">
          {t('login.first')}
        </Alert>
      )}
      <Form {...frame}>
        {refused && (
          <Alert variant="light" color="red" mb="md" role="alert" title={refused.message}>
            {refused.code === 401 ? t('login.wrong') : null}
          </Alert>
        )}
        <TextInput label={t('login.name')} autoComplete="username" autoFocus size="md" mb="sm" {...field('username')} />
        <PasswordInput
          label={t('login.password')}
          autoComplete="current-password"
          size="md"
          mb="lg"
          visibilityToggleButtonProps={{ 'aria-label': t('login.show'), tabIndex: 0 }}
          {...field('password')}
        />
        <Button type="submit" fullWidth size="md" loading={isSaving}>
          {t('login.submit')}
        </Button>
      </Form>
    </MinimalCard>
  )
}
