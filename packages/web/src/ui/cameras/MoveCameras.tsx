import { Alert, Button, Group, Modal, Progress, Select, Text } from '@mantine/core'
import type { Nimble } from '@sightline/contract'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refresh } from '../../app/client.ts'
import { type Movable, type MoveOutcome, moveCamera } from '../../app/moving.ts'
import { Tag } from '../Health.tsx'
import classes from './cameras.module.css'

type Phase = 'choosing' | 'asking' | 'asked' | 'moving' | 'ended'

type Props = {
  title: string
  /** None: the dialog is closed. */
  cameras: readonly Movable[]
  edges: readonly Nimble[]
  onClose: () => void
}

/** Gives cameras to another edge server: first what would start anew, then camera by camera, each with its outcome. */
export function MoveCameras({ title, cameras, edges, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={cameras.length > 0}
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {cameras.length > 0 && <Move cameras={cameras} edges={edges} onClose={onClose} />}
    </Modal>
  )
}

function Move({ cameras, edges, onClose }: Omit<Props, 'title'>) {
  const { t } = useTranslation()
  const [targetId, setTargetId] = useState<string | null>(null)
  const [phase, setPhase] = useState<Phase>('choosing')
  const [outcomes, setOutcomes] = useState<readonly MoveOutcome[]>([])
  const [left, setLeft] = useState(0)
  const targets = edges.filter((edge) => cameras.some(({ nimble_id }) => nimble_id !== edge.nimble_id))
  const target = edges.find(({ nimble_id }) => nimble_id === targetId)
  const outcomeOf = (id: string) => outcomes.find(({ device_id }) => device_id === id)
  const failed = outcomes.filter(({ problem }) => problem !== null)
  const restarts = outcomes.reduce((sum, one) => sum + one.restarts.length, 0)

  const each = async (list: readonly Movable[], nimbleId: string, dryRun: boolean, isCurrent: () => boolean) => {
    setLeft(list.length)
    for (const [index, camera] of list.entries()) {
      const outcome = await moveCamera(camera, nimbleId, dryRun)
      if (!isCurrent()) return
      setOutcomes((now) => [...now.filter(({ device_id }) => device_id !== outcome.device_id), outcome])
      setLeft(list.length - index - 1)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew when another server is chosen, not when a list is read again behind the dialog
  useEffect(() => {
    if (!targetId) return
    let isCurrent = true
    setOutcomes([])
    setPhase('asking')
    void each(cameras, targetId, true, () => isCurrent).then(() => {
      if (isCurrent) setPhase('asked')
    })
    return () => {
      isCurrent = false
    }
  }, [targetId])

  const apply = async () => {
    if (!targetId) return
    const list = cameras.filter(({ device_id }) => outcomeOf(device_id)?.problem === null)
    setPhase('moving')
    await each(
      phase === 'ended' ? cameras.filter((one) => outcomeOf(one.device_id)?.problem) : list,
      targetId,
      false,
      () => true,
    )
    setPhase('ended')
    refresh('device')
  }
  const isBusy = phase === 'asking' || phase === 'moving'
  const ready = cameras.length - failed.length
  return (
    <>
      <Select
        label={t('move.target')}
        description={t('move.targetHint')}
        placeholder={t('move.choose')}
        data-autofocus
        disabled={phase === 'moving' || phase === 'ended'}
        value={targetId}
        onChange={setTargetId}
        allowDeselect={false}
        data={targets.map(({ nimble_id, name, status }) => ({
          value: nimble_id,
          label: status
            ? `${name} · ${t(`nimble.state.${status.state}`)} · ${t('move.load', { count: status.channels, capacity: status.capacity ?? '–' })}`
            : name,
        }))}
      />
      {targets.length === 0 && (
        <Text size="sm" mt="sm" className="t2">
          {t('move.noTarget')}
        </Text>
      )}
      {target?.status && target.status.state !== 'online' && (
        <Alert mt="md" color="orange">
          {t('move.away', { name: target.name })}
        </Alert>
      )}
      {isBusy && cameras.length > 1 && (
        <Progress
          mt="md"
          value={(100 * (cameras.length - left)) / cameras.length}
          aria-label={t(phase === 'asking' ? 'move.asking' : 'move.moving')}
        />
      )}
      {phase !== 'choosing' && (
        <>
          <Text size="sm" mt="md" role="status">
            {phase === 'asking' && t('move.asking')}
            {phase === 'asked' && t('move.restarts', { count: restarts })}
            {phase === 'moving' && t('move.moving')}
            {phase === 'ended' && t('move.done', { count: ready, total: cameras.length })}
          </Text>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={classes.moves} aria-label={t('move.list')} tabIndex={0}>
            <ul>
              {cameras.map(({ device_id, device_name }) => {
                const outcome = outcomeOf(device_id)
                return (
                  <li key={device_id}>
                    <span className={classes.grow}>
                      <b>{device_name}</b>
                      {outcome && !outcome.problem && outcome.restarts.length > 0 && (
                        <span className="muted"> {outcome.restarts.join(', ')}</span>
                      )}
                      {outcome && !outcome.problem && outcome.restarts.length === 0 && (
                        <span className="muted"> {t('move.noRestart')}</span>
                      )}
                      {outcome?.problem && <span className={classes.problem}> {outcome.problem}</span>}
                    </span>
                    {outcome?.problem ? (
                      <Tag tone="bad">{t(phase === 'ended' ? 'move.failed' : 'move.refused')}</Tag>
                    ) : phase === 'ended' || (phase === 'moving' && outcome && left < cameras.length) ? (
                      phase === 'ended' && <Tag tone="ok">{t('move.moved')}</Tag>
                    ) : (
                      outcome && <Tag tone="info">{t('move.ready')}</Tag>
                    )}
                  </li>
                )
              })}
            </ul>
          </section>
        </>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} disabled={phase === 'moving'}>
          {t(phase === 'ended' ? 'common.close' : 'common.cancel')}
        </Button>
        {phase === 'ended' ? (
          failed.length > 0 && <Button onClick={() => void apply()}>{t('move.retry', { count: failed.length })}</Button>
        ) : (
          <Button loading={phase === 'moving'} disabled={phase !== 'asked' || ready === 0} onClick={() => void apply()}>
            {t('move.apply', { count: phase === 'asked' ? ready : cameras.length })}
          </Button>
        )}
      </Group>
    </>
  )
}
