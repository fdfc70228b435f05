import { statusRetrySeconds } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../session.ts'
import { clearBanner, setBanner } from './banner.ts'
import { api } from './client.ts'

/** So many retries, 10 s apart, before the advice to reload. */
const retries = 6

/** Server status, read every 10 s in silence. */
export const statusQuery = () => ({
  ...api.status.get.query({}),
  refetchInterval: statusRetrySeconds * 1000,
  retry: false,
  meta: { op: 'status.get' as const, quiet: true },
})

/** Whether the server does not answer: what was read before it stopped is not known to be so any more. */
export const useIsServerAway = (): boolean => useQuery(statusQuery()).isError

/** Watches whether the server answers and the browser is online, and says so in the banner. Draws nothing itself. */
export function ServerWatch() {
  const { t } = useTranslation()
  const isAdmin = useMay('admin_and_above')
  const { isError, errorUpdateCount, errorUpdatedAt } = useQuery(statusQuery())
  const [firstError, setFirstError] = useState(0)
  const [now, setNow] = useState(Date.now)
  const [isOffline, setIsOffline] = useState(() => !navigator.onLine)

  useEffect(() => {
    const update = () => setIsOffline(!navigator.onLine)
    addEventListener('online', update)
    addEventListener('offline', update)
    return () => {
      removeEventListener('online', update)
      removeEventListener('offline', update)
    }
  }, [])
  useEffect(() => {
    if (!isError) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isError])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count at which the trouble began
  useEffect(() => setFirstError(isError ? errorUpdateCount : 0), [isError])

  const left = Math.max(0, Math.ceil((errorUpdatedAt + statusRetrySeconds * 1000 - now) / 1000))
  const isGivenUp = isError && errorUpdateCount - firstError >= retries
  useEffect(() => {
    if (isOffline) {
      setBanner({ id: 'server', version: 'offline', message: t('shell.offline'), color: 'warn', icon: 'plug' })
    } else if (isGivenUp) {
      const action = { label: t('shell.reload'), run: () => location.reload() }
      setBanner({
        id: 'server',
        version: 'given up',
        message: t('shell.statusFailed'),
        detail: t(isAdmin ? 'shell.statusReloadAdmin' : 'shell.statusReload'),
        color: 'bad',
        icon: 'plug',
        action,
      })
    } else if (isError) {
      const detail = t('shell.statusRetry', { count: left })
      setBanner({
        id: 'server',
        version: 'failed',
        message: t('shell.statusFailed'),
        detail,
        color: 'bad',
        icon: 'plug',
      })
    } else clearBanner('server')
  }, [isOffline, isError, isGivenUp, isAdmin, left, t])
  // Without a watch nobody would count on, nor take it away.
  useEffect(() => () => clearBanner('server'), [])
  return null
}
