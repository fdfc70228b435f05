import { Tabs } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useUser } from '../session.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { PasswordTab } from './PasswordTab.tsx'
import { PersonTab } from './PersonTab.tsx'
import { PreferencesTab } from './PreferencesTab.tsx'
import { SessionsTab } from './SessionsTab.tsx'
import { type ProfileTab, profileTabs } from './tabs.ts'

const screens: Record<ProfileTab, () => React.ReactNode> = {
  person: PersonTab,
  password: PasswordTab,
  preferences: PreferencesTab,
  sessions: SessionsTab,
}

export function Profile({ tab, onTab }: { tab: ProfileTab; onTab: (tab: ProfileTab) => void }) {
  const { t } = useTranslation()
  const { firstname, lastname, role_key } = useUser()
  const Screen = screens[tab]
  return (
    <>
      <PageHeader title={t('profile.title')} meta={`${firstname} ${lastname} · ${t(`role.${role_key}`)}`} />
      <Tabs value={tab} onChange={(next) => onTab((next ?? 'person') as ProfileTab)} keepMounted={false}>
        <Tabs.List mb="md">
          {profileTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`profile.tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} maw={720}>
          <Screen />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
