import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

type Props = {
  opened: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** Verb and noun: "Delete site". */
  confirmLabel: string
  cancelLabel?: string
  onConfirm: () => void
  /** What was confirmed is on its way, or done and this is about to go: it is not sent twice. */
  pending: boolean
  /** For what cannot be undone: the person types this name first. */
  typeToConfirm?: string
  danger?: boolean
}

/** Asks before something that cannot be taken back. What can be taken back gets an Undo instead. */
export function Confirm(props: Props) {
  const {
    opened,
    onClose,
    title,
    children,
    confirmLabel,
    cancelLabel,
    onConfirm,
    pending,
    typeToConfirm,
    danger = true,
  } = props
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  /** A mutation says a moment later that it is on its way: the second press of a double one sends nothing. */
  const isSent = useRef(false)
  const close = () => {
    setTyped('')
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('common.close') }}>
      <form
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault()
          if (pending || isSent.current) return
          isSent.current = true
          onConfirm()
          setTimeout(() => {
            isSent.current = false
          })
        }}
      >
        <Text size="sm" component="div">
          {children}
        </Text>
        {typeToConfirm && (
          <TextInput
            mt="md"
            data-autofocus
            value={typed}
            autoComplete="off"
            onChange={(typing) => setTyped(typing.currentTarget.value)}
            label={t('state.typeToConfirm', { name: typeToConfirm })}
          />
        )}
        <Group justify="flex-end" mt="lg" gap="xs">
          {/* Enter, pressed out of habit, takes the way that loses nothing. */}
          <Button variant="default" onClick={close} data-autofocus={typeToConfirm ? undefined : true}>
            {cancelLabel ?? t('common.cancel')}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red.9' : undefined}
            loading={pending}
            disabled={typeToConfirm !== undefined && typed.trim() !== typeToConfirm}
          >
            {confirmLabel}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
