import { Alert, Button, Group, Modal, Select, Text } from '@mantine/core'
import type { Channel, Device } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useEdges } from '../app/edge.ts'
import { edgeName } from '../i18n/seeded.ts'
import { fieldText } from '../i18n/words.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'

type Props = { channel: Channel; device: Device; opened: boolean; onClose: () => void }

/** Gives an analytic another stream, pipeline or edge server: tried first, so that it is known what starts anew. */
export function RefactorChannel({ channel, device, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('channel.refactor.title', { name: channel.channel_name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <Refactor channel={channel} device={device} onClose={onClose} />}
    </Modal>
  )
}

function Refactor({ channel, device, onClose }: Omit<Props, 'opened'>) {
  const { t } = useTranslation()
  const { channel_id, nimble_id, usecase_key } = channel
  const [source, setSource] = useState(channel.source_id)
  const [pipeline, setPipeline] = useState(channel.pipeline_id)
  const [edge, setEdge] = useState(nimble_id)
  const { edges, error: edgesError, retry } = useEdges()
  const known = useQuery(api.pipeline.list.query({ nimble_id }))
  const wish = {
    channel_id,
    source_id: source === channel.source_id ? undefined : source,
    pipeline_id: pipeline === channel.pipeline_id ? undefined : pipeline,
    nimble_id: edge === nimble_id ? undefined : edge,
  }
  const isWished = Boolean(wish.source_id ?? wish.pipeline_id ?? wish.nimble_id)
  const plan = useQuery({
    queryKey: [...api.channel.id.key({ channel_id }), 'refactor', wish],
    queryFn: async ({ signal }) => {
      const result = await api.channel.refactor.call({ ...wish, dry_run: true }, { signal })
      if (!result.status) throw result.failure
      return result.data
    },
    enabled: isWished,
    // What fits now need not fit later.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { op: 'channel.refactor', quiet: true },
  })
  const apply = useMutation(api.channel.refactor.mutation({ inline: true }))
  const error = edgesError ?? known.error
  if (error) {
    const again = () => {
      retry()
      void known.refetch()
    }
    return <ErrorPanel error={error} onRetry={again} />
  }
  if (!edges || !known.data) return <BlockSkeleton height={260} />

  const pipelines = known.data
    .filter(({ pipeline_usecase }) => pipeline_usecase === usecase_key)
    .map(({ pipeline_id, pipeline_name, channels }) => {
      const users = channels.map(({ channel_name }) => channel_name).join(', ')
      if (pipeline_id === channel.pipeline_id)
        return { value: pipeline_id, label: t('channel.refactor.own', { name: pipeline_name }) }
      // One that was made with its analytic has its name.
      if (users === pipeline_name) return { value: pipeline_id, label: t('channel.refactor.sameAs', { name: users }) }
      return {
        value: pipeline_id,
        label: users ? t('channel.refactor.shared', { name: pipeline_name, users }) : pipeline_name,
      }
    })
  const hasChoice = device.device_source.length > 1 || pipelines.length > 1 || edges.length > 1
  const failure = apply.error ?? (isWished ? plan.error : null)
  const faultAt = (field: string) => {
    const id = failure?.errors[field]?.[0]
    return id && fieldText(id)
  }
  const isPlaced = ['source_id', 'pipeline_id', 'nimble_id'].some(faultAt)
  const isAway = edges.some((one) => one.nimble_id === edge && one.status && one.status.state !== 'online')
  const choose = (set: (id: string) => void) => (id: string | null) => {
    apply.reset()
    if (id) set(id)
  }
  return (
    <div className="stack">
      <Text size="sm" className="t2">
        {t('channel.refactor.hint')}
      </Text>
      <Select
        label={t('channel.refactor.source')}
        allowDeselect={false}
        disabled={device.device_source.length < 2}
        value={source}
        onChange={choose(setSource)}
        error={faultAt('source_id')}
        data={device.device_source.map(({ source_id, source_name }) => ({ value: source_id, label: source_name }))}
      />
      <Select
        label={t('channel.refactor.pipeline')}
        description={t('channel.refactor.pipelineHint')}
        allowDeselect={false}
        disabled={pipelines.length < 2}
        value={pipeline}
        onChange={choose(setPipeline)}
        error={faultAt('pipeline_id')}
        data={pipelines}
      />
      <Select
        label={t('channel.refactor.nimble')}
        description={t('channel.refactor.nimbleHint')}
        allowDeselect={false}
        disabled={edges.length < 2}
        value={edge}
        onChange={choose(setEdge)}
        error={faultAt('nimble_id')}
        data={edges.map((one) => ({
          value: one.nimble_id,
          label: one.status
            ? `${edgeName(one)} · ${t('move.load', { count: one.status.channels, capacity: one.status.capacity ?? '–' })}`
            : edgeName(one),
        }))}
      />
      {!hasChoice && (
        <Text size="sm" role="note">
          {t('channel.refactor.nothing')}
        </Text>
      )}
      {isAway && (
        <Alert color="orange" variant="light">
          {t('channel.refactor.away')}
        </Alert>
      )}
      {isWished && (
        <div role="status">
          {plan.isFetching ? (
            <Text size="sm">{t('channel.refactor.asking')}</Text>
          ) : plan.data && !failure ? (
            <Text size="sm" component="div">
              {t('channel.refactor.fits')} {t('channel.refactor.restarts', { count: plan.data.restarts.length })}{' '}
              <b>{plan.data.restarts.map(({ channel_name }) => channel_name).join(', ')}</b>
            </Text>
          ) : null}
        </div>
      )}
      {failure && !isPlaced && (
        <Alert color="red" variant="light" role="alert">
          {failure.message}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} disabled={apply.isPending}>
          {t('common.cancel')}
        </Button>
        <Button
          loading={apply.isPending}
          disabled={!isWished || plan.isFetching || !plan.data || failure !== null}
          onClick={() =>
            apply.mutate(wish, {
              onSuccess: () => {
                refresh('channel')
                onClose()
              },
            })
          }
        >
          {t('channel.refactor.apply')}
        </Button>
      </Group>
    </div>
  )
}
