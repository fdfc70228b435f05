import { Button } from '@mantine/core'
import { IconAlertTriangle, IconLock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../api.ts'
import { Empty } from './Empty.tsx'

type Props = { error: unknown; onRetry?: () => void }

/** A part of the page that did not load, with its own words and a retry; the rest of the page goes on. */
export function ErrorPanel({ error, onRetry }: Props) {
  const { t } = useTranslation()
  if (error instanceof CallFailed && error.code === 403) return <NoAccess />
  const text = error instanceof Error ? error.message : String(error)
  return (
    <div role="alert">
      <Empty
        icon={<IconAlertTriangle stroke={1.5} />}
        title={t('state.errorTitle')}
        text={text}
        action={
          onRetry && (
            <Button variant="default" onClick={onRetry}>
              {t('common.retry')}
            </Button>
          )
        }
      />
    </div>
  )
}

/** The person may not see this: one sentence, who can grant it, and a way back. */
export function NoAccess() {
  const { t } = useTranslation()
  return (
    <Empty
      icon={<IconLock stroke={1.5} />}
      title={t('state.noAccess')}
      text={t('state.noAccessHint')}
      action={
        <Button variant="default" onClick={() => history.back()}>
          {t('state.noAccessBack')}
        </Button>
      }
    />
  )
}
