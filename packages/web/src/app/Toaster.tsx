import { Notification, Portal } from '@mantine/core'
import { notificationDisplayMs } from '@sightline/domain'
import { IconAlertTriangle, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MessageType } from '../api-text.ts'
import { useStore } from '../store.ts'
import { dismiss, messages, type Note } from './messages.ts'
import classes from './Toaster.module.css'

const faces: Record<MessageType, { color: string; Icon: typeof IconX }> = {
  success: { color: '#0b7a48', Icon: IconCheck },
  error: { color: '#c01f33', Icon: IconX },
  warning: { color: '#a86000', Icon: IconAlertTriangle },
  info: { color: 'brand.5', Icon: IconInfoCircle },
}

/** Notifications, top right, on a phone at the bottom. Errors interrupt a screen reader, the others wait their turn. */
export function Toaster() {
  const shown = useStore(messages, (state) => state.shown)
  return (
    <Portal>
      <div className={classes.stack}>
        {shown.map((note) => (
          <Toast key={note.id} note={note} />
        ))}
      </div>
    </Portal>
  )
}

function Toast({ note }: { note: Note }) {
  const { t } = useTranslation()
  const [isHeld, setIsHeld] = useState(false)
  const left = useRef(notificationDisplayMs)
  // Counting stops while the pointer or the focus is on it, and starts anew when the same message comes again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a repeated message is shown for its whole time again
  useEffect(() => {
    left.current = notificationDisplayMs
  }, [note.count])
  useEffect(() => {
    if (isHeld) return
    const since = performance.now()
    const timer = setTimeout(() => dismiss(note.id), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= performance.now() - since
    }
  }, [isHeld, note.id])
  const { color, Icon } = faces[note.type]
  const hold = () => setIsHeld(true)
  const release = () => setIsHeld(false)
  return (
    <Notification
      className={classes.toast}
      color={color}
      icon={<Icon size={16} stroke={2.2} aria-hidden="true" />}
      withBorder
      radius="lg"
      role={note.type === 'error' ? 'alert' : 'status'}
      data-message={note.type}
      closeButtonProps={{ 'aria-label': t('shell.dismiss') }}
      onClose={() => dismiss(note.id)}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      {note.text}
      {note.count > 1 && <span className={`${classes.count} num`}>×{note.count}</span>}
    </Notification>
  )
}
