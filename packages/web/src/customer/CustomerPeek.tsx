import { ActionIcon, Button, Group, MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Customer, Site } from '@sightline/contract'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { useMay } from '../session.ts'
import { countryName } from '../ui/CountrySelect.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { NeedsAttention } from '../ui/NeedsAttention.tsx'
import { usePages } from '../ui/pages.ts'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { CustomerPeople } from './CustomerPeople.tsx'
import { CustomerUsecases } from './CustomerUsecases.tsx'
import classes from './customer.module.css'

const typingMs = 200

/** A look at one customer: address, sites, and who reaches it. */
export function CustomerPeek({ customer }: { customer: Customer }) {
  const { t, i18n } = useTranslation()
  const mayEdit = useMay('edit')
  const address = customer.customer_address
  const lines = [
    address.customer_unit,
    address.customer_street,
    address.customer_area,
    [address.customer_zip, address.customer_city].filter(Boolean).join(' '),
    address.customer_state,
    countryName(address.customer_country, i18n.language),
  ]
  return (
    <div className="stack">
      <Facts
        items={[
          [t('common.description'), customer.description],
          [t('customer.address'), lines.filter(Boolean).join(', ')],
          [t('customer.cameras'), formatNumber(customer.customer_total_devices)],
        ]}
      />
      {mayEdit && (
        <Group gap="xs">
          <Button
            component={Go}
            to="/customer/edit"
            search={{ cuid: customer.customer_id }}
            size="xs"
            variant="default"
          >
            {t('common.edit')}
          </Button>
          <Button component={Go} to="/site/add" search={{ cuid: customer.customer_id }} size="xs" variant="default">
            {t('site.add')}
          </Button>
          <Button component={Go} to="/site/onboard" search={{ cuid: customer.customer_id }} size="xs" variant="default">
            {t('site.addSeveral')}
          </Button>
        </Group>
      )}
      <Sites customer={customer} mayEdit={mayEdit} />
      <CustomerUsecases customer={customer} mayEdit={mayEdit} />
      <CustomerPeople customer={customer} mayEdit={mayEdit} />
    </div>
  )
}

/** The sites of a customer; others' sites can be taken over, its own handed to the default customer. */
function Sites({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const { t } = useTranslation()
  const { customer_id } = customer
  const sites = usePages(api.site.list, { customer_id })
  const unassign = useMutation(api.customer.siteUnassign.mutation())
  return (
    <section>
      <h3 className={classes.section}>{t('customer.sites')}</h3>
      {sites.error && !sites.rows ? (
        <ErrorPanel error={sites.error} onRetry={sites.retry} />
      ) : !sites.rows ? (
        <RowsSkeleton rows={3} height={34} />
      ) : (
        <ul className={classes.sites}>
          {sites.rows.map((site) => (
            <li key={site.site_id}>
              <Go to="/site/detail" search={{ sid: site.site_id }}>
                {site.site_name}
              </Go>
              <HealthTag health={site.site_health} pending={site.site_total_devices === 0 && t('health.noCameras')} />
              <NeedsAttention count={site.site_attention_channels} of={{ sid: site.site_id }} />
              {mayEdit && !customer.is_default && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={t('customer.unassignSite', { name: site.site_name })}
                  title={t('customer.unassignHint')}
                  disabled={unassign.isPending}
                  onClick={() => unassign.mutate({ customer_id, site_id: [site.site_id] })}
                >
                  <IconX size={14} />
                </ActionIcon>
              )}
            </li>
          ))}
          {sites.rows.length === 0 && <li className="muted">{t('site.empty')}</li>}
          {sites.remote.hasMore && (
            <li>
              <Button size="compact-sm" variant="subtle" loading={sites.remote.isFetching} onClick={sites.remote.more}>
                {t('customer.moreSites')}
              </Button>
            </li>
          )}
        </ul>
      )}
      {mayEdit && <TakeSites customer={customer} />}
    </section>
  )
}

/** Takes sites from other customers of the organization. */
function TakeSites({ customer: { customer_id, organization_id } }: { customer: Customer }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const [chosen, setChosen] = useState<readonly Site[]>([])
  const { data = [] } = useQuery(api.site.list.query({ organization_id, q: q || undefined, limit: 50 }))
  const assign = useMutation(api.customer.siteAssign.mutation())
  const others = data.filter((site) => site.customer_id !== customer_id)
  const offered = [...chosen, ...others.filter(({ site_id }) => !chosen.some((one) => one.site_id === site_id))]
  return (
    <Group mt="sm" gap="xs" align="flex-end">
      <MultiSelect
        flex={1}
        label={t('customer.takeSites')}
        description={t('customer.takeHint')}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        // The server has searched already.
        filter={({ options }) => options}
        nothingFoundMessage={t('common.nothingMatches')}
        value={chosen.map(({ site_id }) => site_id)}
        onChange={(ids) => setChosen(offered.filter(({ site_id }) => ids.includes(site_id)))}
        data={offered.map(({ site_id, site_name }) => ({ value: site_id, label: site_name }))}
      />
      <Button
        variant="default"
        disabled={chosen.length === 0}
        loading={assign.isPending}
        onClick={() =>
          assign.mutate(
            { customer_id, site_id: chosen.map(({ site_id }) => site_id) },
            { onSuccess: () => setChosen([]) },
          )
        }
      >
        {t('customer.take')}
      </Button>
    </Group>
  )
}
