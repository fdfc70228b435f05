import { ActionIcon, Button, Menu, Select } from '@mantine/core'
import type { Customer, Health, Site } from '@sightline/contract'
import { truncate } from '@sightline/domain'
import { IconDots, IconMapPin, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { compareText, formatNumber } from '../i18n/format.ts'
import { useMay } from '../session.ts'
import { countryName } from '../ui/CountrySelect.tsx'
import { type Column, countColumn, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { SitesMap } from '../ui/map/SitesMap.tsx'
import { NeedsAttention } from '../ui/NeedsAttention.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { SelectionBar, useSelection } from '../ui/selection.tsx'
import { AssignSites, mostAssigned } from './AssignSites.tsx'
import { DeleteSite } from './DeleteSite.tsx'
import { useStorageColumn } from './StorageColumn.tsx'
import classes from './site.module.css'

/** The portal answers no more at once. */
const mostShown = 500
const grades: readonly Health[] = ['healthy', 'needs attention', 'offline', 'unknown']

export type SiteFilter = { health?: Health | undefined; country?: string | undefined; tag?: string | undefined }
type Props = SiteFilter & { customer: Customer | null; onFilter: (change: SiteFilter) => void }

/** The sites of the selected customer, as a table and on the map. */
export function SiteList({ customer, health, country, tag, onFilter }: Props) {
  const { t, i18n } = useTranslation()
  const go = useGo()
  const mayEdit = useMay('edit')
  const query = useQuery({
    ...api.site.list.query({ customer_id: customer?.customer_id }),
    enabled: customer !== null,
  })
  const { q }: { q?: string } = useSearch({ strict: false })
  const isCut = query.data !== undefined && query.data.length >= mostShown
  // What is beyond the first ones is found by its name.
  const named = useQuery({
    ...api.site.list.query({ customer_id: customer?.customer_id, q }),
    enabled: customer !== null && isCut && Boolean(q),
    placeholderData: keepPreviousData,
  })
  const sites = useMemo(() => {
    if (!customer) return []
    if (!isCut || !q || !named.data) return query.data
    const known = new Set(query.data?.map(({ site_id }) => site_id))
    return [...(query.data ?? []), ...named.data.filter(({ site_id }) => !known.has(site_id))]
  }, [customer, query.data, named.data, isCut, q])
  const rows = useMemo(
    () =>
      sites?.filter(
        (site) =>
          (!health || site.site_health === health) &&
          (!country || site.site_address.site_country === country) &&
          (!tag || site.site_tags.includes(tag)),
      ) ?? [],
    [sites, health, country, tag],
  )
  const [isAssigning, setIsAssigning] = useState(false)
  const selection = useSelection(customer?.customer_id ?? '', sites ?? [], ({ site_id }) => site_id)
  const places = useMemo(() => rows.map(({ site_address: { lat, long }, ...site }) => ({ ...site, lat, long })), [rows])
  const countries = [...new Set(sites?.map((site) => site.site_address.site_country).filter(Boolean))]
    .map((code) => ({ value: code, label: countryName(code, i18n.language) }))
    .toSorted((a, b) => compareText(a.label, b.label))
  const tags = [...new Set(sites?.flatMap((site) => site.site_tags))].toSorted(compareText)
  const isPlaced = sites?.some(({ site_address }) => site_address.lat !== null) ?? false

  const storage = useStorageColumn(customer)
  const columns = useMemo((): Column<Site>[] => {
    const placeOf = ({ site_address: { site_city, site_country } }: Site) =>
      [site_city, countryName(site_country, i18n.language)].filter(Boolean).join(', ')
    return [
      {
        id: 'name',
        header: t('site.name'),
        // The place too: it is found by what one types, and of two names alike the one before the other.
        value: (site) => `${site.site_name} ${placeOf(site)}`,
        cell: (site) => (
          <>
            <Go to="/site/detail" search={{ sid: site.site_id }} className={classes.name} title={site.site_name}>
              {truncate(site.site_name)}
            </Go>
            {placeOf(site) && <span className={`${classes.place} t3`}>{placeOf(site)}</span>}
          </>
        ),
      },
      {
        id: 'health',
        header: t('site.health'),
        value: (site) => t(`health.${site.site_health}`),
        cell: (site) => (
          <span className={classes.health}>
            <HealthTag health={site.site_health} pending={site.site_total_devices === 0 && t('health.noCameras')} />
            <NeedsAttention count={site.site_attention_channels} of={{ sid: site.site_id }} />
          </span>
        ),
      },
      countColumn('cameras', t('site.cameras'), (site) => site.site_total_devices),
      countColumn('analytics', t('site.analytics'), (site) => site.site_active_channels),
      ...storage.columns,
    ]
  }, [t, i18n.language, storage.columns])

  const add = customer ? (
    <Button component={Go} to="/site/add" search={{ cuid: customer.customer_id }} leftSection={<IconPlus size={16} />}>
      {t('site.add')}
    </Button>
  ) : (
    <Button component={Go} to="/customer/add" leftSection={<IconPlus size={16} />}>
      {t('site.addCustomer')}
    </Button>
  )
  const offline = sites?.filter((site) => site.site_health === 'offline').length ?? 0
  const meta = [
    customer?.customer_name,
    // Of more than are listed it is not known how many are offline.
    sites && t('site.meta', { count: isCut && customer ? customer.customer_total_sites : sites.length }),
    !isCut && offline > 0 && t('site.offline', { count: offline }),
  ]
  return (
    <>
      <PageHeader
        title={t('site.title')}
        meta={
          <>
            {meta.filter(Boolean).join(' · ')}
            {customer && (
              <>
                {' · '}
                <Go to="/channel" search={{ cuid: customer.customer_id }}>
                  {t('site.allAnalytics')}
                </Go>
              </>
            )}
          </>
        }
      >
        {mayEdit && customer && (
          <Button component={Go} to="/site/onboard" search={{ cuid: customer.customer_id }} variant="default">
            {t('site.addSeveral')}
          </Button>
        )}
        {mayEdit && sites && sites.length > 0 && <span data-create>{add}</span>}
      </PageHeader>
      <div className={isPlaced ? classes.beside : undefined}>
        <Panel flush>
          {query.isError && !sites ? (
            <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
          ) : !sites ? (
            <RowsSkeleton />
          ) : (
            <DataTable
              label={t('site.title')}
              columns={columns}
              rows={rows}
              rowId={(site) => site.site_id}
              filterLabel={t('site.filter')}
              filters={
                <>
                  <Select
                    w={170}
                    aria-label={t('site.filterHealth')}
                    placeholder={t('site.allHealth')}
                    clearable
                    value={health ?? null}
                    onChange={(next) => onFilter({ health: (next ?? undefined) as Health | undefined })}
                    data={grades.map((grade) => ({ value: grade, label: t(`health.${grade}`) }))}
                  />
                  {countries.length > 1 && (
                    <Select
                      w={170}
                      aria-label={t('address.country')}
                      placeholder={t('site.allCountries')}
                      clearable
                      searchable
                      value={country ?? null}
                      onChange={(next) => onFilter({ country: next ?? undefined })}
                      data={countries}
                    />
                  )}
                  {tags.length > 0 && (
                    <Select
                      w={195}
                      aria-label={t('site.filterTag')}
                      placeholder={t('site.allTags')}
                      clearable
                      searchable
                      value={tag ?? null}
                      onChange={(next) => onFilter({ tag: next ?? undefined })}
                      data={tags}
                    />
                  )}
                </>
              }
              isFiltered={health !== undefined || country !== undefined || tag !== undefined}
              onClearFilters={() => onFilter({ health: undefined, country: undefined, tag: undefined })}
              selection={mayEdit ? { of: selection, labelOf: ({ site_name }) => site_name } : undefined}
              footer={
                <>
                  {storage.notice}
                  {isCut && (
                    <p className={`${classes.cut} t2`}>
                      {t('site.cut', { shown: formatNumber(mostShown) })} <Go to="/map">{t('site.cutMap')}</Go>
                    </p>
                  )}
                  <SelectionBar of={selection}>
                    <Button
                      size="xs"
                      variant="default"
                      disabled={selection.rows.length > mostAssigned}
                      onClick={() => setIsAssigning(true)}
                    >
                      {t('site.assign.open')}
                    </Button>
                  </SelectionBar>
                </>
              }
              onRowClick={(site) => go('/site/detail', { sid: site.site_id })}
              empty={
                <Empty
                  icon={<IconMapPin stroke={1.5} />}
                  title={t('site.empty')}
                  text={customer ? t('site.emptyText') : t('site.noCustomer')}
                  action={add}
                  forbidden={!mayEdit}
                />
              }
              actions={(site) => (
                <SiteMenu site={site} mayEdit={mayEdit} onDeleted={() => selection.choose([site], false)} />
              )}
            />
          )}
        </Panel>
        {isPlaced && (
          <div className={classes.map}>
            <SitesMap label={t('site.map')} height={420} sites={places} onOpen={(sid) => go('/site/detail', { sid })} />
            {rows.some(({ site_address }) => site_address.lat === null) && (
              <p className="t3">
                {t('site.unplaced', { count: rows.filter(({ site_address }) => site_address.lat === null).length })}
              </p>
            )}
          </div>
        )}
      </div>
      <AssignSites
        sites={isAssigning ? selection.rows : []}
        onClose={() => setIsAssigning(false)}
        onDone={() => {
          setIsAssigning(false)
          selection.clear()
        }}
      />
    </>
  )
}

function SiteMenu({ site, mayEdit, onDeleted }: { site: Site; mayEdit: boolean; onDeleted: () => void }) {
  const { t } = useTranslation()
  const go = useGo()
  const search = { sid: site.site_id }
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('common.actionsFor', { name: site.site_name })}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => go('/site/detail', search)}>{t('common.open')}</Menu.Item>
          <Menu.Item onClick={() => go('/site/view', search)}>{t('site.report')}</Menu.Item>
          {mayEdit && (
            <>
              <Menu.Item onClick={() => go('/device/discover', search)}>{t('site.addCameras')}</Menu.Item>
              <Menu.Item onClick={() => go('/site/edit', search)}>{t('common.edit')}</Menu.Item>
              <Menu.Item color="red" onClick={() => setIsAsking(true)}>
                {t('site.delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <DeleteSite site={site} opened={isAsking} onClose={() => setIsAsking(false)} onDeleted={onDeleted} />
    </>
  )
}
