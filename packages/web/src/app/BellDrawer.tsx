import { Button, Drawer } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatClock } from '../i18n/format.ts'
import { useStore } from '../store.ts'
import { Empty } from '../ui/Empty.tsx'
import { StatusDot } from '../ui/Health.tsx'
import classes from './Bell.module.css'
import { messages } from './messages.ts'

/** The list behind the bell. */
export default function BellDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const kept = useStore(messages, (state) => state.kept)
  return (
    <Drawer opened onClose={onClose} title={t('shell.bell')} closeButtonProps={{ 'aria-label': t('common.close') }}>
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
  )
}
