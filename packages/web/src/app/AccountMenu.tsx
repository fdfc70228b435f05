import { Avatar, Menu, UnstyledButton } from '@mantine/core'
import { IconLanguage, IconLogout, IconUser } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { language, languages } from '../i18n/index.ts'
import { useUser } from '../session.ts'
import { useGo } from '../ui/Go.tsx'
import { useChooseLanguage } from './use-language.ts'

/** Account menu of the system bar; loaded after the first paint, its button stands there before. */
export default function AccountMenu() {
  const { t } = useTranslation()
  const go = useGo()
  const choose = useChooseLanguage()
  const { firstname, lastname, email, role_key } = useUser()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: 99, marginLeft: 4 }}>
          <Avatar size={30} radius="xl" color="brand">
            <span className="sr">{t('shell.account')} </span>
            {((firstname[0] ?? '') + (lastname[0] ?? '')).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {firstname} {lastname} · {t(`role.${role_key}`)}
          <br />
          {email}
        </Menu.Label>
        <Menu.Item leftSection={<IconUser size={16} stroke={1.7} />} onClick={() => go('/user/profile')}>
          {t('shell.profile')}
        </Menu.Item>
        {languages
          .filter((one) => one !== language())
          .map((one) => (
            <Menu.Item
              key={one}
              lang={one}
              leftSection={<IconLanguage size={16} stroke={1.7} />}
              onClick={() => void choose(one)}
            >
              {t(`common.${one}`)}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.7} />} onClick={() => go('/logout')}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
