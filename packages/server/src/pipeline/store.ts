import type { Pipeline, PipelineUse } from '@sightline/contract'
import type { Elements } from '@sightline/contract/edge'
import { elementFaults, folded, pipelineDefaults, type UsecaseKey } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { requireModel } from '../model/store.ts'
import { numbersOf, within, withinChannels } from '../reach.ts'
import { invalid, notFound, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { newUid } from '../uid.ts'

const pipelines = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('pipeline')
    .innerJoin('organization', 'organization.tenant_id', 'pipeline.tenant_id')
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'pipeline.tenant_id').onRef('nimble.id', '=', 'pipeline.nimble_id'),
    )
    .selectAll('pipeline')
    .select(['organization.uid as organization_uid', 'nimble.uid as nimble_uid'])
    // A pipeline belongs to an edge server, and so to no site.
    .where(within(scope, 'pipeline', null))
export type PipelineRow = Awaited<ReturnType<ReturnType<typeof pipelines>['execute']>>[number]

/**
 * Pipelines in reach with the channels in reach that run them, by name; of one edge server, or those that name a model.
 */
export async function listPipelines(
  trx: Trx,
  scope: Scope,
  { nimbleUid, modelUid }: { nimbleUid?: string | undefined; modelUid?: string | undefined },
): Promise<PipelineUse[]> {
  const rows = await pipelines(trx, scope)
    .$if(nimbleUid !== undefined, (query) => query.where('nimble.uid', '=', nimbleUid as string))
    .$if(modelUid !== undefined, (query) => query.where(names(modelUid as string)))
    .orderBy(sql`pipeline.name collate "und-x-icu"`)
    .execute()
  const { tenants, ids } = numbersOf(rows)
  const users = await trx
    .selectFrom('channel')
    .innerJoin('device', (on) =>
      on.onRef('device.tenant_id', '=', 'channel.tenant_id').onRef('device.id', '=', 'channel.device_id'),
    )
    .innerJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'channel.tenant_id').onRef('site.id', '=', 'channel.site_id'),
    )
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select(['channel.pipeline_id', 'channel.uid', 'channel.name'])
    .select(['device.uid as device_uid', 'site.uid as site_uid', 'usecase.uid as usecase_uid'])
    .where('channel.tenant_id', 'in', tenants.length > 0 ? tenants : [0])
    .where(sql<boolean>`channel.pipeline_id = any(${ids}::int[])`)
    .where(withinChannels(scope))
    .orderBy(sql`channel.name collate "und-x-icu"`)
    .execute()
  const byPipeline = Map.groupBy(users, ({ pipeline_id }) => pipeline_id)
  return rows.map((row) => ({
    ...pipelineEntity(row),
    channels: (byPipeline.get(row.id) ?? []).map((one) => ({
      channel_id: one.uid,
      channel_name: one.name,
      device_id: one.device_uid,
      site_id: one.site_uid,
      usecase_id: one.usecase_uid,
    })),
  }))
}

/** Pipelines that an edge server may run, by name. */
export const pipelinesOfNimble = (trx: Trx, scope: Scope, nimble: { tenant_id: number; id: number }) =>
  pipelines(trx, scope)
    .where('pipeline.tenant_id', '=', nimble.tenant_id)
    .where('pipeline.nimble_id', '=', nimble.id)
    .orderBy(sql`pipeline.name collate "und-x-icu"`)
    .execute()

/** Whether a row of the table `pipeline` names a model. */
const names = (modelUid: string) =>
  sql<SqlBool>`${modelUid} in (pipeline.elements ->> 'detector.model', pipeline.elements ->> 'detector.embedding')`

