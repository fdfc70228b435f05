import { Kbd, Modal, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { gotoKeys } from '../screens.ts'
import { session, useUser } from '../session.ts'
import { useGo } from '../ui/Go.tsx'
import { hasScreen, modules, useModules } from './modules.ts'

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** How long after `g` the second key counts. */
const chordMs = 1200

/** Keys without a modifier: `g d` go to, `/` filter, `?` this sheet. They can be turned off in the profile. */
export function SingleKeys() {
  const { t } = useTranslation()
  const go = useGo()
  const [isOpen, setIsOpen] = useState(false)
  const chordUntil = useRef(0)
  const list = useModules()
  const isOff = useUser().user_config.ui_config.single_keys === false

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      if (session.get()?.user_config.ui_config.single_keys === false && event.key !== '?') return
      // A dialog has the keys to itself.
      if (document.querySelector('[role=dialog][aria-modal=true]')) return
      const path = gotoKeys[event.key]
      if (performance.now() < chordUntil.current && path) {
        chordUntil.current = 0
        if (hasScreen(modules.get(), path)) go(path)
      } else if (event.key === 'g') chordUntil.current = performance.now() + chordMs
      else if (event.key === '?') setIsOpen(true)
      else if (event.key === '/') document.querySelector<HTMLInputElement>('[data-filter]')?.focus()
      else if (event.key === 'c') document.querySelector<HTMLElement>('[data-create]')?.click()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [go])

  const rows: [keys: string[], text: string][] = [
    [['Ctrl', 'K'], t('shell.keys.palette')],
    ...Object.entries(gotoKeys)
      .filter(([, path]) => hasScreen(list, path))
      .map(([key, path]): [string[], string] => [['g', key], t('shell.keys.goto', { screen: t(`screen.${path}`) })]),
    [['/'], t('shell.keys.filter')],
    [['c'], t('shell.keys.create')],
    [['?'], t('shell.keys.sheet')],
    [['Esc'], t('shell.keys.escape')],
  ]
  return (
    <Modal
      opened={isOpen}
      onClose={() => setIsOpen(false)}
      title={t('shell.keys.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {isOff && (
        <Text size="sm" mb="sm">
          {t('shell.keys.off')}
        </Text>
      )}
      <Table>
        <Table.Tbody>
          {rows.map(([keys, text]) => (
            <Table.Tr key={text}>
              <Table.Td>{text}</Table.Td>
              <Table.Td ta="right">
                {keys.map((key) => (
                  <Kbd key={key} ml={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
