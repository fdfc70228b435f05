import { Button, Group } from '@mantine/core'
import type { Channel } from '@sightline/contract'
import {
  calibrationKeys,
  elementFaults,
  type PipelineElements,
  type PipelineValue,
  pipelineCatalog,
} from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { ElementForm } from '../ui/elements/ElementForm.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { shapesOf } from '../ui/live/ShapesOver.tsx'
import { Panel } from '../ui/Panel.tsx'
import classes from './channel.module.css'

type Props = {
  channel: Channel
  elements: PipelineElements
  /** What was changed and not applied yet; kept by the page, which other tabs are part of. */
  changes: PipelineElements
  onChange: (changes: PipelineElements) => void
}

/** The elements of a channel beside its live picture with boxes: what is applied is seen at once. */
export function Tuning({ channel, elements, changes, onChange }: Props) {
  const { t } = useTranslation()
  const { channel_id, usecase_key } = channel
  const defaults = useQuery(api.pipeline.defaults.query({ usecase_key }))
  const update = useMutation(api.channel.update.mutation())
  const values = { ...elements, ...changes }
  const faults = elementFaults(values)
  const changed = Object.keys(changes).filter((key) => changes[key] !== elements[key])
  const restarts = changed.some((key) => !pipelineCatalog.find((item) => item.key === key)?.hot_reload)
  const apply = () => {
    const pipeline_elements = Object.fromEntries(changed.map((key) => [key, values[key] as PipelineValue]))
    update.mutate({ channel_id, pipeline: { pipeline_elements } })
  }
  return (
    <div className={classes.tuning}>
      <LivePicture
        channelId={channel_id}
        siteId={channel.site_id}
        label={channel.channel_name}
        shapes={shapesOf(channel.zones)}
      />
      <Panel
        title={t('channel.edit.tuning')}
        hint={
          changed.length === 0
            ? t('channel.edit.tuningHint')
            : t(restarts ? 'channel.edit.willRestart' : 'channel.edit.willGoOn')
        }
        aside={
          <Group gap="xs" wrap="nowrap">
            {changed.length > 0 && (
              <Button variant="default" onClick={() => onChange({})}>
                {t('common.cancel')}
              </Button>
            )}
            <Button
              loading={update.isPending}
              disabled={changed.length === 0 || Object.keys(faults).length > 0}
              onClick={apply}
            >
              {t('channel.edit.apply')}
            </Button>
          </Group>
        }
      >
        <ElementForm
          values={values}
          base={defaults.data?.pipeline_elements ?? elements}
          faults={faults}
          runs
          hidden={calibrationKeys}
          onChange={(key, value) => onChange({ ...changes, [key]: value })}
        />
      </Panel>
    </div>
  )
}
