import { readFile } from 'node:fs/promises'
import type { Head } from '@sightline/domain'
import { runApart } from '../apart.ts'
import { fileOf } from '../model/store.ts'
import type { Services } from '../services.ts'
import type { FaceRequest, FaceResult } from './read-process.ts'
import type { modelsInUse } from './store.ts'

type InUse = Awaited<ReturnType<typeof modelsInUse>>
type Env = Pick<Services['env'], 'dataDir'>

const script = new URL('./read-process.ts', import.meta.url)
const sizeOf = ({ input_width, input_height }: { input_width: number; input_height: number }) => ({
  width: input_width,
  height: input_height,
})
const embeddersOf = (env: Env, models: InUse) =>
  models.map(({ embedding }) => ({
    ...{ file: fileOf(env, embedding.path), size: sizeOf(embedding), range: embedding.value_range },
    // Of embedding models always there.
    vectorLength: embedding.vector_length as number,
  }))
const vectorsOf = (models: InUse, { vectors }: FaceResult) =>
  models.map(({ embedding }, i) => ({ model_id: embedding.id, vector: vectors[i] as Float32Array }))

/**
 * Finds the one face of an uploaded picture and reads it with each model in use.
 * @throws 400 for `file` when there is no face, more than one, or one that is too small
 */
export async function readUploaded(env: Env, tenantId: number, models: InUse, picture: Uint8Array) {
  const { detector } = models[0] as InUse[number]
  const result = await runApart<FaceRequest, FaceResult>(
    script,
    tenantId,
    {
      picture,
      detector: {
        ...{ file: fileOf(env, detector.path), head: detector.head as Head, labels: detector.labels },
        size: sizeOf(detector),
      },
      embedders: embeddersOf(env, models),
    },
    'file',
  )
  return { square: result.square, facePx: result.facePx, vectors: vectorsOf(models, result) }
}

/** Reads a picture that is kept with models that are new to it. @throws 400 for `file` */
export async function readKept(env: Env, tenantId: number, models: InUse, path: string) {
  const picture = await readFile(fileOf(env, path))
  const request = { picture, detector: null, embedders: embeddersOf(env, models) }
  return vectorsOf(models, await runApart<FaceRequest, FaceResult>(script, tenantId, request, 'file'))
}
