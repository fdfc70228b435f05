import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Menu,
  Modal,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  TextInput,
} from '@mantine/core'
import { type Device, sourceRoles, api as table } from '@sightline/contract'
import { defaultRate } from '@sightline/domain'
import { IconDots, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtHost } from '../app/camera-choice.ts'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { words } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Findings } from '../ui/cameras/Findings.tsx'
import { useProbe } from '../ui/cameras/useProbe.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { Tag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { Steps } from '../ui/Steps.tsx'
import classes from './device.module.css'

type Stream = Device['device_source'][number]
type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; stream: Stream } | null

/** The streams of a camera: a large one to analyse, a small one to look at, or one for both. */
export function Streams({ device }: { device: Device }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const [open, setOpen] = useState<Open>(null)
  const remove = useMutation(api.source.delete.mutation())
  const close = () => setOpen(null)
  const sync = useQuery({ ...api.nimble.sync.query({ nimble_id: device.nimble_id }), refetchInterval: 10_000 })
  const stepOf = ({ source_id }: Stream) => sync.data?.items.find(({ id }) => id === source_id)
  const usersOf = ({ source_id }: Stream) => device.source_channels.filter((channel) => channel.source_id === source_id)
  const users = open?.kind === 'delete' ? usersOf(open.stream) : []
  return (
    <Panel
      flush
      title={t('stream.title')}
      hint={t('stream.hint')}
      aside={
        mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => setOpen({ kind: 'add' })}
          >
            {t('stream.add')}
          </Button>
        )
      }
    >
      <ul className={classes.streams}>
        {device.device_source.map((stream) => {
          const step = stepOf(stream)
          return (
            <li key={stream.source_id}>
              <span className={classes.streamWords}>
                <b>{stream.source_name}</b> <Tag>{t(`device.role.${stream.role}`)}</Tag>
                <span className="muted num truncate">{stream.source_address}</span>
                <span className="muted">{t('stream.used', { count: usersOf(stream).length })}</span>
                {step && <Steps item={step} />}
              </span>
              {mayEdit && (
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('common.actionsFor', { name: stream.source_name })}
                    >
                      <IconDots size={17} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item onClick={() => setOpen({ kind: 'edit', stream })}>{t('common.edit')}</Menu.Item>
                    <Menu.Item
                      color="red"
                      disabled={device.device_source.length < 2}
                      onClick={() => setOpen({ kind: 'delete', stream })}
                    >
                      {t('stream.delete')}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )}
            </li>
          )
        })}
      </ul>
      <Modal
        opened={open?.kind === 'add' || open?.kind === 'edit'}
        onClose={close}
        title={t(open?.kind === 'edit' ? 'stream.edit' : 'stream.add')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open && open.kind !== 'delete' && (
          <StreamForm device={device} stream={open.kind === 'edit' ? open.stream : null} onDone={close} />
        )}
      </Modal>
      <Confirm
        opened={open?.kind === 'delete'}
        onClose={close}
        title={t('stream.delete')}
        confirmLabel={users.length > 0 ? t('common.close') : t('stream.delete')}
        danger={users.length === 0}
        pending={remove.isPending}
        onConfirm={() => {
          if (users.length > 0) return close()
          if (open?.kind === 'delete') remove.mutate({ source_id: open.stream.source_id }, { onSettled: close })
        }}
      >
        {users.length > 0
          ? t('stream.inUse', { names: users.map(({ channel_name }) => channel_name).join(', ') })
          : t('stream.deleteText')}
      </Confirm>
    </Panel>
  )
}

function StreamForm({ device, stream, onDone }: { device: Device; stream: Stream | null; onDone: () => void }) {
  const { t } = useTranslation()
  const { device_id } = device
  type Values = { source_name: string; source_address: string; role: Stream['role']; rate: number; password: string }
  const needsPassword = ({ source_address }: Values) => device.password !== '' && !isAtHost(source_address, device)
  // What was typed for another host must not become the camera's when its own address is put back.
  const toCall = ({ password, ...rest }: Values) => ({
    ...rest,
    ...(password !== '' && needsPassword({ password, ...rest }) && { password }),
  })
  const { form, values, field, frame, isSaving } = useDraftForm({
    name: stream ? `stream.edit:${stream.source_id}` : `stream.add:${device_id}`,
    initial: {
      source_name: stream?.source_name ?? '',
      source_address: stream?.source_address ?? '',
      role: stream?.role ?? ('live' as Stream['role']),
      rate: stream?.rate ?? defaultRate,
      password: '',
    },
    secrets: ['password'],
    schema: stream ? table.source.update.input : table.source.create.input,
    toInput: (values) => ({ ...toCall(values), ...(stream ? { source_id: stream.source_id } : { device_id }) }),
    async submit(values) {
      const typed = toCall(values)
      const result = stream
        ? await api.source.update.call({ ...typed, source_id: stream.source_id })
        : await api.source.create.call({ ...typed, device_id })
      if (!result.status) throw result.failure
      notify({ type: 'success', text: words.pair(stream ? 'source.update' : 'source.create').done })
      refresh('source')
      onDone()
    },
  })
  const trial = useProbe(
    {
      nimble_id: device.nimble_id,
      address: values.source_address,
      username: device.username ?? '',
      // The stored password, which never comes here, is the camera's for all its streams.
      password: needsPassword(values) ? values.password : '****',
    },
    (address) => form.setFieldValue('source_address', address),
  )
  const restarts = stream ? device.source_channels.filter(({ source_id }) => source_id === stream.source_id) : []
  return (
    <Form {...frame}>
      <Stack gap="sm">
        <TextInput label={t('device.form.name')} withAsterisk data-autofocus {...field('source_name')} />
        <TextInput
          label={t('device.address')}
          description={t('stream.addressHint')}
          withAsterisk
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          {...field('source_address')}
        />
        {needsPassword(values) && (
          <PasswordInput
            label={t('device.form.password')}
            description={t('message.password_again')}
            withAsterisk
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': t('login.show') }}
            {...field('password')}
          />
        )}
        <Select
          label={t('stream.role')}
          allowDeselect={false}
          data={sourceRoles.map((role) => ({ value: role, label: t(`device.role.${role}`) }))}
          {...field('role')}
        />
        <NumberInput
          label={t('stream.rate')}
          description={t('stream.rateHint')}
          min={1}
          max={60}
          allowDecimal={false}
          {...field('rate')}
        />
        <Group gap="sm">
          <Button
            variant="default"
            size="xs"
            loading={trial.isRunning}
            disabled={values.source_address.trim() === ''}
            onClick={() => trial.run(device_id)}
          >
            {t('stream.test')}
          </Button>
          {restarts.length > 0 && (
            <span className="t3">
              {t('device.form.restarts', { names: restarts.map(({ channel_name }) => channel_name).join(', ') })}
            </span>
          )}
        </Group>
        {trial.error && (
          <Alert color="red" role="alert">
            {trial.error}
          </Alert>
        )}
        {trial.findings.length > 0 && <Findings findings={trial.findings} />}
      </Stack>
      <FormActions submitLabel={t(stream ? 'common.save' : 'stream.add')} isSaving={isSaving} onCancel={onDone} />
    </Form>
  )
}
