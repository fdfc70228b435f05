import { Kbd, Modal, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { gotoKeys } from '../screens.ts'
import { useUser } from '../session.ts'
import { hasScreen, useModules } from './modules.ts'

/** What each key does; `?` opens it. */
export default function KeySheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const list = useModules()
  const isOff = useUser().user_config.ui_config.single_keys === false
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
      opened
      onClose={onClose}
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
