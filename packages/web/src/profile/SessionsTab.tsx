import { Button } from '@mantine/core'
import type { Session } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatLastLogin, formatTime } from '../i18n/format.ts'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Tag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { browserName } from './browser-name.ts'

export function SessionsTab() {
  const { t } = useTranslation()
  const query = useQuery(api.user.sessions.query({}))
  const revoke = useMutation(api.user.sessionRevoke.mutation())
  const columns = useMemo(
    (): Column<Session>[] => [
      {
        id: 'device',
        header: t('profile.device'),
        value: (session) => browserName(session.user_agent),
        cell: (session) => (
          <span title={session.user_agent}>
            {browserName(session.user_agent) || t('common.unknown')}{' '}
            {session.is_current && <Tag tone="ok">{t('profile.thisOne')}</Tag>}
          </span>
        ),
      },
      {
        id: 'ip',
        header: t('profile.ip'),
        value: (session) => session.ip,
        cell: (session) => <span className="num">{session.ip}</span>,
      },
      {
        id: 'since',
        header: t('profile.since'),
        value: (session) => session.created_at,
        cell: (session) => <span className="num">{formatTime(session.created_at)}</span>,
      },
      {
        id: 'seen',
        header: t('profile.seen'),
        value: (session) => session.last_seen_at,
        cell: (session) => <span className="num">{formatLastLogin(session.last_seen_at)}</span>,
      },
    ],
    [t],
  )
  return (
    <Panel flush title={t('profile.tabs.sessions')} hint={t('profile.sessionsHint')}>
      {query.isError && !query.data ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <RowsSkeleton rows={3} />
      ) : (
        <DataTable
          label={t('profile.tabs.sessions')}
          columns={columns}
          rows={query.data}
          rowId={(session) => session.session_id}
          empty={null}
          actions={(session) =>
            !session.is_current && (
              <Button
                variant="default"
                size="compact-sm"
                loading={revoke.isPending && revoke.variables.session_id === session.session_id}
                onClick={() => revoke.mutate({ session_id: session.session_id })}
              >
                {t('profile.revoke')}
              </Button>
            )
          }
        />
      )}
    </Panel>
  )
}
