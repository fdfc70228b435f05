import { Button } from '@mantine/core'
import { statusRetrySeconds } from '@sightline/domain'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../api.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Logo } from '../ui/Logo.tsx'
import classes from './ErrorPage.module.css'
import { ErrorPage } from './ErrorPage.tsx'
import { comeAgain, isPartMissing } from './missing-part.ts'

/** What stands in place of a screen that could not be shown. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  if (error instanceof CallFailed) return <ErrorPanel error={error} onRetry={retry} />
  if (isPartMissing(error)) return <ErrorPanel error={error} onRetry={() => void comeAgain()} />
  console.error(error)
  return <ErrorPage code={500} message={error instanceof Error ? error.message : undefined} />
}

/** The first calls failed: nothing of the portal can be shown. Tries again by itself for as long as it takes. */
export function StartError({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  const [left, setLeft] = useState(statusRetrySeconds)
  const isCall = error instanceof CallFailed
  useEffect(() => {
    if (!isCall) return
    const timer = setInterval(() => setLeft((now) => now - 1), 1000)
    return () => clearInterval(timer)
  }, [isCall])
  useEffect(() => {
    if (left > 0) return
    reset()
    void router.invalidate()
  }, [left, reset, router])
  if (!isCall) return <RouteError error={error} reset={reset} />
  return (
    <main className={classes.root}>
      <Logo size={40} />
      <h1 className={classes.title}>{t('shell.statusFailed')}</h1>
      <p className={`${classes.text} num`} role="timer">
        {error.code > 0 && error.code !== 408 && `${error.message} · `}
        {t('shell.statusRetry', { count: Math.max(0, left) })}
      </p>
      <Button onClick={() => location.reload()}>{t('shell.reload')}</Button>
    </main>
  )
}