/** @throws 404 when it does not exist or is out of reach */
export async function readPipeline(trx: Trx, scope: Scope, uid: string): Promise<PipelineRow> {
  const row = await pipelines(trx, scope).where('pipeline.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** As `readPipeline`; it stays at its edge server until the transaction ends. */
export async function lockPipeline(trx: Trx, scope: Scope, uid: string): Promise<PipelineRow> {
  await sql`select from pipeline where uid = ${uid} and ${within(scope, 'pipeline', null)} for update`.execute(trx)
  return readPipeline(trx, scope, uid)
}

/** @throws 400 naming each element that is unknown or out of range */
export function checkElements(given: Elements, field = 'pipeline_elements'): void {
  const faults = Object.entries(elementFaults(given))
  if (faults.length > 0) throw invalid(Object.fromEntries(faults.map(([key, id]) => [`${field}.${key}`, [id]])))
}

/** The use case's defaults with what was given over them. @throws 400 naming each element that is unknown or out of range */
export function completeElements(usecase: UsecaseKey, given: Elements, field?: string): Elements {
  checkElements(given, field)
  return { ...pipelineDefaults(usecase), ...given }
}

export async function insertPipeline(
  trx: Trx,
  nimble: { tenant_id: number; nimble_id: number },
  draft: { name: string; elements: Elements; usecase: UsecaseKey; referenceKey?: string | undefined },
): Promise<{ id: number; uid: string }> {
  await requireModel(trx, nimble.tenant_id, draft.elements)
  return trx
    .insertInto('pipeline')
    .values({
      tenant_id: nimble.tenant_id,
      uid: newUid(),
      nimble_id: nimble.nimble_id,
      name: draft.name,
      elements: JSON.stringify(draft.elements),
      reference_key: draft.referenceKey ?? draft.usecase,
      usecase_key: draft.usecase,
    })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
}

/** @throws 412 when a version is given and no longer the newest */
export async function updatePipeline(
  trx: Trx,
  pipeline: { tenant_id: number; id: number },
  change: { name?: string | undefined; elements?: Elements | undefined },
  version?: number,
): Promise<void> {
  if (change.elements) await requireModel(trx, pipeline.tenant_id, change.elements)
  const { numUpdatedRows } = await trx
    .updateTable('pipeline')
    .set({ updated_at: sql`now()`, name: change.name, elements: change.elements && JSON.stringify(change.elements) })
    .where('tenant_id', '=', pipeline.tenant_id)
    .where('id', '=', pipeline.id)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw stale()
}

export const deletePipeline = (trx: Trx, pipeline: { tenant_id: number; id: number }) =>
  trx.deleteFrom('pipeline').where('tenant_id', '=', pipeline.tenant_id).where('id', '=', pipeline.id).execute()

/**
 * Deletes a pipeline that was made together with a channel, once the channel is gone; one that was made on its own, or
 * that another channel runs, stays.
 */
export async function dropWithChannel(
  trx: Trx,
  channel: { tenant_id: number; pipeline_id: number; created_at: Date },
): Promise<void> {
  const pipeline = { tenant_id: channel.tenant_id, id: channel.pipeline_id }
  if ((await countUsers(trx, pipeline)) > 0) return
  await trx
    .deleteFrom('pipeline')
    .where('tenant_id', '=', pipeline.tenant_id)
    .where('id', '=', pipeline.id)
    // Rows of one transaction carry the same time; a Date holds its milliseconds.
    .where(sql<Date>`date_trunc('milliseconds', created_at)`, '=', channel.created_at)
    .execute()
}

/** How many channels run a pipeline. */
export async function countUsers(trx: Trx, pipeline: { tenant_id: number; id: number }): Promise<number> {
  const { count } = await trx
    .selectFrom('channel')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', pipeline.tenant_id)
    .where('pipeline_id', '=', pipeline.id)
    .executeTakeFirstOrThrow()
  return count
}

/** A name that no pipeline of the edge server has: the wanted one, or with a number behind it. */
export async function freePipelineName(
  trx: Trx,
  nimble: { tenant_id: number; nimble_id: number },
  wanted: string,
): Promise<string> {
  const rows = await trx
    .selectFrom('pipeline')
    .select(sql<string>`folded(name)`.as('name'))
    .where('tenant_id', '=', nimble.tenant_id)
    .where('nimble_id', '=', nimble.nimble_id)
    .execute()
  const taken = new Set(rows.map((row) => row.name))
  const base = wanted.slice(0, 58).trimEnd()
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base} ${n}`
    if (!taken.has(folded(name))) return name
  }
}

export const pipelineEntity = (row: PipelineRow): Pipeline => ({
  pipeline_id: row.uid,
  pipeline_name: row.name,
  pipeline_elements: row.elements,
  nimble_id: row.nimble_uid,
  pipeline_reference_key: row.reference_key,
  pipeline_usecase: row.usecase_key,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
