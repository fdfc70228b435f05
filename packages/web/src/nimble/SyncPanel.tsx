import { Button, Switch } from '@mantine/core'
import type { Nimble } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { edgeName } from '../i18n/seeded.ts'
import { useMay } from '../session.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { Steps } from '../ui/Steps.tsx'
import classes from './nimble.module.css'

/** So many pieces are drawn; the rest is one press away on the deployment screen. */
const mostItems = 60

/** What should run at an edge server and how far each piece is, with a way to send it all again. */
export function SyncPanel({ nimble, isNew }: { nimble: Nimble; isNew: boolean }) {
  const { nimble_id } = nimble
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const [onlyOpen, setOnlyOpen] = useState(false)
  const sync = useQuery({ ...api.nimble.sync.query({ nimble_id }), refetchInterval: 10_000 })
  const resend = useMutation(api.nimble.resend.mutation())
  // What nothing runs is not to run.
  const items = (sync.data?.items ?? []).filter(({ cause }) => cause !== 'pipeline_unused')
  const open = items.filter(({ step }) => step !== 'running')
  const shown = (onlyOpen ? open : items).slice(0, mostItems)
  return (
    <Panel
      flush
      title={t('sync.title')}
      hint={
        sync.data
          ? [
              t(isNew ? 'nimble.syncFirst' : `nimble.sync.${sync.data.sync}`),
              t('nimble.versions', {
                applied: sync.data.applied_version ?? '–',
                desired: sync.data.desired_version,
              }),
            ].join(' · ')
          : t('sync.hint')
      }
      aside={
        mayEdit && (
          <Button
            size="xs"
            variant="default"
            title={t('sync.resendHint')}
            loading={resend.isPending}
            onClick={() => resend.mutate({ nimble_id })}
          >
            {t('sync.resend')}
          </Button>
        )
      }
    >
      {sync.isError && !sync.data ? (
        <ErrorPanel error={sync.error} onRetry={() => void sync.refetch()} />
      ) : !sync.data ? (
        <RowsSkeleton rows={3} height={40} />
      ) : items.length === 0 ? (
        <Empty title={t('sync.empty')} />
      ) : (
        <>
          <p className={classes.waits} style={{ paddingTop: 12 }}>
            {t('sync.inside')}
          </p>
          {sync.data.sync === 'unreachable' && (
            <p className={classes.waits} style={{ paddingTop: 12 }}>
              {t('sync.waits', { name: edgeName(nimble) })}
            </p>
          )}
          {items.length > 8 && (
            <p className={classes.waits} style={{ paddingTop: 12 }}>
              <Switch label={t('sync.show')} checked={onlyOpen} onChange={() => setOnlyOpen(!onlyOpen)} />
            </p>
          )}
          {shown.length === 0 ? (
            <Empty title={t('sync.allRunning')} />
          ) : (
            <ul className={classes.synced}>
              {shown.map((item) => (
                <li key={item.id}>
                  <span className="truncate">
                    {item.device_id && item.site_id ? (
                      <Go to="/device/detail" search={{ sid: item.site_id, did: item.device_id }}>
                        {item.name}
                      </Go>
                    ) : (
                      item.name
                    )}{' '}
                    {item.kind !== 'channel' && <span className="muted">{t(`sync.kind.${item.kind}`)}</span>}
                  </span>
                  <Steps item={item} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Panel>
  )
}
