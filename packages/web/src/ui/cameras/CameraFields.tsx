import { PasswordInput, SimpleGrid, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export type CameraAddress = { address: string; username: string; password: string }
export const noAddress: CameraAddress = { address: '', username: '', password: '' }

type Props = {
  value: CameraAddress
  onChange: (value: CameraAddress) => void
  /** What the address is of. */
  label: string
  required?: boolean
  autoFocus?: boolean
}

/** Where a camera is, with user and password apart from its address, for a form that tries it. */
export function CameraFields({ value, onChange, label, required, autoFocus }: Props) {
  const { t } = useTranslation()
  const set = (change: Partial<CameraAddress>) => onChange({ ...value, ...change })
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <TextInput
        label={label}
        description={t('device.form.addressHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        withAsterisk={required}
        data-autofocus={autoFocus}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={value.address}
        onChange={({ currentTarget }) => set({ address: currentTarget.value })}
      />
      <TextInput
        label={t('device.form.username')}
        autoComplete="off"
        value={value.username}
        onChange={({ currentTarget }) => set({ username: currentTarget.value })}
      />
      <PasswordInput
        label={t('device.form.password')}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('login.show'), tabIndex: 0 }}
        value={value.password}
        onChange={({ currentTarget }) => set({ password: currentTarget.value })}
      />
    </SimpleGrid>
  )
}
