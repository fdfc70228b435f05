import { ActionIcon, Alert, Button, Menu, Modal } from '@mantine/core'
import type { PipelineUse } from '@sightline/contract'
import { IconDots, IconPlus, IconRoute } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useStore } from '../store.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { mayLeave, question } from '../ui/leaving.ts'
import { Panel } from '../ui/Panel.tsx'
import { PipelineUsers } from '../ui/PipelineUsers.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { Steps } from '../ui/Steps.tsx'
import { PipelineForm } from './PipelineForm.tsx'

/** So many analytics of a pipeline are named in its row. */
const mostUsers = 3

type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; pipeline: PipelineUse } | null

/** The pipelines of an edge server with the analytics that run them; administrators add, change and delete. */
export function PipelineList({ nimbleId: nimble_id, mayEdit }: { nimbleId: string; mayEdit: boolean }) {
  const { t } = useTranslation()
  const query = useQuery(api.pipeline.list.query({ nimble_id }))
  const sync = useQuery({ ...api.nimble.sync.query({ nimble_id }), refetchInterval: 10_000 })
  const remove = useMutation(api.pipeline.delete.mutation())
  const [open, setOpen] = useState<Open>(null)
  const isAsked = useStore(question) !== null
  const close = () => setOpen(null)
  const leave = async () => {
    if (await mayLeave()) close()
  }
  if (query.isError && !query.data) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <RowsSkeleton rows={4} height={54} />

  const pieces = new Map(sync.data?.items.map((item) => [item.id, item]))
  const columns: Column<PipelineUse>[] = [
    {
      id: 'name',
      header: t('pipeline.name'),
      value: ({ pipeline_name }) => pipeline_name,
      cell: ({ pipeline_name }) => <b>{pipeline_name}</b>,
    },
    {
      id: 'usecase',
      header: t('pipeline.usecase'),
      value: ({ pipeline_usecase }) => t(`usecase.name.${pipeline_usecase}`),
      cell: ({ pipeline_usecase }) => t(`usecase.name.${pipeline_usecase}`),
    },
    {
      id: 'users',
      header: t('pipeline.usedBy'),
      value: ({ channels }) => channels.map(({ channel_name }) => channel_name).join(' '),
      cell: ({ channels }) =>
        channels.length === 0 ? (
          <span className="muted">{t('pipeline.unused')}</span>
        ) : (
          <PipelineUsers channels={channels} most={mostUsers} />
        ),
    },
    {
      id: 'state',
      header: t('pipeline.state'),
      cell: ({ pipeline_id, channels }) => {
        if (channels.length === 0) return <span className="muted">{t('pipeline.notSent')}</span>
        if (!sync.data) return sync.isError ? t('pipeline.unknown') : '–'
        const item = pieces.get(pipeline_id)
        return item ? <Steps item={item} /> : t('pipeline.unknown')
      },
    },
  ]
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen({ kind: 'add' })} data-create>
      {t('pipeline.add')}
    </Button>
  )
  const opened = open?.kind === 'add' ? undefined : open?.pipeline
  // As it is now: a change of somebody else comes in while the dialog is open.
  const pipeline = query.data.find(({ pipeline_id }) => pipeline_id === opened?.pipeline_id) ?? opened
  const isBlocked = open?.kind === 'delete' && Boolean(pipeline?.channels.length)
  return (
    <>
      <Panel flush title={t('pipeline.title')} hint={t('pipeline.about')}>
        {sync.isError && (
          <Alert color="red" variant="light" role="alert" mx="md" mb="sm">
            {sync.error.message}
          </Alert>
        )}
        <DataTable
          label={t('pipeline.title')}
          columns={columns}
          rows={query.data}
          rowId={({ pipeline_id }) => pipeline_id}
          filterLabel={t('pipeline.find')}
          filters={mayEdit && query.data.length > 0 ? add : undefined}
          empty={
            <Empty
              icon={<IconRoute stroke={1.5} />}
              title={t('pipeline.empty')}
              text={t('pipeline.emptyText')}
              action={add}
              forbidden={!mayEdit}
            />
          }
          actions={mayEdit ? (row) => <RowMenu pipeline={row} onOpen={setOpen} /> : undefined}
        />
      </Panel>
      <Modal
        opened={open?.kind === 'add' || open?.kind === 'edit'}
        onClose={() => void leave()}
        // Escape answers the question then.
        closeOnEscape={!isAsked}
        // What was set must not go by a press beside the dialog.
        closeOnClickOutside={false}
        size="xl"
        title={pipeline ? t('pipeline.edit', { name: pipeline.pipeline_name }) : t('pipeline.add')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {(open?.kind === 'add' || open?.kind === 'edit') && (
          <PipelineForm nimbleId={nimble_id} pipeline={pipeline} onCancel={() => void leave()} onDone={close} />
        )}
      </Modal>
      <Modal
        opened={isBlocked}
        onClose={close}
        title={t('pipeline.delete')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <p>{pipeline && t('common.pair', { name: pipeline.pipeline_name, text: t('pipeline.inUse') })}</p>
        <p>{pipeline && <PipelineUsers channels={pipeline.channels} />}</p>
      </Modal>
      <Confirm
        opened={open?.kind === 'delete' && !isBlocked}
        onClose={close}
        title={t('pipeline.delete')}
        confirmLabel={t('pipeline.delete')}
        pending={remove.isPending}
        onConfirm={() => {
          if (pipeline) remove.mutate({ pipeline_id: pipeline.pipeline_id }, { onSettled: close })
        }}
      >
        {pipeline && t('common.pair', { name: pipeline.pipeline_name, text: t('pipeline.deleteText') })}
      </Confirm>
    </>
  )
}

function RowMenu({ pipeline, onOpen }: { pipeline: PipelineUse; onOpen: (open: Open) => void }) {
  const { t } = useTranslation()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.actionsFor', { name: pipeline.pipeline_name })}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen({ kind: 'edit', pipeline })}>{t('common.edit')}</Menu.Item>
        <Menu.Item color="red" onClick={() => onOpen({ kind: 'delete', pipeline })}>
          {t('pipeline.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
