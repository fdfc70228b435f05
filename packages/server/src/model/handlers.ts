import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { changed } from '../bus.ts'
import { findMedia, isBlurred } from '../media/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { forbidden, invalid, Refusal } from '../refusal.ts'
import { newUid } from '../uid.ts'
import { checkModel } from './check.ts'
import type { CheckResult } from './check-process.ts'
import {
  deleteModel,
  findUpload,
  insertModel,
  listModels,
  lockModel,
  type ModelRow,
  modelEntity,
  readModel,
  removeFile,
  uidIn,
} from './store.ts'

/** People in a rendered scene of our own (packages/simcam/scenes), for models of which nobody has a picture at hand. */
const ownPicture = new URL('./test-picture.jpg', import.meta.url)

export const model: Handlers<'model'> = {
  async list(_, { app, scope }) {
    const rows = await app.db.as(scope, (trx) => listModels(trx, scope))
    return Promise.all(rows.map((row) => modelEntity(app, row)))
  },

  async check({ path, head, picture }, { app, scope, principal }) {
    const upload = await app.db.as(scope, (trx) => findUpload(trx, app, scope, path))
    const image =
      picture === undefined ? await readFile(ownPicture) : await pictureOf({ app, scope, principal }, picture)
    const result = await checkModel(upload.tenant_id, upload.file, head ?? null, image)
    return {
      path,
      size: upload.size,
      sha256: upload.sha256 ?? '',
      ...structureOf(result),
      heads: result.heads,
      head: result.head,
      classes: result.classes,
      vector_length: result.vectorLength,
      names: Object.fromEntries(result.names),
      labels: result.labels,
      run_ms: Math.round(result.runMs * 10) / 10,
      blank_boxes: result.blankBoxes,
      picture: image.toString('base64'),
      boxes: result.found.map(({ box: [x, y, w, h], score, classIndex }) => ({
        box: [x, y, w, h] as [number, number, number, number],
        score,
        class_index: classIndex,
      })),
    }
  },

  async create({ model_name, path, head, labels, value_range }, ctx) {
    const { app, scope } = ctx
    const upload = await app.db.as(scope, (trx) => findUpload(trx, app, scope, path))
    const result = await checkModel(upload.tenant_id, upload.file, head, await readFile(ownPicture))
    const beyond = Object.keys(labels).filter((index) => result.classes !== null && Number(index) >= result.classes)
    if (beyond.length > 0)
      throw invalid(Object.fromEntries(beyond.map((index) => [`labels.${index}`, ['label_class']])))
    const row = await app.db.as(scope, async (trx) => {
      const { tenant_id, id } = await findUpload(trx, app, scope, path)
      const uid = newUid()
      const { opset, inputs, outputs, ...size } = structureOf(result)
      await insertModel(trx, {
        tenant_id,
        uid,
        name: model_name,
        media_id: id,
        opset,
        inputs: JSON.stringify(inputs),
        outputs: JSON.stringify(outputs),
        ...size,
        head,
        names: JSON.stringify(Object.fromEntries(result.names)),
        labels: JSON.stringify(head === 'embedding' ? {} : labels),
        value_range: head === 'embedding' ? value_range : 'unit',
        vector_length: result.vectorLength,
      })
      return readModel(trx, scope, uid)
    })
    tell(ctx, row)
    return modelEntity(app, row)
  },

  async delete({ model_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const before = await lockModel(trx, scope, model_id)
      if (before.pipelines > 0)
        throw new Refusal(409, 'Pipelines use this model.', {
          code: 'model_in_use',
          args: { count: before.pipelines },
        })
      await deleteModel(trx, before)
      return before
    })
    await removeFile(app, row)
    tell(ctx, row)
    return { model_id }
  },
}

const structureOf = ({ opset, inputs, outputs, size }: CheckResult) => ({
  opset,
  inputs,
  outputs,
  input_width: size.width,
  input_height: size.height,
})

/** A picture that the caller may see. @throws 400 for the field `picture` */
async function pictureOf(
  { app, scope, principal }: Pick<Ctx, 'app' | 'scope' | 'principal'>,
  path: string,
): Promise<Buffer> {
  const row = await app.db.as(scope, (trx) => findMedia(trx, scope, uidIn(path)))
  if (row && isBlurred(row, principal)) throw forbidden('role_blurred')
  if (!row?.path || !row.content_type.startsWith('image/')) throw invalid({ picture: ['upload_unknown'] })
  return readFile(join(app.env.dataDir, row.path))
}

function tell({ app, note }: Ctx, row: ModelRow): void {
  app.bus.publish(changed(row, 'model', row.uid))
  note({ object_id: row.uid, object_name: row.name })
}
