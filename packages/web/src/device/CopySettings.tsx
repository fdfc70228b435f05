import { Alert, Button, Checkbox, Group, Loader, Modal, MultiSelect, PasswordInput, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type CopiedDevice, type Device, deviceSettings } from '@sightline/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { i18n } from '../i18n/index.ts'
import { causeText } from '../i18n/words.ts'
import { Tag } from '../ui/Health.tsx'
import classes from './device.module.css'

type Setting = (typeof deviceSettings)[number]
type Change = CopiedDevice['changes'][number]
const typingMs = 200
/** Each try asks the server what would change: not at every letter of a password. */
const tryingMs = 500
/** So many cameras one call takes. */
const mostCopied = 500

type Props = { device: Device; opened: boolean; onClose: () => void }

/** Gives settings of one camera to others of the site: what changes is seen first, and each has its outcome. */
export function CopySettings({ device, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      // What changes is told below while one chooses: it would move the list of choices under the pointer.
      centered={false}
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
  const [password, setPassword] = useState('')
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const { data = [] } = useQuery({
    ...api.device.list.query({ site_id, q: q || undefined, limit: mostCopied }),
    placeholderData: keepPreviousData,
  })
  const copy = useMutation(api.device.copy.mutation({ quiet: true, inline: true }))
  // Those that are chosen last: the keyboard comes to the next one first, and takes none back.
  const offered = [
    ...data.filter((one) => one.device_id !== device_id && !chosen.some((other) => other.device_id === one.device_id)),
    ...chosen,
  ]
  const wish = {
    device_id,
    to: chosen.map((one) => one.device_id),
    settings: [...settings],
    ...(password !== '' && { password }),
  }
  const isWished = chosen.length > 0 && settings.length > 0
  const [tried] = useDebouncedValue(wish, tryingMs)
  const isTried = JSON.stringify(tried) === JSON.stringify(wish)
  const plan = useQuery({
    queryKey: [...api.device.get.key({ device_id }), 'copy', tried],
    queryFn: async ({ signal }) => {
      const result = await api.device.copy.call({ ...tried, dry_run: true }, { signal })
      if (!result.status) throw result.failure
      return result.data.devices
    },
    enabled: isWished && isTried && !copy.isSuccess,
    // What differs now need not differ later, and a password is kept nowhere.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    meta: { op: 'device.copy', quiet: true },
  })
  const isPlanned = isWished && isTried && !plan.isFetching
  const failure = copy.error ?? (isPlanned ? plan.error : null)
  const told = copy.data?.devices ?? (isPlanned ? plan.data : undefined)
  const count = (isPlanned && plan.data?.filter(({ outcome }) => outcome === 'copied').length) || 0
  return (
    <Stack gap="md">
      <Checkbox.Group
        label={t('copy.settings')}
        value={[...settings]}
        onChange={(next) => {
          copy.reset()
          setSettings(deviceSettings.filter((one) => next.includes(one)))
        }}
      >
        <Stack gap={6} mt={6}>
          {deviceSettings.map((one) => (
            <Checkbox
              key={one}
              value={one}
              disabled={copy.isSuccess}
              label={t(`copy.setting.${one}`)}
              description={one === 'tags' || one === 'stream_roles' ? t(`copy.about.${one}`) : undefined}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {settings.includes('credentials') && stored !== '' && (
        <PasswordInput
          label={t('device.form.password')}
          description={t('copy.passwordHint')}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t('login.show') }}
          disabled={copy.isSuccess}
          value={password}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
        />
      )}
      <MultiSelect
        label={t('copy.to')}
        searchable
        disabled={copy.isSuccess}
        searchValue={typed}
        onSearchChange={setTyped}
        filter={({ options }) => options}
        nothingFoundMessage={t('common.nothingMatches')}
        value={wish.to}
        onChange={(ids) => {
          copy.reset()
          setChosen(offered.filter((one) => ids.includes(one.device_id)))
        }}
        data={offered.map((one) => ({ value: one.device_id, label: one.device_name }))}
      />
      {data.length > 1 && q === '' && !copy.isSuccess && (
        <Group gap="xs">
          <Button variant="subtle" size="compact-sm" onClick={() => setChosen(offered)}>
            {t(data.length < mostCopied ? 'copy.all' : 'copy.first', { count: offered.length })}
          </Button>
          {data.length >= mostCopied && <span className="t3">{t('copy.most', { count: mostCopied })}</span>}
        </Group>
      )}
      {failure && (
        <Alert color="red" role="alert">
          {failure.message}
        </Alert>
      )}
      <div aria-live="polite">
        {isWished && !told && !failure && (
          <Group gap={8} className="t2" style={{ fontSize: 13 }}>
            <Loader size={14} /> {t('copy.trying')}
          </Group>
        )}
        {told && <Told told={told} chosen={chosen} isDone={copy.isSuccess} />}
      </div>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t(copy.isSuccess ? 'common.close' : 'common.cancel')}
        </Button>
        {!copy.isSuccess && (
          <Button
            disabled={count === 0}
            loading={copy.isPending}
            onClick={() => copy.mutate(wish, { onSuccess: () => refresh('device') })}
          >
            {t('copy.run', { count })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** What becomes of each: those that change or cannot, one by one; those that stay as they are, by their names. */
function Told({ told, chosen, isDone }: { told: readonly CopiedDevice[]; chosen: readonly Device[]; isDone: boolean }) {
  const { t } = useTranslation()
  const nameOf = (id: string) => chosen.find((one) => one.device_id === id)?.device_name ?? '–'
  const same = told.filter(({ outcome }) => outcome === 'unchanged')
  const others = told.filter(({ outcome }) => outcome !== 'unchanged')
  return (
    <div className={classes.copied}>
      {others.length > 0 && (
        <ul aria-label={t('copy.changes')}>
          {others.map(({ device_id, outcome, error_code, changes, restarts }) => (
            <li key={device_id}>
              <strong>{nameOf(device_id)}</strong>{' '}
              {outcome === 'failed' ? (
                <div className={classes.problem}>
                  {error_code
                    ? t('common.pair', { name: t('copy.failed'), text: causeText(error_code) })
                    : t('copy.failed')}
                </div>
              ) : (
                isDone && <Tag tone="ok">{t('copy.done')}</Tag>
              )}
              {changes.map((change) => (
                <div key={`${change.field} ${change.stream}`} className="t2">
                  {changeText(change)}
                </div>
              ))}
              {restarts.length > 0 && (
                <div className="t2">
                  {t('copy.restarts', { names: restarts.map(({ channel_name }) => channel_name).join(', ') })}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {same.length > 0 && (
        <p className="t2">
          {t('copy.same', { count: same.length, names: same.map(({ device_id }) => nameOf(device_id)).join(', ') })}
        </p>
      )}
    </div>
  )
}

type Role = Device['device_source'][number]['role']

function changeText({ field, stream, before, after }: Change): string {
  // A password is never told: whether there was one is.
  if (field === 'password')
    return i18n.t(after === null ? 'copy.noPassword' : before === null ? 'copy.aPassword' : 'copy.otherPassword')
  const text = (value: Change['before']) =>
    value === null ? '–' : field === 'stream_role' ? i18n.t(`device.role.${value as Role}`) : String(value)
  const name =
    field === 'stream_role'
      ? i18n.t('copy.field.stream_role', { stream: stream ?? '' })
      : i18n.t(`copy.field.${field as 'username'}`)
  return i18n.t('copy.change', { name, before: text(before), after: text(after) })
}
