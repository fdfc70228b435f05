import {
  Alert,
  Autocomplete,
  Button,
  Checkbox,
  Collapse,
  Group,
  Loader,
  PasswordInput,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Device, Discovered, Nimble, Site } from '@sightline/contract'
import { bulkDevices, searchableNetwork } from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cameraNames, identity, liveProfiles, streamsToAdd } from '../../app/camera-choice.ts'
import { api, refresh, report } from '../../app/client.ts'
import { type Asked, useDiscovery, type Where, withDemo } from '../../app/discovery.ts'
import { notify } from '../../app/messages.ts'
import { formatNumber } from '../../i18n/format.ts'
import { fieldText, messageText } from '../../i18n/words.ts'
import { useMay } from '../../session.ts'
import { readDraft } from '../draft.ts'
import { Empty } from '../Empty.tsx'
import { DraftNote } from '../form.tsx'
import { Tag } from '../Health.tsx'
import { useKept } from '../useKept.ts'
import classes from './cameras.module.css'
import { TrialNote } from './TrialNote.tsx'
import { useTrials } from './useTrials.ts'

/** So many demo cameras the wizard starts: enough to see more than one, few enough for a laptop. */
const demoCount = 2

/** Of a search: what was chosen in it, found or not. */
type Kept = { chosen: readonly string[]; username: string }

type SearchProps = {
  nimble: Nimble
  site: Site
  /** Those of the site: none is offered twice, and names stay apart. */
  devices: readonly Device[]
  onAdded: () => void
  /** Where to look stands folded away: few have to say it. */
  foldsPlaces?: boolean
}

