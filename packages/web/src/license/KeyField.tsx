import { Button, FileButton, Group, Textarea, type TextareaProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Props = TextareaProps & {
  /** What stood in a file that was chosen, and how that is called. */
  onFile: (text: string, name: string) => void
}

/** A licence key: pasted, or read from its file. */
export function KeyField({ onFile, ...field }: Props) {
  const { t } = useTranslation()
  return (
    <div>
      <Textarea label={t('license.key')} withAsterisk spellCheck={false} {...field} />
      <Group justify="flex-end" mt={6}>
        <FileButton onChange={(file) => void file?.text().then((text) => onFile(text.trim(), file.name))}>
          {(props) => (
            <Button variant="default" size="compact-sm" {...props}>
              {t('license.file')}
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  )
}
