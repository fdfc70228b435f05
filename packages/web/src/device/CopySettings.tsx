import { Alert, Button, Checkbox, Group, Modal, MultiSelect, PasswordInput, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type Device, deviceSettings } from '@sightline/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { causeText } from '../i18n/words.ts'
import { Tag } from '../ui/Health.tsx'
import classes from './device.module.css'

type Setting = (typeof deviceSettings)[number]
const typingMs = 200
/** So many cameras one call takes. */
const mostCopied = 500

type Props = { device: Device; opened: boolean; onClose: () => void }

/** Gives settings of one camera to others of the site, each with its outcome. */
export function CopySettings({ device, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('copy.title', { name: device.device_name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <Copy device={device} onClose={onClose} />}
    </Modal>
  )
}

function Copy({ device: { device_id, site_id, password: stored }, onClose }: Omit<Props, 'opened'>) {
  const { t } = useTranslation()
  const [settings, setSettings] = useState<readonly Setting[]>([])
  const [chosen, setChosen] = useState<readonly Device[]>([])
  /** Those of the last try, by whose names its outcomes are told. */
  const [sent, setSent] = useState<readonly Device[]>([])
  const [password, setPassword] = useState('')
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const { data = [] } = useQuery({
    ...api.device.list.query({ site_id, q: q || undefined, limit: mostCopied }),
    placeholderData: keepPreviousData,
  })
  const copy = useMutation(api.device.copy.mutation({ quiet: true, inline: true }))
  const offered = [
    ...chosen,
    ...data.filter((one) => one.device_id !== device_id && !chosen.some((other) => other.device_id === one.device_id)),
  ]
  const nameOf = (id: string) => sent.find((one) => one.device_id === id)?.device_name ?? '–'
  const outcomes = copy.data?.devices
  const hasFailed = ({ device_id: id }: Device, of = outcomes) =>
    of?.some((one) => one.device_id === id && one.outcome !== 'copied') ?? false
  const isAgain = chosen.length > 0 && chosen.every((one) => hasFailed(one))
  const run = () => {
    setSent(chosen)
    copy.mutate(
      {
        device_id,
        to: chosen.map((one) => one.device_id),
        settings: [...settings],
        ...(password !== '' && { password }),
      },
      // What failed stays chosen, to be tried again.
      { onSuccess: ({ devices }) => setChosen(chosen.filter((one) => hasFailed(one, devices))) },
    )
  }
  return (
    <Stack gap="md">
      <Checkbox.Group
        label={t('copy.settings')}
        value={[...settings]}
        onChange={(next) => setSettings(deviceSettings.filter((one) => next.includes(one)))}
      >
        <Stack gap={6} mt={6}>
          {deviceSettings.map((one) => (
            <Checkbox key={one} value={one} label={t(`copy.setting.${one}`)} />
          ))}
        </Stack>
      </Checkbox.Group>
      {settings.includes('credentials') && stored !== '' && (
        <PasswordInput
          label={t('device.form.password')}
          description={t('copy.passwordHint')}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('login.show') }}
          value={password}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
        />
      )}
      <MultiSelect
        label={t('copy.to')}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        filter={({ options }) => options}
        nothingFoundMessage={t('common.nothingMatches')}
        value={chosen.map((one) => one.device_id)}
        onChange={(ids) => setChosen(offered.filter((one) => ids.includes(one.device_id)))}
        data={offered.map((one) => ({ value: one.device_id, label: one.device_name }))}
      />
      {data.length > 1 && q === '' && (
        <Group gap="xs">
          <Button variant="subtle" size="compact-sm" onClick={() => setChosen(offered)}>
            {t(data.length < mostCopied ? 'copy.all' : 'copy.first', { count: offered.length })}
          </Button>
          {data.length >= mostCopied && <span className="t3">{t('copy.most', { count: mostCopied })}</span>}
        </Group>
      )}
      {copy.isError && (
        <Alert color="red" role="alert">
          {copy.error.message}
        </Alert>
      )}
      {outcomes && (
        <ul className={classes.outages} aria-live="polite">
          {outcomes.map(({ device_id: id, outcome, error_code }) => (
            <li key={id}>
              {nameOf(id)}
              <Tag tone={outcome === 'copied' ? 'ok' : 'bad'}>
                {outcome === 'copied'
                  ? t('copy.done')
                  : error_code
                    ? t('common.pair', { name: t('copy.failed'), text: causeText(error_code) })
                    : t('copy.failed')}
              </Tag>
            </li>
          ))}
        </ul>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t(outcomes ? 'common.close' : 'common.cancel')}
        </Button>
        {(!outcomes || chosen.length > 0) && (
          <Button disabled={settings.length === 0 || chosen.length === 0} loading={copy.isPending} onClick={run}>
            {isAgain ? t('bulk.retryFailed') : t('copy.run', { count: chosen.length })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
