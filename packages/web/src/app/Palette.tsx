import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import type { Site } from '@sightline/contract'
import { may } from '@sightline/domain'
import { IconBuilding, IconDeviceCctv, IconMapPin, IconPlus, IconSearch, IconUser } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Path } from '../screens.ts'
import { useUser } from '../session.ts'
import { useGo } from '../ui/Go.tsx'
import { api } from './client.ts'
import { useCustomer } from './customer.ts'
import { icons } from './icons.ts'
import { useMenu } from './Menu.tsx'
import { hasScreen, useModules } from './modules.ts'

const creations: readonly Path[] = ['/site/add', '/customer/add', '/configuration/add']
/** Which site is asked first. */
const creationsAtSite: readonly Path[] = ['/device/add', '/device/bulk', '/device/discover']

const typingMs = 150
/** So many of each kind. */
const offered = 8

/** ⌘K: every screen, what can be made, and every customer, site and camera by name. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const go = useGo()
  const groups = useMenu()
  const list = useModules()
  const { role_key } = useUser()
  const { customers, select } = useCustomer()
  const [query, setQuery] = useState('')
  /** What is to be made at a site that is chosen next. */
  const [making, setMaking] = useState<Path | null>(null)
  const [typed] = useDebouncedValue(query.trim(), typingMs)
  // The server searches: there may be thousands.
  const asked = { q: typed || undefined, limit: offered }
  const { data: sites = [] } = useQuery({ ...api.site.list.query(asked), placeholderData: keepPreviousData })
  const { data: devices = [] } = useQuery({ ...api.device.list.query(asked), placeholderData: keepPreviousData })
  useEffect(() => spotlight.open(), [])

  const fits = ({ label = '', description = '' }: SpotlightActionData) =>
    `${label} ${description}`.toLocaleLowerCase().includes(query.trim().toLocaleLowerCase())
  const siteName = new Map(sites.map((site) => [site.site_id, site.site_name]))
  const screens = groups.flatMap(({ paths }) => paths)
  const siteActions = (onChoose: (site: Site) => void) =>
    sites.map((site) => ({
      id: site.site_id,
      label: site.site_name,
      description: site.site_address.site_city,
      leftSection: <IconMapPin size={18} stroke={1.7} />,
      onClick: () => onChoose(site),
    }))
  const creation = (path: Path) => ({
    id: path,
    label: t(`screen.${path}`),
    // Found by what it takes, too.
    ...(path === '/device/bulk' && { description: t('device.many') }),
    leftSection: <IconPlus size={18} stroke={1.7} />,
    ...(creationsAtSite.includes(path)
      ? {
          closeSpotlightOnTrigger: false,
          onClick: () => {
            setMaking(path)
            setQuery('')
          },
        }
      : { onClick: () => go(path) }),
  })
  const whereTo: SpotlightActionGroupData[] = [
    {
      group: t('shell.palette.screens'),
      actions: [...screens, '/user/profile' as const]
        .map((path) => {
          const Icon = icons[path] ?? IconUser
          return {
            id: path,
            label: t(`screen.${path}`),
            leftSection: <Icon size={18} stroke={1.7} />,
            onClick: () => go(path),
          }
        })
        .filter(fits),
    },
    {
      group: t('shell.palette.actions'),
      actions: [...creations, ...creationsAtSite]
        .filter((path) => hasScreen(list, path) && may(role_key, 'edit'))
        .map(creation)
        .filter(fits),
    },
    {
      group: t('shell.palette.sites'),
      actions: siteActions((site) => go('/site/detail', { sid: site.site_id })),
    },
    {
      group: t('shell.palette.cameras'),
      actions: devices.map((device) => ({
        id: device.device_id,
        label: device.device_name,
        description: siteName.get(device.site_id),
        leftSection: <IconDeviceCctv size={18} stroke={1.7} />,
        onClick: () => go('/device/detail', { sid: device.site_id, did: device.device_id }),
      })),
    },
    {
      group: t('shell.palette.customers'),
      actions: customers
        .map((customer) => ({
          id: customer.customer_id,
          label: customer.customer_name,
          leftSection: <IconBuilding size={18} stroke={1.7} />,
          onClick: () => select(customer.customer_id),
        }))
        .filter(fits)
        .slice(0, offered),
    },
  ]
  const actions = making
    ? [{ group: t(`screen.${making}`), actions: siteActions((site) => go(making, { sid: site.site_id })) }]
    : whereTo
  const placeholder = t(making ? 'shell.palette.atSite' : 'shell.palette.placeholder')
  return (
    <Spotlight
      actions={actions.filter((group) => group.actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      // Filtered above, and by the server.
      filter={(_, all) => all}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound={t('shell.palette.nothing')}
      onSpotlightClose={onClose}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder,
        'aria-label': placeholder,
      }}
    />
  )
}
