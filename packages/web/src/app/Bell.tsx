import { Button, Drawer, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatClock } from '../i18n/format.ts'
import { useStore } from '../store.ts'
import { Empty } from '../ui/Empty.tsx'
import { StatusDot } from '../ui/Health.tsx'
import classes from './Bell.module.css'
import { clear, messages } from './messages.ts'

/** What went wrong since the sign-in: a notification that timed out is still here. */
export function Bell({ className }: { className?: string }) {
  const { t } = useTranslation()
  const { kept, badge } = useStore(messages)
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
      <Drawer
        opened={isOpen}
        onClose={close}
        title={t('shell.bell')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {kept.length === 0 ? (
          <Empty icon={<IconBell stroke={1.5} />} title={t('shell.bellEmpty')} text={t('shell.bellHint')} />
        ) : (
          <>
            <ul className={classes.list}>
              {kept.map((note) => (
                <li key={note.id}>
                  <StatusDot tone={note.type === 'error' ? 'bad' : 'warn'} />
                  <span className={classes.text}>{note.text}</span>
                  <time className="muted num">{formatClock(note.at)}</time>
                </li>
              ))}
            </ul>
            <Button variant="default" mt="md" onClick={() => messages.set((now) => ({ ...now, kept: [] }))}>
              {t('shell.clearAll')}
            </Button>
          </>
        )}
      </Drawer>
    </>
  )
}
