import { Avatar, Menu, UnstyledButton } from '@mantine/core'
import { IconLanguage, IconLogout, IconUser } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { type Language, language, languages } from '../i18n/index.ts'
import { session, useUser } from '../session.ts'
import { useGo } from '../ui/Go.tsx'
import { saveConfig } from './customer.ts'
import { chooseLanguage } from './language.ts'

/** Shows a language: the words, the address, and the person's setting. */
export function useChooseLanguage(): (next: Language) => Promise<void> {
  const router = useRouter()
  return async (next) => {
    await chooseLanguage(next)
    // The same screen again, so that its address carries the new language.
    await router.navigate({ to: '.', search: true, replace: true })
    if (session.get()) await saveConfig({ language: next })
  }
}

export function AccountMenu() {
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
            {(firstname[0] ?? '') + (lastname[0] ?? '')}
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