/** Cameras that the edge server finds, live; chosen ones are tried and added with one set of credentials. */
export function CameraSearch({ nimble, site, devices, onAdded, foldsPlaces = false }: SearchProps) {
  const { t } = useTranslation()
  const look = useDiscovery()
  // Only the super admin may run simulated cameras: others are not offered what the server would refuse.
  const hasDemo = useMay('super_admin_only') && nimble.is_local
  const startDemo = useMutation(api.demo.start.mutation({ quiet: true }))
  const demo = useQuery({
    ...api.demo.list.query({}),
    enabled: hasDemo,
    meta: { op: 'demo.list', quiet: true },
  })
  const name = `device.discover:${site.site_id}`
  const [kept] = useState(() => readDraft<Kept>(name))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const [chosen, setChosen] = useState<readonly string[]>(kept?.chosen ?? [])
  const [login, setLogin] = useState({ username: kept?.username ?? '', password: '' })
  const trials = useTrials()
  /** Names that somebody typed in place of the proposed ones, and what was wrong with some. */
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [isAdding, setIsAdding] = useState(false)
  const [hasLive, setHasLive] = useState(false)
  const [where, setWhere] = useState<Where>({})
  const addButton = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLUListElement>(null)

  const offered = look.state === 'idle' && !demo.data?.length ? [] : withDemo(look.found, demo.data ?? [])
  const isAdded = (one: Discovered) =>
    one.device_id !== null || devices.some((device) => device.UUID !== null && device.UUID === one.UUID)
  const selected = offered.filter((one) => chosen.includes(identity(one)) && !isAdded(one))
  const asked = (found: Discovered): Asked => {
    const { username, password } = demo.data?.find((camera) => camera.UUID === found.UUID) ?? login
    return { nimble_id: nimble.nimble_id, address: found.xaddr, username, password }
  }
  const triedOf = (found: Discovered) => trials.of(identity(found), asked(found))
  const untried = selected.filter((one) => triedOf(one) === undefined)
  const working = selected.flatMap((found) => {
    const tried = triedOf(found)
    return tried && tried !== 'running' && tried.profile
      ? [
          {
            found,
            main: tried.profile,
            live: liveProfiles(tried.probe?.profiles ?? [], tried.profile.stream_address)[0],
          },
        ]
      : []
  })
  const names = cameraNames(
    working.map(({ found }) => found),
    identity,
    typed,
    devices.map((device) => device.device_name),
  )
  const isTrying = trials.progress !== null
  const { username } = login
  const now = useMemo((): Kept | null => (chosen.length > 0 ? { chosen, username } : null), [chosen, username])
  useKept({
    name,
    now,
    lost: [t('discover.lost'), ...(login.password === '' ? [] : [t('state.lostSecrets')])],
  })
  const test = (cameras: readonly Discovered[]) =>
    trials.run(new Map(cameras.map((found) => [identity(found), asked(found)])))
  const needsLogin = selected.some((one) => !one.is_demo)

  // Their login is known: they are tried without being asked for.
  const tryDemo = useEffectEvent((ids: readonly string[]) => {
    test(offered.filter((one) => ids.includes(identity(one)) && triedOf(one) === undefined))
  })

  // The demo cameras are what was asked for: they are chosen already, and Enter adds them.
  const wantsDemo = startDemo.isSuccess
  const demoIds = offered.filter((one) => one.is_demo && !isAdded(one)).map(identity)
  const demoKey = demoIds.join(' ')
  useEffect(() => {
    if (!wantsDemo || demoKey === '') return
    setChosen((now) => [...new Set([...now, ...demoKey.split(' ')])])
    tryDemo(demoKey.split(' '))
  }, [wantsDemo, demoKey])

  // A button that works loses the focus. Once there is something to go on with, the keyboard goes on there.
  const isLooking = look.state === 'looking' || startDemo.isPending
  const canAdd = selected.length > 0
  useEffect(() => {
    if (isLooking || isTrying || document.activeElement !== document.body) return
    if (canAdd) addButton.current?.focus()
    else list.current?.querySelector<HTMLElement>('input:not(:disabled)')?.focus()
  }, [isLooking, isTrying, canAdd])

  const takeDemo = async () => {
    try {
      await startDemo.mutateAsync({ count: demoCount })
      refresh('demo')
      look.start(nimble.nimble_id)
    } catch (error) {
      report(error)
    }
  }

  const add = async () => {
    const drafts = working.map(({ found, main, live }) => {
      const { username, password } = asked(found)
      const streams = { main: main.stream_address, live: (hasLive && live?.stream_address) || '' }
      return {
        device_name: names.get(identity(found)) ?? '',
        site_id: site.site_id,
        nimble_id: nimble.nimble_id,
        UUID: found.UUID,
        stream_address: main.stream_address,
        device_source: streamsToAdd(streams, { main: t('stream.mainName'), live: t('stream.liveName') }),
        stream_type: 'onvif' as const,
        username: username || null,
        password: password || null,
        onvif_port: found.port,
      }
    })
    setIsAdding(true)
    const result = await api.device.create.call(drafts)
    setIsAdding(false)
    if (!result.status) {
      // Fields of a list come with the index of their camera.
      const wrong = working.flatMap(({ found }, at) => {
        const [id] = result.failure.errors[`${at}.device_name`] ?? []
        return id ? [[identity(found), id] as const] : []
      })
      setFaults(Object.fromEntries(wrong))
      return notify(result.message)
    }
    setFaults({})
    setChosen((now) => now.filter((id) => !working.some(({ found }) => identity(found) === id)))
    refresh('device')
    if (working.length === selected.length) onAdded()
  }

  const toggle = (id: string) =>
    setChosen((now) => (now.includes(id) ? now.filter((other) => other !== id) : [...now, id]))
  return (
    <Stack gap="md">
      {isRestored && (
        <DraftNote
          onDiscard={() => {
            setChosen([])
            setLogin({ username: '', password: '' })
            setIsRestored(false)
          }}
        />
      )}
      <Places
        isFolded={foldsPlaces}
        interfaces={nimble.status?.interfaces ?? []}
        where={where}
        onChange={setWhere}
        fault={look.errors.range?.[0]}
      />
      <Group gap="xs">
        <Button
          variant={devices.length > 0 || offered.length > 0 ? 'default' : 'filled'}
          data-first
          loading={isLooking}
          onClick={() => look.start(nimble.nimble_id, where)}
        >
          {look.state === 'idle' ? t('onboarding.cameras.look') : t('onboarding.cameras.lookAgain')}
        </Button>
        {look.state === 'looking' && (
          <Button variant="default" onClick={look.stop}>
            {t('discover.stop')}
          </Button>
        )}
        {hasDemo && (
          <Button variant="default" loading={startDemo.isPending} disabled={isLooking} onClick={() => void takeDemo()}>
            {t('onboarding.cameras.demo')}
          </Button>
        )}
      </Group>
      {hasDemo && offered.length === 0 && (
        <span className="muted" style={{ fontSize: 13 }}>
          {t('onboarding.cameras.demoText')}
        </span>
      )}
      <span className="t2 num" role="status" style={{ fontSize: 13 }}>
        {isLooking ? (
          <Group gap={8} component="span">
            <Loader size={14} /> {t(look.isLonger ? 'discover.longerLooking' : 'onboarding.cameras.looking')}
          </Group>
        ) : look.state === 'failed' ? (
          // What is wrong with a field stands there.
          !look.errors.range && (look.error ?? t('onboarding.cameras.none'))
        ) : (
          <>
            {offered.length > 0 && t('onboarding.cameras.found', { count: offered.length })}
            {offered.length > 0 && look.state === 'stopped' && ` · ${t('discover.stopped')}`}
          </>
        )}
      </span>
      {(look.state === 'done' || look.state === 'stopped') && !look.isLonger && (
        <Group gap="xs">
          <span className="t2" style={{ fontSize: 13 }}>
            {t('discover.missing')}
          </span>
          <Button variant="default" size="compact-sm" onClick={() => look.start(nimble.nimble_id, where, true)}>
            {t('discover.longer')}
          </Button>
        </Group>
      )}
      {look.state === 'done' && offered.length === 0 && (
        <Empty title={t('onboarding.cameras.none')} text={t('onboarding.cameras.noneText')} />
      )}
      {look.state === 'stopped' && offered.length === 0 && (
        <Empty title={t('discover.stopped')} text={t('discover.stoppedText')} />
      )}
      {look.scanned?.unusable.map(({ host, cause }) => (
        <Alert key={host} color="yellow" variant="light" role="status">
          {messageText(cause, { host }) ?? host}
        </Alert>
      ))}
      {look.state === 'done' && look.scanned && (
        <span className="muted num" style={{ fontSize: 13 }}>
          {t('discover.scanned', {
            where: [...look.scanned.interfaces, look.scanned.range].filter(Boolean).join(', ') || '–',
            seconds: formatNumber(Math.round(look.scanned.ms / 100) / 10),
          })}
        </span>
      )}
      {offered.length > 0 && (
        <ul ref={list} className={classes.list} aria-label={t('onboarding.cameras.title')}>
          {offered.map((one) => {
            const id = identity(one)
            const name = one.name ?? one.model ?? one.host
            // What was seen of a camera stays in sight, also when it is not chosen any more.
            const tried = isAdded(one) ? undefined : triedOf(one)
            return (
              <li key={id}>
                <div className={classes.found}>
                  <Checkbox
                    aria-label={t('onboarding.cameras.select', { name })}
                    checked={chosen.includes(id) || isAdded(one)}
                    disabled={isAdded(one) || (!chosen.includes(id) && chosen.length >= bulkDevices)}
                    onChange={() => toggle(id)}
                  />
                  <span className={classes.grow}>
                    <b>{name}</b>
                    <br />
                    <span className="muted num">{[one.maker, one.model, one.host].filter(Boolean).join(' · ')}</span>
                  </span>
                  {one.is_demo && <Tag tone="info">{t('onboarding.cameras.demoTag')}</Tag>}
                  {isAdded(one) && <Tag tone="ok">{t('onboarding.cameras.added')}</Tag>}
                </div>
                {tried && (
                  <div className={classes.note}>
                    <TrialNote tried={tried} />
                    {names.has(id) && (
                      <TextInput
                        mt="xs"
                        size="xs"
                        maw={320}
                        label={t('device.form.name')}
                        autoComplete="off"
                        value={names.get(id)}
                        error={faults[id] && fieldText(faults[id])}
                        onChange={({ currentTarget: { value } }) => {
                          setTyped((now) => ({ ...now, [id]: value }))
                          setFaults((now) => ({ ...now, [id]: '' }))
                        }}
                      />
                    )}
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {needsLogin && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput
            label={t('onboarding.cameras.username')}
            description={t('onboarding.cameras.credentialsHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            value={login.username}
            onChange={({ currentTarget: { value } }) => setLogin((now) => ({ ...now, username: value }))}
          />
          <PasswordInput
            label={t('onboarding.cameras.password')}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t('login.show'), tabIndex: 0 }}
            value={login.password}
            onChange={({ currentTarget: { value } }) => setLogin((now) => ({ ...now, password: value }))}
          />
        </SimpleGrid>
      )}
      {chosen.length >= bulkDevices && (
        <span className="t2" role="status" style={{ fontSize: 13 }}>
          {t('bulk.grid.full', { count: bulkDevices })}
        </span>
      )}
      {working.some(({ live }) => live) && (
        <Checkbox
          label={t('discover.live')}
          description={t('device.form.liveHint')}
          checked={hasLive}
          onChange={({ currentTarget: { checked } }) => setHasLive(checked)}
        />
      )}
      {selected.length > 0 && (
        <Group justify="flex-end" gap="xs" className={classes.adds}>
          {trials.progress && (
            <>
              <span className="muted num" role="status">
                {t('discover.tried', { ...trials.progress })}
              </span>
              <Button variant="default" onClick={trials.stop}>
                {t('discover.stop')}
              </Button>
            </>
          )}
          {!isTrying && untried.length === 0 && working.length < selected.length && (
            <Button variant="default" onClick={() => test(selected)}>
              {t('device.form.retest')}
            </Button>
          )}
          {isTrying || untried.length > 0 ? (
            <Button ref={addButton} loading={isTrying} onClick={() => test(untried)}>
              {t('discover.test', { count: untried.length || selected.length })}
            </Button>
          ) : (
            <Button ref={addButton} loading={isAdding} disabled={working.length === 0} onClick={() => void add()}>
              {t('onboarding.cameras.add', { count: working.length })}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

type PlacesProps = {
  isFolded: boolean
  interfaces: readonly { name: string; address: string }[]
  where: Where
  onChange: (where: Where) => void
  /** Message id of what is wrong with the range. */
  fault: string | undefined
}

/** In which networks of the edge server to look, and a range to ask address by address. */
function Places({ isFolded, interfaces, where, onChange, fault }: PlacesProps) {
  const { t } = useTranslation()
  const [isOpen, { toggle }] = useDisclosure(!isFolded)
  const names = [...new Set(interfaces.map(({ name }) => name))]
  // Of the networks that are ticked: what lies behind them nobody but the person knows.
  const networks = interfaces
    .filter(({ name }) => where.interfaces?.includes(name) ?? true)
    .flatMap(({ address }) => searchableNetwork(address) ?? [])
  const suggested = [...new Set(networks)]
  const fields = (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {names.length > 0 && (
        <Checkbox.Group
          label={t('discover.networks')}
          description={t('discover.networksHint')}
          value={where.interfaces ?? names}
          // Without any there would be nowhere to look.
          onChange={(next) => next.length > 0 && onChange({ ...where, interfaces: next })}
        >
          <Stack gap={6} mt={6}>
            {names.map((name) => (
              <Checkbox
                key={name}
                value={name}
                label={`${name} · ${interfaces
                  .filter((one) => one.name === name)
                  .map(({ address }) => address)
                  .join(', ')}`}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <Autocomplete
        label={t('discover.range')}
        description={t('discover.rangeHint')}
        placeholder={suggested[0] ?? '192.168.1.0/24'}
        autoComplete="off"
        spellCheck={false}
        data={suggested}
        // All of them: nobody types what stands there.
        filter={({ options }) => options}
        value={where.range ?? ''}
        error={fault && fieldText(fault)}
        onChange={(value) => onChange({ ...where, range: value.trim() || undefined })}
      />
    </SimpleGrid>
  )
  if (!isFolded) return fields
  return (
    <div>
      <Button variant="subtle" size="compact-sm" aria-expanded={isOpen || Boolean(fault)} onClick={toggle}>
        {t('discover.where')}
      </Button>
      <Collapse expanded={isOpen || Boolean(fault)}>{fields}</Collapse>
    </div>
  )
}
