import { Button } from '@mantine/core'
import type { Evidence } from '@sightline/contract'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatBytes } from '../i18n/format.ts'
import { causeText } from '../i18n/words.ts'
import { save, saveBlob } from '../ui/download.ts'
import { Panel } from '../ui/Panel.tsx'
import classes from './event.module.css'
import { manifestName, manifestOf } from './evidence.ts'

type File = Evidence['files'][number]

const json = (text: string) => new Blob([text], { type: 'application/json' })

function download({ url, text, name }: File) {
  if (url) save(url, name)
  else if (text !== null) saveBlob(json(text), name)
}

/** The files that prove an event, each with its SHA-256, and a list of them all. That they were taken is traced. */
export function EvidencePanel({ eventId }: { eventId: string }) {
  const { t } = useTranslation()
  const collect = useMutation(api.event.evidence.mutation({ quiet: true }))
  const { data } = collect
  const manifest = data && manifestOf(data)
  return (
    <Panel
      title={t('event.evidence.title')}
      aside={
        <Button
          variant={data ? 'default' : 'filled'}
          leftSection={<IconDownload size={16} />}
          loading={collect.isPending}
          onClick={() => collect.mutate({ event_uuid: eventId })}
        >
          {t(data ? 'event.evidence.again' : 'event.evidence.collect')}
        </Button>
      }
    >
      <p className={`${classes.hint} t3`}>{t('event.evidence.hint')}</p>
      {data && manifest && (
        <ul className={classes.files}>
          {data.files.map((file) => (
            <li key={file.name}>
              <span className={classes.fileName}>{file.name}</span>
              {file.cause !== null ? (
                <span className="t3">{causeText(file.cause)}</span>
              ) : (
                <>
                  <span className="t3 num">{formatBytes(file.size ?? 0)}</span>
                  <Button variant="subtle" size="compact-sm" onClick={() => download(file)}>
                    {t('event.evidence.download')}
                  </Button>
                  <code className={classes.hash}>SHA-256 {file.sha256}</code>
                </>
              )}
            </li>
          ))}
          <li>
            <span className={classes.fileName}>manifest.json</span>
            <span className="t3">{t('event.evidence.manifest')}</span>
            <Button variant="subtle" size="compact-sm" onClick={() => saveBlob(json(manifest), manifestName(eventId))}>
              {t('event.evidence.download')}
            </Button>
          </li>
        </ul>
      )}
    </Panel>
  )
}
