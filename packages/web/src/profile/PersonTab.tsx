import { SimpleGrid, TextInput } from '@mantine/core'
import { userChange } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { words } from '../i18n/words.ts'
import { session, useUser } from '../session.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Panel } from '../ui/Panel.tsx'

export function PersonTab() {
  const { t } = useTranslation()
  const user = useUser()
  const { user_id } = user
  const { field, frame, isSaving } = useDraftForm({
    name: `profile:${user_id}`,
    initial: {
      firstname: user.firstname,
      lastname: user.lastname,
      email: user.email,
      username: user.username,
      phone: user.phone ?? '',
    },
    version: user.version,
    async reload() {
      const info = await api.user.info.call({})
      if (info.status) session.set(info.data)
    },
    schema: userChange,
    toInput: (values) => ({ ...values, phone: values.phone || null, user_id }),
    async submit(values, version) {
      const result = await api.user.update.call({ ...values, phone: values.phone || null, user_id, version })
      if (!result.status) throw result.failure
      session.set({ ...user, ...result.data })
      notify({ type: 'success', text: words.pair('user.update').done })
    },
  })
  return (
    <Form {...frame}>
      <Panel>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput label={t('profile.firstname')} autoComplete="given-name" {...field('firstname')} />
          <TextInput label={t('profile.lastname')} autoComplete="family-name" {...field('lastname')} />
          <TextInput label={t('profile.email')} type="email" autoComplete="email" {...field('email')} />
          <TextInput label={t('profile.username')} autoComplete="username" {...field('username')} />
          <TextInput
            label={t('profile.phone')}
            description={t('profile.phoneHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            type="tel"
            autoComplete="tel"
            {...field('phone')}
          />
        </SimpleGrid>
        <FormActions submitLabel={t('common.save')} isSaving={isSaving} />
      </Panel>
    </Form>
  )
}
