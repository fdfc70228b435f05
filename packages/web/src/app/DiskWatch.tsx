import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { clearBanner, setBanner } from './banner.ts'
import { api } from './client.ts'
import { diskText, diskTone, diskWay } from './disk.ts'
import { router } from './router.ts'

/** Says in the banner, to administrators, that the disk of the events fills up and what that costs. Draws nothing itself. */
export default function DiskWatch() {
  const { t } = useTranslation()
  const { data } = useQuery({
    ...api.status.get.query({ is_detail: true }),
    refetchInterval: 60_000,
    retry: false,
    meta: { op: 'status.get' as const, quiet: true },
  })
  const disk = data?.disks?.find((one) => diskTone(one) !== 'ok')
  useEffect(() => {
    if (!disk) return
    setBanner({
      id: 'disk',
      version: String(disk.level),
      message: diskText(disk),
      detail: diskWay(disk),
      color: disk.level === 'low' ? 'warn' : 'bad',
      icon: 'alert',
      action: { label: t('screen./status'), run: () => void router.navigate({ to: '/status' }) },
    })
    // At signing out too: who signs in next may be no administrator.
    return () => clearBanner('disk')
  }, [disk, t])
  return null
}
