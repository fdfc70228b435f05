import { expiryStage, may } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../i18n/format.ts'
import { useUser } from '../session.ts'
import { clearBanner, setBanner } from './banner.ts'
import { api } from './client.ts'
import { portalNow } from './clock.ts'
import { router } from './router.ts'

/** Says in the banner that a licence ends or has ended, to those who can do something about it. Draws nothing itself. */
export function LicenseWatch() {
  const { t } = useTranslation()
  const mayCare = may(useUser().role_key, 'admin_and_above')
  const { data } = useQuery({ ...api.license.list.query({}), enabled: mayCare, staleTime: 600_000 })
  const due = data
    // One that does not count here does not begin to when it ends; its card says why.
    ?.filter(({ state }) => state !== 'foreign')
    .map((license) => ({
      license,
      stage: expiryStage(license.expires_at === null ? null : Date.parse(license.expires_at), portalNow()),
    }))
    .filter((item) => item.stage !== null)
    .toSorted((a, b) => (a.stage ?? 0) - (b.stage ?? 0))[0]
  const name = due?.license.license_name
  const expiresAt = due?.license.expires_at
  const stage = due?.stage
  useEffect(() => {
    if (!name || !expiresAt || stage === undefined || stage === null) return clearBanner('license')
    const isOver = stage === 0
    setBanner({
      id: 'license',
      version: `${name} ${stage}`,
      message: isOver
        ? t('shell.licenseExpired', { name })
        : stage === 1
          ? t('shell.licenseLastDay', { name })
          : t('shell.licenseExpiring', { name, date: formatDate(expiresAt) }),
      detail: isOver ? t('shell.licenseExpiredDetail') : undefined,
      color: isOver ? 'bad' : 'warn',
      icon: 'clock',
      action: { label: t('screen./license'), run: () => void router.navigate({ to: '/license' }) },
    })
  }, [name, expiresAt, stage, t])
  // At signing out too: who signs in next may not care for licences.
  useEffect(() => () => clearBanner('license'), [])
  return null
}
