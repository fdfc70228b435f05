import { Drawer } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Menu } from './Menu.tsx'

/** The menu of narrow screens, opened by the burger. */
export default function PhoneMenu({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Drawer
      opened
      onClose={onClose}
      position="left"
      size={290}
      hiddenFrom="md"
      title={t('shell.main')}
      closeButtonProps={{ 'aria-label': t('shell.closeMenu') }}
    >
      <Menu onGo={onClose} />
    </Drawer>
  )
}
