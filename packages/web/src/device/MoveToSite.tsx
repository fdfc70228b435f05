import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Device, Site } from '@sightline/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useCustomer } from '../app/customer.ts'
import { notify } from '../app/messages.ts'
import { fieldText } from '../i18n/words.ts'
import { useGo } from '../ui/Go.tsx'
import classes from './device.module.css'

const typingMs = 150
/** So many sites are offered at once; the others are found by typing. */
const offered = 50

type Props = { device: Device; site: Site; opened: boolean; onClose: () => void }

/** The camera goes to another site of its organization, with its analytics and all that it saw. */
export function MoveToSite({ device, site, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('resite.title', { name: device.device_name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <Moving device={device} site={site} onClose={onClose} />}
    </Modal>
  )
}

function Moving({ device, site, onClose }: Omit<Props, 'opened'>) {
  const { t } = useTranslation()
  const go = useGo()
  const { device_id, organization_id, version, source_channels } = device
  const { customers } = useCustomer()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const [target, setTarget] = useState<Site | null>(null)
  const [name, setName] = useState(device.device_name)
  const [isSaving, setIsSaving] = useState(false)
  const [fault, setFault] = useState<{ name?: string | undefined; text?: string }>({})
  const customerOf = ({ customer_id }: Site) =>
    customers.find((one) => one.customer_id === customer_id)?.customer_name ?? null
  const labelOf = (one: Site) => [one.site_name, customers.length > 1 && customerOf(one)].filter(Boolean).join(' · ')
  // What was chosen stands in the field: it is no search.
  const isChosen = target !== null && q === labelOf(target)
  const sites = useQuery({
    ...api.site.list.query({ organization_id, q: isChosen ? undefined : q || undefined, limit: offered }),
    placeholderData: keepPreviousData,
  })
  const others = (sites.data ?? []).filter((one) => one.site_id !== site.site_id)
  const choices = target && !others.some(({ site_id }) => site_id === target.site_id) ? [target, ...others] : others

  const from = customerOf(site)
  const to = target && customerOf(target)

  const save = async () => {
    if (!target) return
    const { site_id } = target
    setIsSaving(true)
    setFault({})
    const result = await api.device.update.call({ device_id, site_id, device_name: name, version })
    setIsSaving(false)
    if (!result.status) {
      const [taken] = result.failure.errors.device_name ?? []
      return setFault(taken ? { name: fieldText(taken) } : { text: result.message.text })
    }
    notify({ type: 'success', text: t('resite.done', { name, site: target.site_name }) })
    refresh('device')
    onClose()
    go('/device/detail', { sid: site_id, did: device_id }, { replace: true })
  }
  return (
    <form
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void save()
      }}
    >
      <Stack gap="sm">
        <Select
          label={t('resite.to')}
          description={t('resite.toHint')}
          error={sites.isError && !sites.data && sites.error.message}
          data-autofocus
          searchable
          searchValue={typed}
          onSearchChange={setTyped}
          // The server has searched already.
          filter={({ options }) => options}
          nothingFoundMessage={sites.isPending ? undefined : t('common.nothingMatches')}
          value={target?.site_id ?? null}
          onChange={(id) => setTarget(choices.find(({ site_id }) => site_id === id) ?? null)}
          data={choices.map((one) => ({ value: one.site_id, label: labelOf(one) }))}
        />
        <TextInput
          label={t('resite.name')}
          description={t('resite.nameHint')}
          error={fault.name}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {target && (
          <section aria-label={t('resite.changes')}>
            <ul className={classes.consequences}>
              <li>{t('resite.analytics', { count: source_channels.length, site: target.site_name })}</li>
              <li>{t('resite.history', { from: site.site_name, site: target.site_name })}</li>
              <li>{t('resite.edge')}</li>
              {target.site_address.site_timezone !== site.site_address.site_timezone && (
                <li>{t('resite.clock', { zone: target.site_address.site_timezone })}</li>
              )}
              {source_channels.some(({ usecase_key }) => usecase_key === 'fcrecog') && (
                <li>{t(target.faces_allowed ? 'resite.faces' : 'resite.noFaces', { site: target.site_name })}</li>
              )}
            </ul>
            {target.customer_id !== site.customer_id && (
              <Alert color="orange" mt="sm">
                {from && to ? t('resite.customer', { from, to }) : t('resite.customerUnnamed')}
              </Alert>
            )}
          </section>
        )}
        {fault.text && (
          <Alert color="red" role="alert">
            {fault.text}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isSaving}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={!target || name.trim() === ''} loading={isSaving}>
            {t('resite.move')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
