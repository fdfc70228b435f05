import { PasswordInput, Stack } from '@mantine/core'
import { passwordChange } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { words } from '../i18n/words.ts'
import { session, useUser } from '../session.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Panel } from '../ui/Panel.tsx'

const blank = { current: '', password: '', confirm_password: '' }

export function PasswordTab() {
  const { t } = useTranslation()
  const { username } = useUser()
  const { form, field, frame, isSaving } = useDraftForm({
    name: 'profile.password',
    initial: blank,
    schema: passwordChange,
    secrets: ['current', 'password', 'confirm_password'],
    async submit(values) {
      const result = await api.user.password.call(values)
      if (!result.status) throw result.failure
      notify({ type: 'success', text: words.pair('user.password').done })
      form.setValues(blank)
      // The session goes on under a new token.
      const info = await api.user.info.call({})
      if (info.status) session.set(info.data)
    },
  })
  const password = field('password')
  const toggle = { 'aria-label': t('login.show'), tabIndex: 0 }
  return (
    <Form {...frame}>
      <Panel>
        {/* Password managers need to know whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Stack gap="sm" maw={420}>
          <PasswordInput
            label={t('profile.current')}
            autoComplete="current-password"
            visibilityToggleButtonProps={toggle}
            {...field('current')}
          />
          <PasswordInput
            label={t('profile.password')}
            description={password.error === t('message.password_weak') ? undefined : t('profile.passwordHint')}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...password}
          />
          <PasswordInput
            label={t('profile.confirm')}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...field('confirm_password')}
          />
        </Stack>
        <FormActions submitLabel={t('profile.change')} isSaving={isSaving} />
      </Panel>
    </Form>
  )
}
