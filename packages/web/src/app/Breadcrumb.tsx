import type { ModuleItem } from '@sightline/contract'
import { truncate } from '@sightline/domain'
import { IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { i18n } from '../i18n/index.ts'
import { type IdKey, menu, type Path } from '../screens.ts'
import { Go, type Search } from '../ui/Go.tsx'
import classes from './Breadcrumb.module.css'
import { api } from './client.ts'
import { useCustomer } from './customer.ts'
import { hasScreen, useModules } from './modules.ts'
import { bare } from './verdict.ts'

type Ids = Partial<Record<IdKey, string>>
type Crumb = { label: string; to: Path; search?: Search }

const isPath = (path: string): path is Path => i18n.exists(`screen.${path}`)
const topLevel = menu.flatMap(({ entries }) => entries.map(({ path }) => path))

/** The screen one level up that has an entry in the menu and exists: `/configuration/edit` → `/configuration`. */
const parentOf = (path: Path, list: readonly ModuleItem[]): Path | null =>
  topLevel.find((entry) => path !== entry && path.startsWith(`${entry}/`) && hasScreen(list, entry)) ?? null

/** Names behind the ids of the address, as far as they can be read. */
function useNames({ sid, did, cid }: Ids) {
  const channel = useQuery({ ...api.channel.id.query({ channel_id: cid ?? '' }), enabled: Boolean(cid) }).data
  const deviceId = did ?? channel?.device_id
  const device = useQuery({ ...api.device.get.query({ device_id: deviceId ?? '' }), enabled: Boolean(deviceId) }).data
  const siteId = sid ?? device?.site_id
  const site = useQuery({ ...api.site.get.query({ site_id: siteId ?? '' }), enabled: Boolean(siteId) }).data
  return { channel, device, site }
}

/**
 * Where the person is, from the ids in the address: customer › sites › site › camera › analytic › screen.
 * Each crumb keeps only the ids at or above it.
 */
export function useCrumbs(): Crumb[] {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const { tab, ...ids }: Ids & { tab?: string } = useSearch({ strict: false })
  const { customers, selected } = useCustomer()
  const modules = useModules()
  const { channel, device, site } = useNames(ids)
  const path = bare(pathname)
  if (!isPath(path)) return []

  const crumbs: Crumb[] = []
  const customer = customers.find((one) => one.customer_id === (ids.cuid ?? site?.customer_id)) ?? selected
  const isOfSites = /^\/(site|device|channel)/.test(path) || Boolean(site)
  if (customer && (isOfSites || path === '/dashboard'))
    crumbs.push({ label: customer.customer_name, to: '/customer', search: { cuid: customer.customer_id } })
  if (isOfSites && path !== '/site') crumbs.push({ label: t('screen./site'), to: '/site' })
  if (site) crumbs.push({ label: site.site_name, to: '/site/detail', search: { sid: site.site_id } })
  if (device)
    crumbs.push({
      label: device.device_name,
      to: '/device/detail',
      search: { sid: device.site_id, did: device.device_id },
    })
  if (channel)
    crumbs.push({
      label: channel.channel_name,
      to: '/channel/detail',
      search: { did: channel.device_id, cid: channel.channel_id, uid: channel.usecase_id },
    })
  const parent = parentOf(path, modules)
  if (!isOfSites && parent) crumbs.push({ label: t(`screen.${parent}`), to: parent })
  // The last crumb is the screen itself, unless it is the thing that the crumb before names.
  if (crumbs.at(-1)?.to !== path) crumbs.push({ label: t(`screen.${path}`), to: path })
  if (path === '/customer' && tab === 'organizations')
    crumbs.push({ label: t('organization.title'), to: path, search: { tab } })
  return crumbs
}

export function Breadcrumb() {
  const { t } = useTranslation()
  const crumbs = useCrumbs()
  return (
    <nav className={`${classes.root} no-print`} aria-label={t('shell.breadcrumb')}>
      <ol className={classes.list}>
        {crumbs.map(({ label, to, search }, index) => (
          <li key={label + to} className={classes.item}>
            {index > 0 && <IconChevronRight size={13} className={classes.mark} aria-hidden="true" />}
            {index === crumbs.length - 1 ? (
              <span aria-current="page" title={label}>
                {truncate(label)}
              </span>
            ) : (
              <Go to={to} search={search} title={label}>
                {truncate(label)}
              </Go>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
