import { Alert, Button, Group, Modal, Progress, Select, Text } from '@mantine/core'
import type { Nimble } from '@sightline/contract'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallFailed } from '../../api.ts'
import { refresh } from '../../app/client.ts'
import { type Movable, type MoveOutcome, moveCameras, planMove } from '../../app/moving.ts'
import { edgeName } from '../../i18n/seeded.ts'
import { causeText } from '../../i18n/words.ts'
import { Tag } from '../Health.tsx'
import classes from './cameras.module.css'

type Phase = 'choosing' | 'asking' | 'asked' | 'moving' | 'ended'

type Props = {
  title: string
  /** None: the dialog is closed. */
  cameras: readonly Movable[]
  edges: readonly Nimble[]
  /** Chosen already. */
  target?: string | undefined
  onClose: () => void
}

/** Gives cameras to another edge server: first what would start anew, then camera by camera, each with its outcome. */
export function MoveCameras({ title, cameras, edges, target, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={cameras.length > 0}
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {cameras.length > 0 && <Move cameras={cameras} edges={edges} target={target} onClose={onClose} />}
    </Modal>
  )
}

function Move({ cameras, edges, target: first, onClose }: Omit<Props, 'title'>) {
  const { t } = useTranslation()
  const [targetId, setTargetId] = useState<string | null>(first ?? null)
  const [phase, setPhase] = useState<Phase>('choosing')
  /** By camera: while asked, what would become of it; once moving, of those that went only. */
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, MoveOutcome>>(new Map())
  const [error, setError] = useState<CallFailed | null>(null)
  // Cameras stay within their organization.
  const homes = new Set(
    cameras.map((camera) => edges.find(({ nimble_id }) => nimble_id === camera.nimble_id)?.organization_id),
  )
  const targets = edges.filter(
    (edge) =>
      homes.size === 1 &&
      homes.has(edge.organization_id) &&
      cameras.some(({ nimble_id }) => nimble_id !== edge.nimble_id),
  )
  const target = edges.find(({ nimble_id }) => nimble_id === targetId)
  const hasFailed = ({ device_id }: Movable) => outcomes.get(device_id)?.error_code !== null
  const restarts = [...outcomes.values()].reduce((sum, one) => sum + one.restarts.length, 0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew when another server is chosen, not when a list is read again behind the dialog
  useEffect(() => {
    if (!targetId) return
    let isCurrent = true
    setOutcomes(new Map())
    setError(null)
    setPhase('asking')
    planMove(cameras, targetId).then(
      (plan) => {
        if (!isCurrent) return
        setOutcomes(plan)
        setPhase('asked')
      },
      (failure: CallFailed) => {
        if (!isCurrent) return
        setError(failure)
        setPhase('choosing')
        setTargetId(null)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [targetId])

  const apply = async () => {
    if (!targetId) return
    const going = phase === 'ended' ? cameras.filter(hasFailed) : cameras.filter((camera) => !hasFailed(camera))
    const refused = phase === 'ended' ? outcomes : new Map([...outcomes].filter(([, one]) => one.error_code !== null))
    setOutcomes(new Map([...refused].filter(([id]) => !going.some(({ device_id }) => device_id === id))))
    setError(null)
    setPhase('moving')
    await moveCameras(going, targetId, (moved) => setOutcomes((now) => new Map([...now, ...moved]))).catch(setError)
    setPhase('ended')
    refresh('device')
  }
  const failed = cameras.filter(hasFailed)
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
        data={targets.map((edge) => ({
          value: edge.nimble_id,
          label: [
            edgeName(edge),
            edge.status && t(`nimble.state.${edge.status.state}`),
            edge.status && t('move.load', { count: edge.status.channels, capacity: edge.status.capacity ?? '–' }),
          ]
            .filter(Boolean)
            .join(' · '),
        }))}
      />
      {targets.length === 0 && (
        <Text size="sm" mt="sm" className="t2">
          {t('move.noTarget')}
        </Text>
      )}
      {target?.status && target.status.state !== 'online' && (
        <Alert mt="md" color="orange">
          {t('move.away', { name: edgeName(target) })}
        </Alert>
      )}
      {error && (
        <Alert mt="md" color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {phase === 'moving' && cameras.length > 1 && (
        <Progress mt="md" value={(100 * outcomes.size) / cameras.length} aria-label={t('move.moving')} />
      )}
      {phase !== 'choosing' && (
        <>
          <Text size="sm" mt="md" role="status">
            {phase === 'asking' && t('move.asking')}
            {phase === 'asked' && t('move.restarts', { count: restarts })}
            {phase === 'asked' && failed.length > 0 && ` ${t('move.unfit', { count: failed.length })}`}
            {phase === 'moving' && t('move.moving')}
            {phase === 'ended' && t('move.done', { count: ready, total: cameras.length })}
          </Text>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={classes.moves} aria-label={t('move.list')} tabIndex={0}>
            <ul>
              {cameras.map(({ device_id, device_name }) => {
                const outcome = outcomes.get(device_id)
                const problem = outcome?.error_code ?? null
                return (
                  <li key={device_id}>
                    <span className={classes.grow}>
                      <b>{device_name}</b>
                      {outcome && problem === null && (
                        <span className="muted"> {outcome.restarts.join(', ') || t('move.noRestart')}</span>
                      )}
                      {problem !== null && <span className={classes.problem}> {causeText(problem)}</span>}
                    </span>
                    {problem !== null ? (
                      <Tag tone="bad">{t(phase === 'ended' ? 'move.failed' : 'move.refused')}</Tag>
                    ) : !outcome ? (
                      phase === 'ended' && <Tag tone="neutral">{t('move.failed')}</Tag>
                    ) : phase === 'asked' ? (
                      <Tag tone="info">{t('move.ready')}</Tag>
                    ) : (
                      <Tag tone="ok">{t('move.moved')}</Tag>
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
