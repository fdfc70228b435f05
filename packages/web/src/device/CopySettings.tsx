import { Alert, Button, Checkbox, Group, Loader, Modal, MultiSelect, PasswordInput, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type CopiedDevice, type Device, deviceSettings } from '@sightline/contract'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
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
  const ending = useRef<HTMLButtonElement>(null)
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
  // As text: an object is another one at every render, and would begin the wait again.
  const wished = JSON.stringify(wish)
  const [tried] = useDebouncedValue(wished, tryingMs)
  const isTried = tried === wished
  const plan = useQuery({
    // Outside the features: each try locks rows, and must not follow every news of a camera.
    queryKey: ['plan', 'device.copy', tried],
    queryFn: async ({ signal }) => {
      const result = await api.device.copy.call({ ...(JSON.parse(tried) as typeof wish), dry_run: true }, { signal })
      if (!result.status) throw result.failure
      return result.data.devices
    },
    enabled: isWished && isTried && !copy.isPending && !copy.isSuccess,
    // What differs now need not differ later, and a password is kept nowhere.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    meta: { op: 'device.copy', quiet: true },
  })
  // Of the same wish the last one stays while it is tried again.
  const isPlanned = isWished && isTried
  const failure = copy.error ?? (isPlanned ? plan.error : null)
  const told = copy.data?.devices ?? (isPlanned && !plan.error ? plan.data : undefined)
  const countOf = (which: CopiedDevice['outcome']) => told?.filter(({ outcome }) => outcome === which).length ?? 0
  const [count, failed] = [countOf('copied'), countOf('failed')]
  const result = [
    count > 0 && t(`copy.result.${copy.isSuccess ? 'copied' : 'change'}`, { count }),
    failed > 0 && t('copy.result.failed', { count: failed }),
    countOf('unchanged') > 0 && t('copy.result.same', { count: countOf('unchanged') }),
  ].filter((text) => text !== false)
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
          onChange={({ currentTarget: { value } }) => {
            copy.reset()
            setPassword(value)
          }}
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
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              copy.reset()
              setChosen(offered)
            }}
          >
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
      <div>
        {/* One sentence is read out; of hundreds of cameras the list below is not. */}
        <Group gap={8} mb={told ? 8 : 0} className="t2" style={{ fontSize: 13 }} role="status">
          {isWished && !told && !failure && (
            <>
              <Loader size={14} /> {t('copy.trying')}
            </>
          )}
          {result.join(', ')}
        </Group>
        {told && <Told told={told} chosen={chosen} isDone={copy.isSuccess} />}
      </div>
      <Group justify="flex-end" gap="xs">
        <Button ref={ending} variant="default" onClick={onClose}>
          {t(copy.isSuccess ? 'common.close' : 'common.cancel')}
        </Button>
        {!copy.isSuccess && (
          <Button
            disabled={count === 0}
            loading={copy.isPending}
            // The pressed one goes, and every field is shut: the keyboard goes on at what is left.
            onClick={() => copy.mutate(wish, { onSuccess: () => ending.current?.focus() })}
          >
            {t('copy.run', { count })}
          </Button>
        )}
        {copy.isSuccess && failed > 0 && (
          <Button
            onClick={() => {
              ending.current?.focus()
              const again = copy.data.devices.flatMap((one) => (one.outcome === 'failed' ? [one.device_id] : []))
              setChosen(chosen.filter((one) => again.includes(one.device_id)))
              copy.reset()
            }}
          >
            {t('copy.again', { count: failed })}
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
                  {t('copy.restarts', {
                    count: restarts.length,
                    names: restarts.map(({ channel_name }) => channel_name).join(', '),
                  })}
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
