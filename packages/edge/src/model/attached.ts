import type { LinkChannel, LinkModel } from '@sightline/contract/edge'
import type { DetectionLabel, Head, Size } from '@sightline/domain'

/** A model whose file is here, as pipelines run it. Plain data: main posts it to a worker. */
export type ReadyModel = {
  sha256: string
  file: string
  head: Head
  input: Size & { is_open: boolean }
  labels: Record<string, DetectionLabel>
}
/** The model that a channel's pipeline names: at hand, or the cause why it is not. */
export type AttachedModel = ReadyModel | { cause: string }

/** A channel as the analysis gets it. */
export type ChannelWork = LinkChannel & { model?: AttachedModel }

/** Each channel with the model that its pipeline names, as far as it is here. */
export const withModels = (
  channels: readonly LinkChannel[],
  models: readonly LinkModel[],
  stateOf: (model: LinkModel) => AttachedModel,
): ChannelWork[] =>
  channels.map((channel) => {
    const { 'detector.kind': kind, 'detector.model': id } = channel.pipeline_elements
    if (kind !== 'onnx' || !id) return channel
    const model = models.find(({ model_id }) => model_id === id)
    return { ...channel, model: model ? stateOf(model) : { cause: 'model_missing' } }
  })
