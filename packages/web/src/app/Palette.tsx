import '@mantine/spotlight/styles.css'
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { may } from '@sightline/domain'
import { IconBuilding, IconDeviceCctv, IconMapPin, IconPlus, IconSearch, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Path } from '../screens.ts'
import { useUser } from '../session.ts'
import { useGo } from '../ui/Go.tsx'
import { api } from './client.ts'
import { useCustomer } from './customer.ts'
import { icons } from './icons.ts'
import { useMenu } from './Menu.tsx'
import { hasScreen, useModules } from './modules.ts'

const creations: readonly Path[] = [
  '/site/add',
  '/customer/add',
  '/configuration/add',
  '/device/add',
  '/device/bulk',
  '/device/discover',
]

/** ⌘K: every screen, what can be made, and every customer, site and camera by name. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const go = useGo()
  const groups = useMenu()
  const list = useModules()
  const { role_key } = useUser()
  const { customers, select } = useCustomer()
  const { data: sites = [] } = useQuery(api.site.list.query({}))
  const { data: devices = [] } = useQuery(api.device.list.query({}))
  useEffect(() => spotlight.open(), [])

  const siteName = new Map(sites.map((site) => [site.site_id, site.site_name]))
  const screens = groups.flatMap(({ paths }) => paths)
  const actions: SpotlightActionGroupData[] = [
    {
      group: t('shell.palette.screens'),
      actions: [...screens, '/user/profile' as const].map((path) => {
        const Icon = icons[path] ?? IconUser
        return {
          id: path,
          label: t(`screen.${path}`),
          leftSection: <Icon size={18} stroke={1.7} />,
          onClick: () => go(path),
        }
      }),
    },
    {
      group: t('shell.palette.actions'),
      actions: creations
        .filter((path) => hasScreen(list, path) && may(role_key, 'edit'))
        .map((path) => ({
          id: path,
          label: t(`screen.${path}`),
          leftSection: <IconPlus size={18} stroke={1.7} />,
          onClick: () => go(path),
        })),
    },
    {
      group: t('shell.palette.sites'),
      actions: sites.map((site) => ({
        id: site.site_id,
        label: site.site_name,
        description: site.site_address.site_city,
        leftSection: <IconMapPin size={18} stroke={1.7} />,
        onClick: () => go('/site/detail', { sid: site.site_id }),
      })),
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
      actions: customers.map((customer) => ({
        id: customer.customer_id,
        label: customer.customer_name,
        leftSection: <IconBuilding size={18} stroke={1.7} />,
        onClick: () => select(customer.customer_id),
      })),
    },
  ]
  return (
    <Spotlight
      actions={actions.filter((group) => group.actions.length > 0)}
      limit={12}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound={t('shell.palette.nothing')}
      onSpotlightClose={onClose}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t('shell.palette.placeholder'),
        'aria-label': t('shell.palette.placeholder'),
      }}
    />
  )
}
