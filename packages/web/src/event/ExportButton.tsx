import { Button } from '@mantine/core'
import type { Api, Send } from '@sightline/contract'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, report } from '../app/client.ts'
import { language } from '../i18n/index.ts'
import { saveBlob } from '../ui/download.ts'

type Asked = Send<Api['event']['export']>

/** The events of the list as a file for a spreadsheet. */
export function ExportButton({ asked, isEmpty }: { asked: Asked; isEmpty: boolean }) {
  const { t } = useTranslation()
  const make = useMutation({
    mutationFn: async () => {
      const separator = language() === 'fr' ? ';' : ','
      const result = await api.event.export.call({ ...asked, separator })
      if (!result.status) throw result.failure
      saveBlob(result.data as Blob, `${t('event.fileName')}-${new Date().toISOString().slice(0, 10)}.csv`)
    },
    onError: report,
  })
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={make.isPending}
      disabled={isEmpty}
      onClick={() => make.mutate()}
    >
      {t('event.export')}
    </Button>
  )
}
