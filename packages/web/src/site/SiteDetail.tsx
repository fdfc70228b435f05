import { Button, Menu, Tabs } from '@mantine/core'
import type { Site } from '@sightline/contract'
import { IconChevronDown, IconDeviceCctv, IconPlus } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { portalNow } from '../app/clock.ts'
import { formatNumber, formatTime, zoneOffset } from '../i18n/format.ts'
import { useMay } from '../session.ts'
import { countryName } from '../ui/CountrySelect.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { PinMap } from '../ui/map/PinMap.tsx'
import { NeedsAttention } from '../ui/NeedsAttention.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { DeleteSite } from './DeleteSite.tsx'
import { FacesTab } from './FacesTab.tsx'
import { HealthRulePanel } from './HealthRulePanel.tsx'
import { SiteTiles } from './SiteTiles.tsx'
import classes from './site.module.css'
import type { SiteTab } from './tabs.ts'
import { UsersTab } from './UsersTab.tsx'

type Props = { site: Site; tab: SiteTab; onTab: (tab: SiteTab) => void }

export function SiteDetail({ site, tab, onTab }: Props) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const search = { sid: site.site_id }
  return (
    <>
      <PageHeader
        title={
          <>
            {site.site_image && <img className={classes.thumb} src={site.site_image} alt="" />}
            {site.site_name}
          </>
        }
        meta={
          <span className={classes.meta}>
            <HealthTag health={site.site_health} pending={site.site_total_devices === 0 && t('health.noCameras')} />{' '}
            <NeedsAttention count={site.site_attention_channels} of={search} />
            <LocalTime zone={site.site_address.site_timezone} />
            <PlaceLine site={site} />
          </span>
        }
      >
        <Button component={Go} to="/site/view" search={search} variant="default">
          {t('site.report')}
        </Button>
        {mayEdit && <Manage site={site} />}
        {mayEdit && (
          <Button component={Go} to="/device/discover" search={search} leftSection={<IconPlus size={16} />} data-create>
            {t('site.addCameras')}
          </Button>
        )}
      </PageHeader>
      {/* What is out of sight reads nothing. */}
      <Tabs keepMounted={false} value={tab} onChange={(next) => onTab((next ?? 'cameras') as SiteTab)}>
        <Tabs.List mb="md">
          <Tabs.Tab value="cameras">{t('site.camerasTab')}</Tabs.Tab>
          <Tabs.Tab value="faces">{t('face.tab')}</Tabs.Tab>
          <Tabs.Tab value="users">{t('site.users.tab')}</Tabs.Tab>
          <Tabs.Tab value="about">{t('site.about')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="cameras">
          <Cameras site={site} mayEdit={mayEdit} />
        </Tabs.Panel>
        <Tabs.Panel value="faces">
          <FacesTab site={site} />
        </Tabs.Panel>
        <Tabs.Panel value="users">
          <UsersTab site={site} />
        </Tabs.Panel>
        <Tabs.Panel value="about">
          <About site={site} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** Where it is, in one line; nothing where nobody said. */
function PlaceLine({ site: { site_address: address } }: { site: Site }) {
  const { i18n } = useTranslation()
  const place = [address.site_street, address.site_city, countryName(address.site_country, i18n.language)]
  return <span>{place.filter(Boolean).join(', ')}</span>
}

/** The clock of the site, to the minute. */
function LocalTime({ zone }: { zone: string }) {
  const { t } = useTranslation()
  const [now, setNow] = useState(portalNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(portalNow()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span>
      {t('site.localTime', { time: formatTime(now, zone).slice(0, 16) })} ({zoneOffset(zone)})
    </span>
  )
}

function Manage({ site }: { site: Site }) {
  const { t } = useTranslation()
  const go = useGo()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={15} />}>
            {t('common.actions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => go('/site/edit', { sid: site.site_id })}>{t('site.edit')}</Menu.Item>
          <Menu.Item color="red" onClick={() => setIsAsking(true)}>
            {t('site.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteSite site={site} opened={isAsking} onClose={() => setIsAsking(false)} onDeleted={() => go('/site')} />
    </>
  )
}

function Cameras({ site, mayEdit }: { site: Site; mayEdit: boolean }) {
  const { t } = useTranslation()
  return (
    <SiteTiles
      site={site}
      empty={
        <Panel>
          <Empty
            icon={<IconDeviceCctv stroke={1.5} />}
            title={t('site.noCameras')}
            text={t('site.noCamerasText')}
            forbidden={!mayEdit}
            action={
              <Button component={Go} to="/device/discover" search={{ sid: site.site_id }}>
                {t('site.discover')}
              </Button>
            }
          />
        </Panel>
      }
    />
  )
}

/** How many are active, as the way to all of them. */
function AnalyticsLink({ site: { site_id, site_active_channels } }: { site: Site }) {
  return (
    <Go to="/channel" search={{ sid: site_id }}>
      {formatNumber(site_active_channels)}
    </Go>
  )
}

function About({ site }: { site: Site }) {
  const { t, i18n } = useTranslation()
  const { site_address: address } = site
  const lines = [
    address.site_unit,
    address.site_street,
    address.site_area,
    [address.site_zip, address.site_city].filter(Boolean).join(' '),
    address.site_state,
    countryName(address.site_country, i18n.language),
  ]
  return (
    <div className="split">
      <div className="stack">
        <Panel>
          <Facts
            items={[
              [t('site.form.name'), site.site_name],
              [t('site.form.timezone'), `${address.site_timezone} (${zoneOffset(address.site_timezone)})`],
              [t('site.form.address'), lines.filter(Boolean).join(', ')],
              [t('site.form.position'), address.lat === null ? null : `${address.lat}, ${address.long}`],
              [t('site.cameras'), formatNumber(site.site_total_devices)],
              [t('site.analytics'), <AnalyticsLink key="analytics" site={site} />],
            ]}
          />
        </Panel>
        <HealthRulePanel siteId={site.site_id} />
      </div>
      <div className="stack">
        {site.site_image && <img className={classes.image} src={site.site_image} alt="" />}
        {address.lat !== null && address.long !== null && (
          <PinMap label={t('site.form.position')} height={260} pin={{ lat: address.lat, long: address.long }} />
        )}
      </div>
    </div>
  )
}
