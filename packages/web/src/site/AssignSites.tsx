import { Alert, Button, Group, Modal, SegmentedControl, Select, Stack } from '@mantine/core'
import type { Site } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useCustomer } from '../app/customer.ts'
import { PersonSelect } from '../ui/people/PersonSelect.tsx'

/** Sites in one call. */
export const mostAssigned = 1000

type Props = {
  /** None: the dialog is closed. */
  sites: readonly Site[]
  onClose: () => void
  onDone: () => void
}

/** Gives several sites to another customer, or to a person who then reaches them. */
export function AssignSites({ sites, onClose, onDone }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={sites.length > 0}
      onClose={onClose}
      title={t('site.assign.title', { count: sites.length })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {sites.length > 0 && <Assigning sites={sites} onClose={onClose} onDone={onDone} />}
    </Modal>
  )
}

const ways = ['customer', 'person'] as const

function Assigning({ sites, onClose, onDone }: Props) {
  const { t } = useTranslation()
  const { customers } = useCustomer()
  const others = customers.filter(
    ({ customer_id, organization_id }) =>
      sites.every((site) => site.organization_id === organization_id) &&
      sites.some((site) => site.customer_id !== customer_id),
  )
  const [way, setWay] = useState<(typeof ways)[number]>(others.length > 0 ? 'customer' : 'person')
  const [chosen, setChosen] = useState<string | null>(null)
  const toCustomer = useMutation(api.customer.siteAssign.mutation())
  const toPerson = useMutation(api.site.assign.mutation())
  const isMixed = sites.some(({ organization_id }) => organization_id !== sites[0]?.organization_id)
  const site_id = sites.map((site) => site.site_id)
  const save = (id: string) =>
    way === 'customer'
      ? toCustomer.mutate({ customer_id: id, site_id }, { onSuccess: onDone })
      : toPerson.mutate(
          { user_id: id, site_id },
          {
            onSuccess: () => {
              refresh('user')
              onDone()
            },
          },
        )
  if (isMixed)
    return (
      <Stack gap="sm">
        <Alert color="orange">{t('site.assign.mixed')}</Alert>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
        </Group>
      </Stack>
    )
  return (
    <Stack gap="sm">
      {others.length > 0 && (
        <SegmentedControl
          aria-label={t('site.assign.way')}
          value={way}
          onChange={(next) => {
            setWay(next as typeof way)
            setChosen(null)
          }}
          data={ways.map((value) => ({ value, label: t(`site.assign.to.${value}`) }))}
        />
      )}
      {way === 'customer' ? (
        <Select
          key={way}
          label={t('site.assign.customer')}
          description={t('site.assign.customerHint')}
          searchable
          data-autofocus
          nothingFoundMessage={t('common.nothingMatches')}
          value={chosen}
          onChange={setChosen}
          data={others.map(({ customer_id, customer_name }) => ({ value: customer_id, label: customer_name }))}
        />
      ) : (
        <PersonSelect
          label={t('site.assign.person')}
          description={t('site.assign.personHint')}
          organizationId={sites[0]?.organization_id}
          value={chosen}
          onChange={setChosen}
        />
      )}
      <Group justify="flex-end" gap="xs" mt="sm">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          disabled={!chosen}
          loading={toCustomer.isPending || toPerson.isPending}
          onClick={() => chosen && save(chosen)}
        >
          {t('site.assign.do')}
        </Button>
      </Group>
    </Stack>
  )
}
