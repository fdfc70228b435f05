import { Drawer } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useInstance } from './instance.ts'
import { Menu } from './Menu.tsx'

/** The menu of narrow screens, opened by the burger. */
export default function PhoneMenu({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { name } = useInstance()
  return (
    <Drawer
      opened
      onClose={onClose}
      position="left"
      size={290}
      hiddenFrom="md"
      title={name}
      closeButtonProps={{ 'aria-label': t('shell.closeMenu') }}
    >
      <Menu onGo={onClose} />
    </Drawer>
  )
}
