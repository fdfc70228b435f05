import { Button } from '@mantine/core'
import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { signOut } from '../app/auth.ts'
import { clearBanner } from '../app/banner.ts'
import { Minimal, MinimalCard } from '../app/Minimal.tsx'
import { session } from '../session.ts'
import { Go } from '../ui/Go.tsx'

export const Route = createFileRoute('/logout')({
  beforeLoad: async () => {
    if (session.get()) await signOut()
    clearBanner('session')
  },
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  return (
    <Minimal>
      <MinimalCard title={t('login.out')} hint={t('login.outHint')}>
        <Button component={Go} to="/login" fullWidth size="md">
          {t('login.again')}
        </Button>
      </MinimalCard>
    </Minimal>
  )
}
