import { Alert, Button, Checkbox, Group, Modal, MultiSelect, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type Channel, type CopiedChannel, changedChannels, channelSettings } from '@sightline/contract'
import { pipelineCatalog } from '@sightline/domain'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatSetting } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { causeText } from '../i18n/words.ts'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import { choiceText } from '../ui/elements/ElementForm.tsx'
import { Tag } from '../ui/Health.tsx'
import classes from './channel.module.css'

type Setting = (typeof channelSettings)[number]
type Change = CopiedChannel['changes'][number]
const typingMs = 200
/** So many are listed at once; the others are found by their name or their camera's. */
const mostOffered = 50

type Props = { channel: Channel; opened: boolean; onClose: () => void }

/** Gives settings of one analytic to others of its use case: what changes is seen first, and each has its outcome. */
export function CopyChannel({ channel, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      // What changes is told below while one chooses: it would move the list of choices under the pointer.
      centered={false}
      title={t('copy.title', { name: channel.channel_name })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <Copy channel={channel} onClose={onClose} />}
    </Modal>
  )
}

function Copy({ channel: { channel_id, usecase_key, organization_id }, onClose }: Omit<Props, 'opened'>) {
  const { t } = useTranslation()
  const [settings, setSettings] = useState<readonly Setting[]>([])
  const [chosen, setChosen] = useState<readonly Channel[]>([])
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const { data = [] } = useQuery({
    ...api.channel.mine.query({ usecase_key: [usecase_key], q: q || undefined, limit: mostOffered }),
    placeholderData: keepPreviousData,
  })
  const offered = [
    ...chosen,
    ...data.filter(
      (one) =>
        one.channel_id !== channel_id &&
        // A super administrator sees those of all.
        one.organization_id === organization_id &&
        !chosen.some((other) => other.channel_id === one.channel_id),
    ),
  ]
  const cameraOf = useCameraNames(offered.map(({ device_id }) => device_id))
  const nameOf = (one: Channel) => `${cameraOf(one.device_id) ?? '–'} · ${one.channel_name}`
  const wish = { channel_id, to: chosen.map((one) => one.channel_id), settings: [...settings] }
  const isWished = chosen.length > 0 && settings.length > 0
  const copy = useMutation(api.channel.copy.mutation({ quiet: true, inline: true }))
  const plan = useQuery({
    queryKey: [...api.channel.id.key({ channel_id }), 'copy', wish],
    queryFn: async ({ signal }) => {
      const result = await api.channel.copy.call({ ...wish, dry_run: true }, { signal })
      if (!result.status) throw result.failure
      return result.data.channels
    },
    enabled: isWished && !copy.isSuccess,
    // What differs now need not differ later.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    meta: { op: 'channel.copy', quiet: true },
  })
  const failure = copy.error ?? (isWished ? plan.error : null)
  const told = copy.data?.channels ?? (isWished ? plan.data : undefined)
  const count = plan.data?.filter(({ outcome }) => outcome === 'copied').length ?? 0
  return (
    <Stack gap="md">
      <Checkbox.Group
        label={t('copy.settings')}
        value={[...settings]}
        onChange={(next) => {
          copy.reset()
          setSettings(channelSettings.filter((one) => next.includes(one)))
        }}
      >
        <Stack gap={6} mt={6}>
          {channelSettings.map((one) => (
            <Checkbox
              key={one}
              value={one}
              disabled={copy.isSuccess}
              label={t(`channel.copy.setting.${one}`)}
              description={one === 'zones' || one === 'tuning' ? t(`channel.copy.about.${one}`) : undefined}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <MultiSelect
        label={t('channel.copy.to')}
        description={t('channel.copy.hint')}
        searchable
        disabled={copy.isSuccess}
        maxValues={changedChannels}
        searchValue={typed}
        onSearchChange={setTyped}
        filter={({ options }) => options}
        nothingFoundMessage={t(q === '' ? 'channel.copy.none' : 'common.nothingMatches')}
        value={wish.to}
        onChange={(ids) => {
          copy.reset()
          setChosen(offered.filter((one) => ids.includes(one.channel_id)))
        }}
        data={offered.map((one) => ({ value: one.channel_id, label: nameOf(one) }))}
      />
      {failure && (
        <Alert color="red" role="alert">
          {failure.message}
        </Alert>
      )}
      {told && (
        <ul className={classes.copied} aria-live="polite" aria-label={t('channel.copy.changes')}>
          {told.map((one) => {
            const known = chosen.find((channel) => channel.channel_id === one.channel_id)
            return known && <Copied key={one.channel_id} name={nameOf(known)} is={one} isDone={copy.isSuccess} />
          })}
        </ul>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t(copy.isSuccess ? 'common.close' : 'common.cancel')}
        </Button>
        {!copy.isSuccess && (
          <Button
            disabled={!isWished || count === 0 || plan.isFetching}
            loading={copy.isPending}
            onClick={() => copy.mutate(wish, { onSuccess: () => refresh('channel') })}
          >
            {t('channel.copy.run', { count })}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** One of those that were chosen: what becomes of it, or why nothing does. */
function Copied({ name, is, isDone }: { name: string; is: CopiedChannel; isDone: boolean }) {
  const { t } = useTranslation()
  const { outcome, error_code, changes, is_other_shape } = is
  return (
    <li>
      <strong>{name}</strong>{' '}
      {outcome === 'failed' ? (
        <div className={classes.fault}>{error_code ? causeText(error_code) : t('copy.failed')}</div>
      ) : outcome === 'unchanged' ? (
        <Tag tone="neutral">{t('channel.copy.same')}</Tag>
      ) : (
        isDone && <Tag tone="ok">{t('copy.done')}</Tag>
      )}
      {is_other_shape && <div className="t2">{t('channel.copy.shape')}</div>}
      {changes.length > 0 && (
        <ul>
          {changes.map((change) => (
            <li key={change.setting} className="t2">
              {changeText(change)}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function changeText({ setting, before, after }: Change): string {
  const item = pipelineCatalog.find(({ key }) => key === setting)
  const help = item && (i18n.language.startsWith('fr') ? item.help_fr : item.help_en)
  // It is a sentence there.
  const name = help?.replace(/\.$/, '') ?? i18n.t(`channel.copy.setting.${setting as Setting}`)
  // A model is known by a number that says nothing, and zones may have kept their names.
  return before === after || /^detector\.(model|embedding)$/.test(setting)
    ? i18n.t('channel.copy.other', { name })
    : i18n.t('channel.copy.change', { name, before: valueText(setting, before), after: valueText(setting, after) })
}

function valueText(setting: string, value: Change['before']): string {
  if (typeof value === 'boolean') return i18n.t(value ? 'common.yes' : 'common.no')
  // Of a threshold none.
  if (value === null || value === '' || (setting === 'channel_threshold' && value === -1)) return '–'
  return typeof value === 'number' ? formatSetting(value) : choiceText(value)
}
