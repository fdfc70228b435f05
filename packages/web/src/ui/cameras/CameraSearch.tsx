import { Button, Checkbox, Group, Loader, PasswordInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Device, Discovered, Nimble, Site } from '@sightline/contract'
import { bulkDevices } from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cameraName } from '../../app/camera-choice.ts'
import { api, refresh, report } from '../../app/client.ts'
import { type Tried, tryCamera, useDiscovery, withDemo } from '../../app/discovery.ts'
import { notify } from '../../app/messages.ts'
import { causeText } from '../../i18n/words.ts'
import { useMay } from '../../session.ts'
import { Empty } from '../Empty.tsx'
import { Tag } from '../Health.tsx'
import classes from './cameras.module.css'

/** So many demo cameras the wizard starts: enough to see more than one, few enough for a laptop. */
const demoCount = 2

/** Which camera it is, whatever answers: its id, or its address. */
const identity = (found: Discovered) => found.UUID ?? found.xaddr

type SearchProps = { nimble: Nimble; site: Site; devices: readonly Device[]; onAdded: () => void }

/** Cameras that the edge server finds, live; chosen ones are tried and added with one set of credentials. */
export function CameraSearch({ nimble, site, devices, onAdded }: SearchProps) {
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
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [login, setLogin] = useState({ username: '', password: '' })
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [trying, setTrying] = useState<string | null>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLUListElement>(null)

  const offered = look.state === 'idle' && !demo.data?.length ? [] : withDemo(look.found, demo.data ?? [])
  const isAdded = (one: Discovered) =>
    one.device_id !== null || devices.some((device) => device.UUID !== null && device.UUID === one.UUID)
  const selected = offered.filter((one) => chosen.includes(identity(one)) && !isAdded(one))
  const needsLogin = selected.some((one) => !one.is_demo)

  // The demo cameras are what was asked for: they are chosen already, and Enter adds them.
  const wantsDemo = startDemo.isSuccess
  const demoIds = offered.filter((one) => one.is_demo && !isAdded(one)).map(identity)
  const demoKey = demoIds.join(' ')
  useEffect(() => {
    if (!wantsDemo || demoKey === '') return
    setChosen((now) => [...new Set([...now, ...demoKey.split(' ')])])
  }, [wantsDemo, demoKey])

  // A button that works loses the focus. Once there is something to go on with, the keyboard goes on there.
  const isLooking = look.state === 'looking' || startDemo.isPending
  const canAdd = selected.length > 0
  useEffect(() => {
    if (isLooking || document.activeElement !== document.body) return
    if (canAdd) addButton.current?.focus()
    else list.current?.querySelector<HTMLElement>('input:not(:disabled)')?.focus()
  }, [isLooking, canAdd])

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
    setProblems({})
    const tried: Tried[] = []
    for (const found of selected) {
      setTrying(found.name ?? found.host)
      const own = demo.data?.find((camera) => camera.UUID === found.UUID)
      tried.push(await tryCamera(nimble.nimble_id, found, own ?? login))
    }
    setTrying(null)
    setProblems(
      Object.fromEntries(tried.flatMap(({ found, problem }) => (problem ? [[identity(found), problem]] : []))),
    )
    const names = devices.map((device) => device.device_name)
    const drafts = tried.flatMap(({ found, profile }) => {
      if (!profile) return []
      const own = demo.data?.find((camera) => camera.UUID === found.UUID)
      const { username, password } = own ?? login
      const device_name = cameraName(found, names)
      names.push(device_name)
      return {
        device_name,
        site_id: site.site_id,
        nimble_id: nimble.nimble_id,
        UUID: found.UUID,
        stream_address: profile.stream_address,
        stream_type: 'onvif' as const,
        username: username || null,
        password: password || null,
        onvif_port: found.port,
      }
    })
    if (drafts.length === 0) return
    const result = await api.device.create.call(drafts)
    if (!result.status) return notify(result.message)
    setChosen([])
    refresh('device')
    if (drafts.length === tried.length) onAdded()
  }

  const toggle = (id: string) =>
    setChosen((now) => (now.includes(id) ? now.filter((other) => other !== id) : [...now, id]))
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Button
          variant={devices.length > 0 || offered.length > 0 ? 'default' : 'filled'}
          data-first
          loading={isLooking}
          onClick={() => look.start(nimble.nimble_id)}
        >
          {look.state === 'idle' ? t('onboarding.cameras.look') : t('onboarding.cameras.lookAgain')}
        </Button>
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
            <Loader size={14} /> {t('onboarding.cameras.looking')}
          </Group>
        ) : look.state === 'failed' ? (
          (look.error ?? t('onboarding.cameras.none'))
        ) : (
          offered.length > 0 && t('onboarding.cameras.found', { count: offered.length })
        )}
      </span>
      {look.state === 'done' && offered.length === 0 && (
        <Empty title={t('onboarding.cameras.none')} text={t('onboarding.cameras.noneText')} />
      )}
      {offered.length > 0 && (
        <ul ref={list} className={classes.list} aria-label={t('onboarding.cameras.title')}>
          {offered.map((one) => {
            const id = identity(one)
            const name = one.name ?? one.model ?? one.host
            const problem = problems[id]
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
                    {problem && (
                      <span className={classes.problem} role="alert">
                        <br />
                        {causeText(problem)}
                      </span>
                    )}
                  </span>
                  {one.is_demo && <Tag tone="info">{t('onboarding.cameras.demoTag')}</Tag>}
                  {isAdded(one) && <Tag tone="ok">{t('onboarding.cameras.added')}</Tag>}
                </div>
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
      {selected.length > 0 && (
        <Group justify="flex-end" gap="xs">
          {trying && (
            <span className="muted" role="status">
              {t('onboarding.cameras.trying', { name: trying })}
            </span>
          )}
          <Button ref={addButton} loading={trying !== null} onClick={() => void add()}>
            {t('onboarding.cameras.add', { count: selected.length })}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
