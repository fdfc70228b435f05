import { Button, CopyButton, Stack } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useInstance } from '../app/instance.ts'
import { statusQuery } from '../app/ServerWatch.tsx'
import { formatTime } from '../i18n/format.ts'
import { streamState } from '../live.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { Facts } from '../ui/Facts.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { browserZone } from '../ui/TimezoneSelect.tsx'

/** What helps when something does not work; it needs neither a session nor a server that answers. */
export function Support() {
  const { t } = useTranslation()
  const { name, support } = useInstance()
  const { data: status, isError } = useQuery(statusQuery())
  const stream = useStore(streamState)
  const user = useStore(session)
  const facts: [string, string][] = [
    [t('support.version'), `${name} ${status?.version ?? ''}`],
    [t('support.server'), isError ? t('support.silent') : t('support.answers')],
    [t('support.stream'), stream === 'open' ? t('shell.moduleState.on') : t('shell.moduleState.off')],
    [t('support.browser'), navigator.userAgent],
    [t('support.screen'), `${innerWidth} × ${innerHeight} @ ${devicePixelRatio}`],
    [t('support.zone'), browserZone()],
    [t('support.time'), formatTime(Date.now())],
  ]
  if (user) facts.push([t('support.role'), t(`role.${user.role_key}`)])
  return (
    <>
      <PageHeader title={t('support.title')} meta={t('support.hint')} />
      <Stack gap="md" maw={760}>
        <Panel title={t('support.contact')}>{support || t('support.noContact')}</Panel>
        <Panel
          title={t('support.diagnostics')}
          hint={t('support.diagnosticsHint')}
          aside={
            <CopyButton
              value={facts.map(([label, value]) => t('common.pair', { name: label, text: value })).join('\n')}
            >
              {({ copied, copy }) => (
                <Button leftSection={<IconCopy size={16} />} onClick={copy}>
                  {copied ? t('common.copied') : t('support.copy')}
                </Button>
              )}
            </CopyButton>
          }
        >
          <Facts items={facts} />
        </Panel>
      </Stack>
    </>
  )
}
