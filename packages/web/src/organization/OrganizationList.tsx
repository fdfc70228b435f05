import { ActionIcon, Alert, Button, Menu, Modal } from '@mantine/core'
import type { Customer, Organization } from '@sightline/contract'
import { IconBuildingCommunity, IconDots, IconPlus, IconStarFilled } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useMay } from '../session.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { OrganizationForm } from './OrganizationForm.tsx'
import classes from './organization.module.css'

/** The tenants of the portal: who owns customers, people, edge servers and licences, and how long what they see is kept. */
export function OrganizationList() {
  const { t } = useTranslation()
  const mayEdit = useMay('super_admin_only')
  const query = useQuery(api.organization.list.query({}))
  const { data: customers } = useQuery(api.customer.list.query({}))
  const organizations = query.data
  const [edited, setEdited] = useState<Organization | 'new' | null>(null)
  /** As stored now: somebody else may change it while the dialog is open. */
  const current =
    edited === 'new'
      ? null
      : (organizations?.find(({ organization_id }) => organization_id === edited?.organization_id) ?? edited)
  const [leaving, setLeaving] = useState<Organization | null>(null)
  const remove = useMutation(api.organization.delete.mutation({ inline: true }))
  const close = () => {
    remove.reset()
    setLeaving(null)
  }
  const columns = useMemo(
    (): Column<Organization>[] => [
      {
        id: 'name',
        header: t('organization.name'),
        value: ({ organization_name }) => organization_name,
        cell: ({ organization_name, is_default, description }) => (
          <span className={classes.name}>
            <b>
              {organization_name}
              {is_default && (
                <>
                  {' '}
                  <IconStarFilled size={13} className={classes.star} aria-hidden="true" />
                  <span className="sr">{t('organization.default')}</span>
                </>
              )}
            </b>
            {description && <span className="t2">{description}</span>}
          </span>
        ),
      },
      {
        id: 'customers',
        header: t('organization.customers'),
        value: (one) => ofIt(customers, one),
        align: 'right',
        cell: (one) => <span className="num">{ofIt(customers, one) ?? '–'}</span>,
      },
      {
        id: 'events',
        header: t('organization.events'),
        value: ({ raw_days }) => raw_days,
        align: 'right',
        cell: ({ raw_days }) => <span className="num">{t('organization.days', { count: raw_days })}</span>,
      },
      {
        id: 'charts',
        header: t('organization.charts'),
        value: ({ rollup_days }) => rollup_days,
        align: 'right',
        cell: ({ rollup_days }) => <span className="num">{t('organization.days', { count: rollup_days })}</span>,
      },
    ],
    [t, customers],
  )
  return (
    <>
      <PageHeader
        title={t('organization.title')}
        meta={organizations && t('organization.meta', { count: organizations.length })}
      >
        <Button component={Go} to="/customer" variant="default">
          {t('organization.toCustomers')}
        </Button>
        {mayEdit && (
          <Button leftSection={<IconPlus size={16} />} data-create onClick={() => setEdited('new')}>
            {t('organization.add')}
          </Button>
        )}
      </PageHeader>
      <Panel flush>
        {query.isError && !organizations ? (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        ) : !organizations ? (
          <RowsSkeleton />
        ) : (
          <DataTable
            label={t('organization.title')}
            columns={columns}
            rows={organizations}
            rowId={({ organization_id }) => organization_id}
            filterLabel={t('organization.filter')}
            empty={
              <Empty
                icon={<IconBuildingCommunity stroke={1.5} />}
                title={t('organization.empty')}
                text={t('organization.emptyText')}
              />
            }
            actions={
              mayEdit
                ? (one) => (
                    <Menu position="bottom-end">
                      <Menu.Target>
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={t('common.actionsFor', { name: one.organization_name })}
                        >
                          <IconDots size={17} />
                        </ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        <Menu.Item onClick={() => setEdited(one)}>{t('common.edit')}</Menu.Item>
                        <Menu.Item color="red" disabled={one.is_default} onClick={() => setLeaving(one)}>
                          {t('organization.delete')}
                        </Menu.Item>
                        {one.is_default && <Menu.Label>{t('message.default_organization')}</Menu.Label>}
                      </Menu.Dropdown>
                    </Menu>
                  )
                : undefined
            }
          />
        )}
      </Panel>
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={t(edited === 'new' ? 'organization.add' : 'organization.edit')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {edited && <OrganizationForm organization={current} onClose={() => setEdited(null)} />}
      </Modal>
      <Confirm
        opened={leaving !== null}
        onClose={close}
        title={t('organization.delete')}
        confirmLabel={t('organization.delete')}
        typeToConfirm={leaving?.organization_name}
        pending={remove.isPending}
        onConfirm={() => leaving && remove.mutate({ organization_id: leaving.organization_id }, { onSuccess: close })}
      >
        {leaving && t('organization.deleteText', { name: leaving.organization_name })}
        {remove.isError && (
          <Alert color="red" role="alert" mt="sm">
            {remove.error.message}
          </Alert>
        )}
      </Confirm>
    </>
  )
}

/** How many are its own; null while they are not known. */
const ofIt = (customers: readonly Customer[] | undefined, { organization_id }: Organization) =>
  customers?.filter((customer) => customer.organization_id === organization_id).length ?? null
