import { UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from '../store.ts'
import classes from './Bell.module.css'
import { clear, messages } from './messages.ts'
import { part } from './part.ts'

const BellDrawer = part(() => import('./BellDrawer.tsx'))

/** What went wrong since the sign-in: a notification that timed out is still here. */
export function Bell({ className }: { className?: string }) {
  const { t } = useTranslation()
  const badge = useStore(messages, (state) => state.badge)
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <UnstyledButton
        className={className}
        aria-label={badge > 0 ? t('shell.bellUnread', { count: badge }) : t('shell.bell')}
        onClick={() => {
          messages.set((now) => clear(now))
          open()
        }}
      >
        <IconBell size={19} stroke={1.7} aria-hidden="true" />
        {badge > 0 && <span className={classes.badge} />}
      </UnstyledButton>
      {isOpen && (
        <Suspense>
          <BellDrawer onClose={close} />
        </Suspense>
      )}
    </>
  )
}
