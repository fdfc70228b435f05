import { Alert, Button, Checkbox, Group, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Channel, User } from '@sightline/contract'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Tag } from '../ui/Health.tsx'
import { usePages } from '../ui/pages.ts'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { assignedOf, hasNoSite, isNarrowedBy, isWidenedBy, narrowedRoles } from './assigning.ts'
import classes from './channel.module.css'

const typingMs = 200

type Props = { channels: readonly Channel[]; opened: boolean; onClose: () => void }

/** Who is shown these analytics; people are given them, or they are taken from them. */
export function AssignChannels({ channels, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('channel.assign.title', { count: channels.length })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <People channels={channels} onClose={onClose} />}
    </Modal>
  )
}

type Way = 'assign' | 'unassign'
type Outcome = { way: Way; done: number; skipped: number; problems: readonly string[] }

const nameOf = ({ firstname, lastname }: User) => `${firstname} ${lastname}`

function People({ channels, onClose }: Pick<Props, 'channels' | 'onClose'>) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim() || undefined, typingMs)
  const [chosen, setChosen] = useState<ReadonlyMap<string, User>>(new Map())
  const [busy, setBusy] = useState<Way | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const lists = [
    usePages(api.user.list, { role_key: narrowedRoles[0], q }),
    usePages(api.user.list, { role_key: narrowedRoles[1], q }),
  ]
  const failed = lists.find(({ error, rows }) => error && !rows)
  const isLoading = lists.some(({ rows }) => !rows)
  // Analytics go to people of their own organization.
  const people = lists
    .flatMap(({ rows = [] }) => rows)
    .filter(({ organization_id }) => channels.every((one) => one.organization_id === organization_id))
  const ids = channels.map(({ channel_id }) => channel_id)
  // As they stand now, also those that the filter hides.
  const targets = [...chosen.values()].map((one) => people.find(({ user_id }) => user_id === one.user_id) ?? one)
  const narrowed = targets.filter(isNarrowedBy)
  const widened = targets.filter((person) => isWidenedBy(person, ids))

  const give = async (way: Way) => {
    setBusy(way)
    setOutcome(null)
    let done = 0
    let skipped = 0
    const problems: string[] = []
    for (const person of targets) {
      const input = { user_id: person.user_id, channel_id: ids }
      const result = await (way === 'assign' ? api.channel.assign.call(input) : api.channel.unassign.call(input))
      if (result.status) {
        done += 'assigned' in result.data ? result.data.assigned : result.data.unassigned
        skipped += result.data.skipped
      } else problems.push(t('common.pair', { name: nameOf(person), text: result.message.text }))
    }
    setBusy(null)
    setOutcome({ way, done, skipped, problems })
    setChosen(new Map())
    refresh('user')
  }
  const choose = (person: User, isChosen: boolean) => {
    const next = new Map(chosen)
    if (isChosen) next.set(person.user_id, person)
    else next.delete(person.user_id)
    setChosen(next)
  }
  return (
    <div className="stack">
      <TextInput
        label={t('channel.assign.people')}
        description={t('channel.assign.hint')}
        leftSection={<IconSearch size={15} aria-hidden="true" />}
        placeholder={t('channel.assign.find')}
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {failed ? (
        <ErrorPanel error={failed.error} onRetry={failed.retry} />
      ) : isLoading ? (
        <RowsSkeleton rows={4} height={44} />
      ) : people.length === 0 ? (
        <Empty
          title={t(q ? 'common.nothingMatches' : 'channel.assign.nobody')}
          text={q ? t('common.nothingMatchesHint') : t('channel.assign.nobodyText')}
        />
      ) : (
        <ul className={classes.people} aria-label={t('channel.assign.people')}>
          {people.map((person) => {
            const has = assignedOf(person, ids)
            return (
              <li key={person.user_id}>
                <Checkbox
                  checked={chosen.has(person.user_id)}
                  disabled={busy !== null}
                  onChange={({ currentTarget }) => choose(person, currentTarget.checked)}
                  label={nameOf(person)}
                  description={person.username}
                />
                <Tag>{t(`role.${person.role_key}`)}</Tag>
                <span className="t2 num">
                  {hasNoSite(person)
                    ? t('channel.assign.noSite')
                    : has === null
                      ? t('channel.assign.all')
                      : t('channel.assign.some', { has: formatNumber(has), count: ids.length })}
                </span>
              </li>
            )
          })}
        </ul>
      )}
      {lists.some(({ remote }) => remote.hasMore) && (
        <Button
          variant="subtle"
          loading={lists.some(({ remote }) => remote.isFetching)}
          onClick={() => {
            for (const { remote } of lists) if (remote.hasMore) remote.more()
          }}
        >
          {t('channel.assign.more')}
        </Button>
      )}
      {narrowed.length > 0 && (
        <Alert color="orange" variant="light">
          {t('channel.assign.narrows', { names: narrowed.map(nameOf).join(', ') })}
        </Alert>
      )}
      {widened.length > 0 && (
        <Alert color="orange" variant="light">
          {t('channel.assign.widens', { names: widened.map(nameOf).join(', ') })}
        </Alert>
      )}
      {outcome && (
        <Alert color={outcome.problems.length > 0 ? 'red' : 'green'} variant="light" role="status">
          {t(`channel.assign.done.${outcome.way}`, {
            done: formatNumber(outcome.done),
            skipped: formatNumber(outcome.skipped),
          })}
          {outcome.problems.map((text) => (
            <div key={text}>{text}</div>
          ))}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={busy !== null}>
          {t('common.close')}
        </Button>
        <Button
          variant="default"
          loading={busy === 'unassign'}
          disabled={busy !== null || targets.every((person) => !assignedOf(person, ids))}
          onClick={() => void give('unassign')}
        >
          {t('channel.assign.take')}
        </Button>
        <Button
          loading={busy === 'assign'}
          disabled={busy !== null || targets.length === 0}
          onClick={() => void give('assign')}
        >
          {t('channel.assign.give')}
        </Button>
      </Group>
    </div>
  )
}
