import { pipelineCatalog } from '@sightline/domain'
import { changed } from '../bus.ts'
import { touchChannels } from '../channel/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { raiseDesired, readNimble } from '../nimble/store.ts'
import { Refusal, stale } from '../refusal.ts'
import { changeOf } from '../trace.ts'
import { readDefaults } from '../usecase/store.ts'
import {
  completeElements,
  countUsers,
  deletePipeline,
  insertPipeline,
  listPipelines,
  type PipelineRow,
  pipelineEntity,
  readPipeline,
  updatePipeline,
} from './store.ts'

export const pipeline: Handlers<'pipeline'> = {
  async list({ nimble_id, model_id }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      if (nimble_id !== undefined) await readNimble(trx, scope, nimble_id)
      return listPipelines(trx, scope, { nimbleUid: nimble_id, modelUid: model_id })
    })
  },

  async create({ pipeline_name, pipeline_elements, nimble_id, pipeline_reference_key, pipeline_usecase }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const nimble = await readNimble(trx, scope, nimble_id)
      const own = await readDefaults(trx, nimble.tenant_id, pipeline_usecase)
      const { uid } = await insertPipeline(
        trx,
        { tenant_id: nimble.tenant_id, nimble_id: nimble.id },
        {
          name: pipeline_name,
          elements: completeElements(pipeline_usecase, { ...own.elements, ...pipeline_elements }),
          usecase: pipeline_usecase,
          referenceKey: pipeline_reference_key,
        },
      )
      return readPipeline(trx, scope, uid)
    })
    tell(ctx, row)
    return pipelineEntity(row)
  },

  async update({ pipeline_id, pipeline_name, pipeline_elements, version }, ctx) {
    const { app, scope } = ctx
    const { before, row } = await app.db.as(scope, async (trx) => {
      const seen = await readPipeline(trx, scope, pipeline_id)
      // Edge server, then pipeline: the order in which everybody waits.
      await raiseDesired(trx, seen)
      const before = await readPipeline(trx, scope, pipeline_id)
      if (before.nimble_id !== seen.nimble_id) throw stale()
      const elements =
        pipeline_elements && completeElements(before.usecase_key, { ...before.elements, ...pipeline_elements })
      await updatePipeline(trx, before, { name: pipeline_name, elements }, version)
      if (elements) await touchChannels(trx, before.tenant_id, { pipelineId: before.id })
      return { before, row: await readPipeline(trx, scope, pipeline_id) }
    })
    app.links.reconfigure(row.nimble_uid)
    tell(ctx, row)
    ctx.note(changeOf(pipelineEntity(before), pipelineEntity(row)))
    return pipelineEntity(row)
  },

  async delete({ pipeline_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const before = await readPipeline(trx, scope, pipeline_id)
      const count = await countUsers(trx, before)
      if (count > 0) throw new Refusal(409, 'Channels use this pipeline.', { code: 'pipeline_in_use', args: { count } })
      await deletePipeline(trx, before)
      return before
    })
    tell(ctx, row)
    return { pipeline_id }
  },

  async defaults({ usecase_key }, { app, scope, principal }) {
    const { elements } = await app.db.as(scope, (trx) => readDefaults(trx, principal.tenantId, usecase_key))
    return { usecase_key, pipeline_elements: elements }
  },

  async get({ pipeline_id }, { app, scope }) {
    return pipelineEntity(await app.db.as(scope, (trx) => readPipeline(trx, scope, pipeline_id)))
  },

  async catalog({ nimble_id, key }, { app, scope }) {
    await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id))
    return pipelineCatalog.filter((item) => key === undefined || item.key === key)
  },

  async refresh({ nimble_id }, { app, scope, note }) {
    const { name, desired_version: version } = await app.db.as(scope, async (trx) => {
      const { tenant_id, id, name } = await readNimble(trx, scope, nimble_id)
      return { name, ...(await raiseDesired(trx, { tenant_id, nimble_id: id })) }
    })
    app.links.reconfigure(nimble_id)
    note({ object_kind: 'nimble', object_id: nimble_id, object_name: name })
    return { nimble_id, version }
  },
}

function tell({ app, note }: Ctx, row: PipelineRow): void {
  app.bus.publish(changed(row, 'pipeline', row.uid))
  note({ object_id: row.uid, object_name: row.name })
}
