import { useQuery } from '@tanstack/react-query'
import { createFileRoute, redirect } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { signedIn } from '../app/auth.ts'
import { api } from '../app/client.ts'
import { saveConfig } from '../app/customer.ts'
import { Minimal, MinimalCard } from '../app/Minimal.tsx'
import { statusQuery } from '../app/ServerWatch.tsx'
import { optional, search, text } from '../app/search.ts'
import { useTheme } from '../app/theme.ts'
import { RegisterForm } from '../login/RegisterForm.tsx'
import { session } from '../session.ts'
import { useGo } from '../ui/Go.tsx'

/** The first administrator comes here with the setup token; later people, where registration is open. */
export const Route = createFileRoute('/register')({
  validateSearch: search({ token: optional(text(200)) }),
  beforeLoad: () => {
    if (session.get()) throw redirect({ to: '/' })
  },
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { token } = Route.useSearch()
  const go = useGo()
  const { isDark } = useTheme()
  const { data: status } = useQuery(statusQuery())
  const isFirst = status?.is_onboarding ?? false
  if (isFirst && !token)
    return (
      <Minimal>
        <MinimalCard title={t('register.noToken')} hint={t('register.noTokenHint')}>
          {null}
        </MinimalCard>
      </Minimal>
    )
  return (
    <Minimal>
      <MinimalCard
        title={isFirst ? t('register.title') : t('register.titleOpen')}
        hint={isFirst ? t('register.hint') : t('register.hintOpen')}
      >
        <RegisterForm
          token={token}
          onCreated={async (username, password) => {
            const login = await api.auth.login.call({ username, password })
            // The account exists; if it cannot be opened right now, the sign-in says why.
            if (!login.status) return go('/login')
            // Begins with the theme they have before them; told before it is saved, so that none flashes up in between.
            const { ui_config } = login.data.user_config
            await signedIn({ ...login.data, user_config: { ui_config: { ...ui_config, dark: isDark } } })
            await saveConfig({ dark: isDark })
            go('/', undefined, { replace: true })
          }}
        />
      </MinimalCard>
    </Minimal>
  )
}
