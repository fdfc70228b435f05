import { ActionIcon, Button, Group, Menu, Modal, Progress, Stack, Text, TextInput } from '@mantine/core'
import { type License, api as table } from '@sightline/contract'
import { IconDots, IconLicense, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useEdges } from '../app/edge.ts'
import { notify } from '../app/messages.ts'
import { statusQuery } from '../app/ServerWatch.tsx'
import { formatDate, formatNumber } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { edgeName, licenseName } from '../i18n/seeded.ts'
import { fieldText, words } from '../i18n/words.ts'
import { useMay, useUser } from '../session.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Go } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { OrganizationSelect } from '../ui/OrganizationSelect.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import type { Tone } from '../ui/tone.ts'
import { IssueLicense } from './IssueLicense.tsx'
import { KeyField } from './KeyField.tsx'
import classes from './license.module.css'
import { RenewLicense } from './RenewLicense.tsx'

const toneOf: Record<License['state'], Tone> = {
  valid: 'ok',
  foreign: 'bad',
  upcoming: 'warn',
  expiring: 'warn',
  expired: 'bad',
  exceeded: 'bad',
}

const stateText = ({ state, valid_from }: License) =>
  i18n.t(`license.state.${state}`, { date: valid_from ? formatDate(valid_from) : '' })

type Open = { kind: 'add' | 'issue' } | { kind: 'rename' | 'renew' | 'delete'; license: License } | null

export function LicenseList({ openId }: { openId: string | undefined }) {
  const { t } = useTranslation()
  const mayChange = useMay('super_admin_only')
  const query = useQuery(api.license.list.query({}))
  const { data: status } = useQuery(statusQuery())
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  /** As it is now: somebody else may change it while the dialog is open. */
  const current = (opened: License) => query.data?.find(({ license_id }) => license_id === opened.license_id) ?? opened
  /** Of those that count here. */
  const sum = (figure: 'channels_used' | 'channel_limit') =>
    formatNumber(
      query.data?.reduce((total, license) => total + (license.state === 'foreign' ? 0 : license[figure]), 0) ?? 0,
    )
  const remove = useMutation(api.license.delete.mutation())
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen({ kind: 'add' })} data-create>
      {t('license.add')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={t('license.title')}
        meta={query.data && t('license.meta', { used: sum('channels_used'), limit: sum('channel_limit') })}
      >
        {mayChange && status?.issues_licenses && (
          <Button variant="default" onClick={() => setOpen({ kind: 'issue' })}>
            {t('license.issue.open')}
          </Button>
        )}
        {mayChange && add}
      </PageHeader>
      <Loaded
        rows={query.data}
        error={query.error}
        onRetry={() => void query.refetch()}
        skeleton={{ rows: 2, height: 120 }}
        empty={
          <Empty
            icon={<IconLicense stroke={1.5} />}
            title={t('license.empty')}
            text={t('license.emptyText')}
            action={add}
            forbidden={!mayChange}
          />
        }
      >
        {(rows) => (
          <div className={classes.cards}>
            {rows.map((license) => (
              <LicenseCard
                key={license.license_id}
                license={license}
                isOpen={license.license_id === openId}
                menu={mayChange && !license.is_builtin && <LicenseMenu license={license} onOpen={setOpen} />}
              />
            ))}
          </div>
        )}
      </Loaded>
      <Modal
        opened={open?.kind === 'add'}
        onClose={close}
        title={t('license.add')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <AddLicense onDone={close} />
      </Modal>
      <Modal
        opened={open?.kind === 'issue'}
        onClose={close}
        // The key is shown this once: a press beside the dialog must not lose it.
        closeOnClickOutside={false}
        title={t('license.issue.title')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open?.kind === 'issue' && <IssueLicense onDone={close} />}
      </Modal>
      <Modal
        opened={open?.kind === 'rename'}
        onClose={close}
        title={t('license.rename')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open?.kind === 'rename' && <RenameLicense license={current(open.license)} onDone={close} />}
      </Modal>
      <Modal
        opened={open?.kind === 'renew'}
        onClose={close}
        size="lg"
        title={open?.kind === 'renew' && t('license.renew.title', { name: open.license.license_name })}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open?.kind === 'renew' && <RenewLicense license={current(open.license)} onDone={close} />}
      </Modal>
      <Confirm
        opened={open?.kind === 'delete'}
        onClose={close}
        title={t('license.delete')}
        confirmLabel={t('license.delete')}
        pending={remove.isPending}
        onConfirm={() => {
          if (open?.kind === 'delete') remove.mutate({ license_id: open.license.license_id }, { onSettled: close })
        }}
      >
        {open?.kind === 'delete' && <b>{open.license.license_name}</b>} {t('license.deleteText')}
      </Confirm>
    </>
  )
}

