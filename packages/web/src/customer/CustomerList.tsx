import { ActionIcon, Button, Drawer, Menu } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import { truncate } from '@sightline/domain'
import { IconBuilding, IconDots, IconPlus, IconStarFilled } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useMay } from '../session.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { type Column, countColumn, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { CustomerPeek } from './CustomerPeek.tsx'
import classes from './customer.module.css'

type Props = { openId: string | undefined; onOpen: (customerId: string | undefined) => void }

export function CustomerList({ openId, onOpen }: Props) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const seesOrganizations = useMay('super_nav')
  const query = useQuery(api.customer.list.query({}))
  const customers = query.data
  const [toDelete, setToDelete] = useState<Customer | null>(null)
  const remove = useMutation(api.customer.destroy.mutation())

  const columns = useMemo(
    (): Column<Customer>[] => [
      {
        id: 'name',
        header: t('customer.name'),
        value: (customer) => customer.customer_name,
        cell: (customer) => (
          <Go
            to="/customer"
            search={{ cuid: customer.customer_id }}
            className={classes.name}
            title={customer.customer_name}
          >
            {truncate(customer.customer_name)}
            {customer.is_default && (
              <>
                <IconStarFilled size={13} className={classes.star} aria-hidden="true" />
                <span className="sr"> {t('customer.default')}</span>
              </>
            )}
          </Go>
        ),
      },
      {
        id: 'city',
        header: t('address.city'),
        value: (customer) => customer.customer_address.customer_city,
        cell: (customer) => <span className="t2">{customer.customer_address.customer_city || '–'}</span>,
      },
      countColumn('sites', t('customer.sites'), (customer) => customer.customer_total_sites),
      countColumn('cameras', t('customer.cameras'), (customer) => customer.customer_total_devices),
      countColumn('analytics', t('device.analytics'), (customer) => customer.customer_total_channels),
      countColumn('people', t('customer.users'), (customer) => customer.customer_total_users),
    ],
    [t],
  )
  const add = (
    <Button component={Go} to="/customer/add" leftSection={<IconPlus size={16} />} data-create>
      {t('customer.add')}
    </Button>
  )
  const opened = customers?.find((one) => one.customer_id === openId) ?? null
  return (
    <>
      <PageHeader title={t('screen./customer')} meta={customers && t('customer.meta', { count: customers.length })}>
        {seesOrganizations && (
          <Button component={Go} to="/customer" search={{ tab: 'organizations' }} variant="default">
            {t('organization.title')}
          </Button>
        )}
        {mayEdit && customers && customers.length > 0 && add}
      </PageHeader>
      <Panel flush>
        {query.isError && !customers ? (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        ) : !customers ? (
          <RowsSkeleton />
        ) : (
          <DataTable
            label={t('screen./customer')}
            columns={columns}
            rows={customers}
            rowId={(customer) => customer.customer_id}
            filterLabel={t('customer.filter')}
            onRowClick={(customer) => onOpen(customer.customer_id)}
            isSelected={(customer) => customer.customer_id === openId}
            empty={
              <Empty
                icon={<IconBuilding stroke={1.5} />}
                title={t('customer.empty')}
                text={t('customer.emptyText')}
                action={add}
                forbidden={!mayEdit}
              />
            }
            actions={(customer) => (
              <CustomerMenu customer={customer} mayEdit={mayEdit} onDelete={() => setToDelete(customer)} />
            )}
          />
        )}
      </Panel>
      <Drawer
        opened={opened !== null}
        onClose={() => onOpen(undefined)}
        title={opened?.customer_name}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {opened && <CustomerPeek key={opened.customer_id} customer={opened} />}
      </Drawer>
      <Confirm
        opened={toDelete !== null}
        onClose={() => setToDelete(null)}
        title={t('customer.delete')}
        confirmLabel={t('customer.delete')}
        typeToConfirm={toDelete?.customer_name}
        pending={remove.isPending}
        onConfirm={() => {
          if (toDelete) remove.mutate({ customer_id: toDelete.customer_id }, { onSettled: () => setToDelete(null) })
        }}
      >
        {t('customer.deleteText')}
      </Confirm>
    </>
  )
}

type MenuProps = { customer: Customer; mayEdit: boolean; onDelete: () => void }

function CustomerMenu({ customer, mayEdit, onDelete }: MenuProps) {
  const { t } = useTranslation()
  const go = useGo()
  const search = { cuid: customer.customer_id }
  const hasSites = customer.customer_total_sites > 0
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.actionsFor', { name: customer.customer_name })}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => go('/customer', search)}>{t('common.open')}</Menu.Item>
        {mayEdit && (
          <>
            <Menu.Item onClick={() => go('/customer/edit', search)}>{t('common.edit')}</Menu.Item>
            <Menu.Item onClick={() => go('/site/add', search)}>{t('site.add')}</Menu.Item>
            <Menu.Item onClick={() => go('/site/onboard', search)}>{t('site.addSeveral')}</Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" disabled={hasSites} onClick={onDelete}>
              {t('customer.delete')}
            </Menu.Item>
            {hasSites && <Menu.Label>{t('customer.deleteBlocked')}</Menu.Label>}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
