import { ActionIcon, Button, Group, Modal } from '@mantine/core'
import type { Model } from '@sightline/contract'
import { IconCube, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatBytes, formatDate } from '../i18n/format.ts'
import { causeText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { PipelineUsers } from '../ui/PipelineUsers.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { AddModel } from './AddModel.tsx'
import classes from './model.module.css'

/** Models of the organization: what each finds and serves; administrators add and delete. */
export function ModelList() {
  const { t } = useTranslation()
  const mayChange = useMay('edit')
  const query = useQuery(api.model.list.query({}))
  const remove = useMutation(api.model.delete.mutation())
  const [isAdding, setIsAdding] = useState(false)
  const [leaving, setLeaving] = useState<Model | null>(null)
  const isUsed = leaving !== null && leaving.pipelines > 0
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setIsAdding(true)} data-create>
      {t('model.add')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('model.title')} meta={t('model.meta')}>
        {mayChange && add}
      </PageHeader>
      <Loaded
        rows={query.data}
        error={query.error}
        onRetry={() => void query.refetch()}
        skeleton={{ rows: 2, height: 120 }}
        empty={
          <Empty
            icon={<IconCube stroke={1.5} />}
            title={t('model.empty')}
            text={t('model.emptyText')}
            action={add}
            forbidden={!mayChange}
          />
        }
      >
        {(rows) => (
          <div className={classes.cards}>
            {rows.map((model) => (
              <ModelCard key={model.model_id} model={model} onDelete={mayChange ? () => setLeaving(model) : null} />
            ))}
          </div>
        )}
      </Loaded>
      <Modal
        opened={isAdding}
        onClose={() => setIsAdding(false)}
        // An upload under way must not end by a press beside the dialog.
        closeOnClickOutside={false}
        size="lg"
        title={t('model.add')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {isAdding && <AddModel onDone={() => setIsAdding(false)} />}
      </Modal>
      <Modal
        opened={isUsed}
        onClose={() => setLeaving(null)}
        title={t('model.delete')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {isUsed && leaving && <InUse model={leaving} />}
      </Modal>
      <Confirm
        opened={leaving !== null && !isUsed}
        onClose={() => setLeaving(null)}
        title={t('model.delete')}
        confirmLabel={t('model.delete')}
        pending={remove.isPending}
        onConfirm={() => {
          if (leaving) remove.mutate({ model_id: leaving.model_id }, { onSettled: () => setLeaving(null) })
        }}
      >
        <b>{leaving?.model_name}</b> {t('model.deleteText')}
      </Confirm>
    </>
  )
}

/** Which pipelines and analytics keep a model from going, with the way to each. */
function InUse({ model: { model_id, model_name } }: { model: Model }) {
  const { t } = useTranslation()
  const users = useQuery({ ...api.pipeline.list.query({ model_id }), staleTime: 0 })
  if (users.isError) return <ErrorPanel error={users.error} onRetry={() => void users.refetch()} />
  if (!users.data) return <RowsSkeleton rows={3} height={32} />
  return (
    <>
      <p>{t('common.pair', { name: model_name, text: t('model.inUse') })}</p>
      <ul>
        {users.data.map(({ pipeline_id, pipeline_name, nimble_id, channels }) => (
          <li key={pipeline_id}>
            <Go to="/configuration/detail" search={{ nid: nimble_id, tab: 'pipelines', q: pipeline_name }}>
              {pipeline_name}
            </Go>
            {' · '}
            {channels.length > 0 ? <PipelineUsers channels={channels} /> : t('pipeline.unused')}
          </li>
        ))}
      </ul>
    </>
  )
}

function ModelCard({ model, onDelete }: { model: Model; onDelete: (() => void) | null }) {
  const { t } = useTranslation()
  const found = [...new Set(Object.values(model.labels))]
  return (
    <article className={classes.card}>
      <Group gap={8} wrap="nowrap">
        <IconCube size={20} stroke={1.6} aria-hidden="true" />
        <h2 className={classes.name}>{model.model_name}</h2>
        <Tag tone={model.state === 'ready' ? 'ok' : 'bad'}>{t(`model.state.${model.state}`)}</Tag>
        {onDelete && (
          <ActionIcon
            ml="auto"
            variant="subtle"
            color="gray"
            aria-label={t('model.deleteNamed', { name: model.model_name })}
            onClick={onDelete}
          >
            <IconTrash size={17} />
          </ActionIcon>
        )}
      </Group>
      {model.state_cause && (
        <p className={classes.trouble}>
          {causeText(model.state_cause)} {t('model.againText')}
        </p>
      )}
      <Facts
        items={[
          model.vector_length === null
            ? [t('model.finds'), found.map((label) => t(`model.label.${label}`)).join(', ')]
            : [t('model.makes'), t('model.vectors', { count: model.vector_length })],
          [t('model.serves'), model.usecase_keys.map((key) => t(`usecase.name.${key}`)).join(', ')],
          [t('model.usedBy'), t('model.pipelines', { count: model.pipelines })],
          [t('model.input'), `${model.input_width} × ${model.input_height}`],
          [t('model.head'), `${model.head} · opset ${model.opset}`],
          [t('model.size'), formatBytes(model.size)],
          [t('model.added'), formatDate(model.created_at)],
          ['SHA-256', <code key="sha">{model.sha256.slice(0, 16)}…</code>],
        ]}
      />
    </article>
  )
}
