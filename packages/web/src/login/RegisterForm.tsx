import { Alert, Button, PasswordInput, SimpleGrid, TextInput } from '@mantine/core'
import { registration } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { Form, useDraftForm } from '../ui/form.tsx'

const blank = { firstname: '', lastname: '', username: '', email: '', password: '', confirm_password: '' }

type Props = { token: string | undefined; onCreated: (username: string, password: string) => Promise<void> }

export function RegisterForm({ token, onCreated }: Props) {
  const { t } = useTranslation()
  const { field, frame, isSaving, isRefused } = useDraftForm({
    name: 'register',
    initial: blank,
    schema: registration,
    toInput: (values) => ({ ...values, token }),
    secrets: ['password', 'confirm_password'],
    async submit(values) {
      const result = await api.user.register.call({ ...values, token })
      if (!result.status) throw result.failure
      await onCreated(values.username, values.password)
    },
  })
  const password = field('password')
  const toggle = { 'aria-label': t('login.show'), tabIndex: 0 }
  return (
    <Form {...frame}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mb="sm">
        <TextInput
          label={t('register.firstname')}
          withAsterisk
          autoFocus
          autoComplete="given-name"
          {...field('firstname')}
        />
        <TextInput label={t('register.lastname')} withAsterisk autoComplete="family-name" {...field('lastname')} />
      </SimpleGrid>
      <TextInput
        label={t('register.email')}
        withAsterisk
        type="email"
        autoComplete="email"
        mb="sm"
        {...field('email')}
      />
      <TextInput
        label={t('register.username')}
        description={t('register.usernameHint')}
        withAsterisk
        autoComplete="username"
        autoCapitalize="none"
        mb="sm"
        {...field('username')}
      />
      <PasswordInput
        label={t('register.password')}
        description={password.error === t('message.password_weak') ? undefined : t('register.passwordHint')}
        withAsterisk
        autoComplete="new-password"
        mb="sm"
        visibilityToggleButtonProps={toggle}
        {...password}
      />
      <PasswordInput
        label={t('register.confirm')}
        withAsterisk
        autoComplete="new-password"
        mb="lg"
        visibilityToggleButtonProps={toggle}
        {...field('confirm_password')}
      />
      {isRefused && (
        <Alert color="red" variant="light" role="alert" mb="md" py="xs">
          {t('message.inputs')}
        </Alert>
      )}
      <Button type="submit" fullWidth size="md" loading={isSaving}>
        {t('register.submit')}
      </Button>
    </Form>
  )
}
