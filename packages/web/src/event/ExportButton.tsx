import { Button } from '@mantine/core'
import type { Api, Send } from '@sightline/contract'
import { metricIds, protections, usecaseKeys } from '@sightline/domain'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, report } from '../app/client.ts'
import type { en } from '../i18n/en/index.ts'
import { i18n, language } from '../i18n/index.ts'
import { causeText } from '../i18n/words.ts'
import { saveBlob } from '../ui/download.ts'

type Columns = (typeof en)['event']['csv']
type Asked = Send<Api['event']['export']>

/** What is a code in the file, in words. */
function fileWords(): Record<string, string> {
  const all = <K extends string>(group: string, keys: readonly K[], text: (key: K) => string) =>
    keys.map((key) => [`${group}${key}`, text(key)] as const)
  const { t } = i18n
  const columns = Object.keys(t('event.csv', { returnObjects: true })) as (keyof Columns)[]
  return Object.fromEntries([
    ...all('', columns, (key) => t(`event.csv.${key}`)),
    ...all('', metricIds, (key) => t(`usecase.metric.${key}`)),
    ...all('kind.', ['window', 'open', 'update', 'close'], (key) => t(`event.kind.${key}`)),
    ...all('usecase.', usecaseKeys, (key) => t(`usecase.name.${key}`)),
    ...all('direction.', ['up', 'down'], (key) => t(`event.directions.${key}`)),
    ...all('finding.', ['nobody', 'black', 'covered', 'frozen', 'blurred'], causeText),
    ...all('item.', protections, (key) => t(`model.label.${key}`)),
  ])
}

/** The events of the list as a file for a spreadsheet. */
export function ExportButton({ asked, isEmpty }: { asked: Asked; isEmpty: boolean }) {
  const { t } = useTranslation()
  const make = useMutation({
    mutationFn: async () => {
      const isFrench = language() === 'fr'
      const separator = isFrench ? ';' : ','
      const result = await api.event.export.call({ ...asked, separator, words: isFrench ? fileWords() : undefined })
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