/** Names of the edge servers that a licence serves, each with a way to it. */
function Bound({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation()
  const { edges = [] } = useEdges()
  if (ids.length === 0) return t('license.unbound')
  return edges
    .filter(({ nimble_id }) => ids.includes(nimble_id))
    .map((nimble, index) => (
      <span key={nimble.nimble_id}>
        {index > 0 && ', '}
        <Go to="/configuration/detail" search={{ nid: nimble.nimble_id }}>
          {edgeName(nimble)}
        </Go>
      </span>
    ))
}

function LicenseCard({ license, isOpen, menu }: { license: License; isOpen: boolean; menu: React.ReactNode }) {
  const { t } = useTranslation()
  const { channels_used: used, channel_limit: limit } = license
  const usedText = t('license.used', { used: formatNumber(used), limit: formatNumber(limit) })
  return (
    <article className={classes.card} data-open={isOpen || undefined}>
      <Group gap={8} wrap="nowrap">
        <IconLicense size={20} stroke={1.6} aria-hidden="true" />
        <h2 className={classes.name}>{licenseName(license)}</h2>
        <Tag tone={toneOf[license.state]}>{stateText(license)}</Tag>
        {license.is_builtin && <Tag>{t('license.builtin')}</Tag>}
        <span style={{ marginLeft: 'auto' }}>{menu}</span>
      </Group>
      {license.state === 'foreign' && (
        <Text size="sm" className="t2">
          {fieldText('license_foreign')}. {t('shell.licenseExpiredDetail')}
        </Text>
      )}
      <div className="num">{usedText}</div>
      <Progress
        value={limit > 0 ? Math.min(100, (used / limit) * 100) : 0}
        size="sm"
        my={8}
        color={used > limit ? 'red.9' : 'brand.5'}
        aria-label={usedText}
      />
      <Facts
        items={[
          ...(license.valid_from ? [[t('license.from'), formatDate(license.valid_from)] as const] : []),
          [
            t('license.until'),
            <span key="until" data-due={license.state === 'expiring' || license.state === 'expired' || undefined}>
              {license.expires_at ? formatDate(license.expires_at) : t('license.never')}
              {license.expires_in_days !== null && license.state === 'expiring' && (
                <> · {t('license.days', { count: license.expires_in_days })}</>
              )}
            </span>,
          ],
          [t('license.for'), license.customer],
          [
            t('license.bundles'),
            license.bundles?.map((one) => t(`usecase.bundle.${one}`)).join(', ') ?? t('license.allBundles'),
          ],
          [t('license.servers'), <Bound key="bound" ids={license.nimble_ids} />],
          ...(license.key_tail === null ? [] : [[t('license.key'), `… ${license.key_tail}`] as const]),
        ]}
      />
    </article>
  )
}

function LicenseMenu({ license, onOpen }: { license: License; onOpen: (open: Open) => void }) {
  const { t } = useTranslation()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.actionsFor', { name: license.license_name })}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen({ kind: 'renew', license })}>{t('license.renew.open')}</Menu.Item>
        <Menu.Item onClick={() => onOpen({ kind: 'rename', license })}>{t('license.rename')}</Menu.Item>
        <Menu.Item color="red" onClick={() => onOpen({ kind: 'delete', license })}>
          {t('license.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function AddLicense({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const { organization_id } = useUser()
  const { form, field, frame, isSaving } = useDraftForm({
    name: 'license.add',
    initial: { license_name: '', license_key: '', organization_id },
    schema: table.license.create.input,
    secrets: ['license_key'],
    async submit(values) {
      const result = await api.license.create.call(values)
      if (!result.status) throw result.failure
      notify(
        result.data.state === 'upcoming'
          ? {
              type: 'warning',
              text: t('common.pair', { name: result.data.license_name, text: stateText(result.data) }),
            }
          : { type: 'success', text: words.pair('license.create').done },
      )
      refresh('license')
      onDone()
    },
  })
  const read = (text: string, file: string) => {
    form.setFieldValue('license_key', text)
    if (form.values.license_name === '') form.setFieldValue('license_name', file.replace(/\.[^.]*$/, ''))
  }
  return (
    <Form {...frame}>
      <Stack gap="sm">
        <TextInput label={t('license.name')} withAsterisk data-autofocus {...field('license_name')} />
        <KeyField description={t('license.addText')} onFile={read} {...field('license_key')} />
        <OrganizationSelect {...field('organization_id')} />
      </Stack>
      <FormActions submitLabel={t('license.add')} isSaving={isSaving} onCancel={onDone} />
    </Form>
  )
}

function RenameLicense({ license, onDone }: { license: License; onDone: () => void }) {
  const { t } = useTranslation()
  const { license_id } = license
  const { field, frame, isSaving } = useDraftForm({
    name: `license.rename:${license_id}`,
    initial: { license_name: license.license_name },
    version: license.version,
    schema: table.license.update.input,
    toInput: (values) => ({ ...values, license_id }),
    async submit(values, version) {
      const result = await api.license.update.call({ ...values, license_id, version })
      if (!result.status) throw result.failure
      notify({ type: 'success', text: words.pair('license.update').done })
      refresh('license')
      onDone()
    },
  })
  return (
    <Form {...frame}>
      <TextInput label={t('license.name')} data-autofocus {...field('license_name')} />
      <FormActions submitLabel={t('common.save')} isSaving={isSaving} onCancel={onDone} />
    </Form>
  )
}
