import type { LinkChannel, LinkConfig } from '@sightline/contract/edge'
import type { DetectionLabel, Head, Size, ValueRange } from '@sightline/domain'

/** A file of the portal's, kept here under its SHA-256, and how its parts are asked for. */
export type WantedFile = { sha256: string; size: number; wish: Wish }
export type Wish = { type: 'model.get'; model_id: string } | { type: 'gallery.get'; channel_id: string }
/** Where the file is, or the cause why it is not here. */
export type FileState = { file: string } | { cause: string }

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

/** What compares faces: a model that makes a vector of one, and the file of vectors that are known; null without any. */
export type ReadyFaces = {
  embedder: { file: string; input: Size; range: ValueRange; vector_length: number }
  gallery: string | null
}
export type AttachedFaces = ReadyFaces | { cause: string }

/** A channel as the analysis gets it. */
export type ChannelWork = LinkChannel & { model?: AttachedModel; faces?: AttachedFaces }

const modelFile = ({ model_id, sha256, size }: { model_id: string; sha256: string; size: number }): WantedFile => ({
  ...{ sha256, size },
  wish: { type: 'model.get', model_id },
})
const galleryFile = ({ channel_id, gallery }: LinkChannel): WantedFile | null =>
  gallery ? { ...gallery, wish: { type: 'gallery.get', channel_id } } : null

/** All files that a configuration needs. */
export const filesOf = ({ models, embedders, channels }: LinkConfig): WantedFile[] => [
  ...[...models, ...embedders].map(modelFile),
  ...channels.flatMap((channel) => galleryFile(channel) ?? []),
]

/** Channels with what their pipelines name, as far as it is here. */
export function withModels(
  channels: readonly LinkChannel[],
  { models, embedders, unread = [] }: Pick<LinkConfig, 'models' | 'embedders' | 'unread'>,
  stateOf: (file: WantedFile) => FileState,
): ChannelWork[] {
  const lackOf = (modelId: unknown) => ({
    cause: unread.some(({ id }) => id === modelId) ? 'not_understood' : 'model_missing',
  })
  function modelOf({ pipeline_elements }: LinkChannel): AttachedModel | null {
    const { 'detector.kind': kind, 'detector.model': id } = pipeline_elements
    if (kind !== 'onnx' || !id) return null
    const model = models.find(({ model_id }) => model_id === id)
    if (!model) return lackOf(id)
    const state = stateOf(modelFile(model))
    const { sha256, head, input, labels } = model
    return 'cause' in state ? state : { sha256, file: state.file, head, input, labels }
  }
  function facesOf(channel: LinkChannel): AttachedFaces | null {
    const id = channel.usecase_key === 'fcrecog' && channel.pipeline_elements['detector.embedding']
    if (!id) return null
    const embedder = embedders.find(({ model_id }) => model_id === id)
    if (!embedder) return lackOf(id)
    const model = stateOf(modelFile(embedder))
    if ('cause' in model) return model
    const wanted = galleryFile(channel)
    const gallery = wanted && stateOf(wanted)
    // Without its gallery everybody would be called unknown: rather nobody is called anything.
    if (gallery && 'cause' in gallery) return { cause: 'gallery_loading' }
    const { input, range, vector_length } = embedder
    return { embedder: { file: model.file, input, range, vector_length }, gallery: gallery?.file ?? null }
  }
  // Another version of a pipeline with the same elements is no reason to begin anew.
  return channels.map(({ pipeline: _, ...channel }) => {
    const model = modelOf(channel)
    const faces = facesOf(channel)
    return { ...channel, ...(model && { model }), ...(faces && { faces }) }
  })
}
