import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Model } from '@sightline/contract'
import type { Elements } from '@sightline/contract/edge'
import { type DetectionLabel, requiredLabels, type UsecaseKey, unmetLabels, usecaseKeys } from '@sightline/domain'
import { type Insertable, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { ModelTable } from '../db/schema.ts'
import type { FileOnDisk } from '../input.ts'
import { type MediaRow, mediaUrl } from '../media/store.ts'
import { within } from '../reach.ts'
import { invalid, notFound } from '../refusal.ts'
import type { Caller, Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { newUid } from '../uid.ts'

type App = Pick<Services, 'db' | 'env'>

/** Where the file of a kept path is. */
export const fileOf = (env: Pick<App['env'], 'dataDir'>, path: string) => join(env.dataDir, path)

/**
 * Keeps an uploaded file until somebody confirms it as a model. What the same person uploaded before and did not confirm
 * goes: one trial at a time. Answers where it is, as the API shows it.
 */
export async function keepUploadedModel(app: App, { principal }: Caller, upload: FileOnDisk): Promise<string> {
  const { tenantId, userId } = principal
  const uid = newUid()
  const path = join('models', `${uid}.onnx`)
  await mkdir(dirname(fileOf(app.env, path)), { recursive: true, mode: 0o700 })
  await rename(upload.file, fileOf(app.env, path))
  try {
    const former = await app.db.as({ tenantId }, async (trx) => {
      const gone = await trx
        .deleteFrom('media')
        .where('tenant_id', '=', tenantId)
        .where('kind', '=', 'model')
        .where('created_by', '=', userId)
        .where(isUnused)
        .returning('path')
        .execute()
      await trx
        .insertInto('media')
        .values({
          tenant_id: tenantId,
          uid,
          kind: 'model',
          content_type: 'application/octet-stream',
          size: upload.size,
          sha256: upload.sha256,
          path,
          site_id: null,
          channel_id: null,
          nimble_id: null,
          created_by: userId,
        })
        .execute()
      return gone
    })
    for (const { path } of former) if (path) await rm(fileOf(app.env, path), { force: true })
  } catch (error) {
    await rm(fileOf(app.env, path), { force: true })
    throw error
  }
  return mediaUrl(app.env, uid)
}

const isUnused = sql<boolean>`not exists (
  select from model where model.tenant_id = media.tenant_id and model.media_id = media.id)`

export type UploadedModel = Pick<MediaRow, 'tenant_id' | 'id' | 'size' | 'sha256'> & { file: string }

/** The file under a path that `POST /upload` answered to this very person. @throws 400 for the field `path` */
export async function findUpload(trx: Trx, { env }: App, scope: Scope, path: string): Promise<UploadedModel> {
  const row = await trx
    .selectFrom('media')
    .select(['tenant_id', 'id', 'size', 'sha256', 'path'])
    .where('uid', '=', uidIn(path))
    .where('kind', '=', 'model')
    .where('created_by', '=', scope.principal.userId)
    .where(within(scope, 'media', null))
    .where(isUnused)
    .executeTakeFirst()
  if (!row?.path) throw invalid({ path: ['upload_unknown'] })
  return { ...row, file: fileOf(env, row.path) }
}

const uidPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The id at the end of a path of ours; one that nothing has when it is none. */
export const uidIn = (path: string): string => uidPattern.exec(path)?.[0] ?? '00000000-0000-0000-0000-000000000000'

const models = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('model')
    .innerJoin('organization', 'organization.tenant_id', 'model.tenant_id')
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'model.tenant_id').onRef('media.id', '=', 'model.media_id'),
    )
    .selectAll('model')
    .select([
      'organization.uid as organization_uid',
      'media.uid as media_uid',
      'media.path',
      'media.size',
      'media.sha256',
    ])
    .select(usersOf.as('pipelines'))
    // A model belongs to its organization, and so to no site.
    .where(within(scope, 'model', null))
/** Pipelines that name a model. */
const usersOf = sql<number>`(select count(*) from pipeline
  where pipeline.tenant_id = model.tenant_id
    and model.uid::text in (pipeline.elements ->> 'detector.model', pipeline.elements ->> 'detector.embedding'))`
export type ModelRow = Awaited<ReturnType<ReturnType<typeof models>['execute']>>[number]

export const listModels = (trx: Trx, scope: Scope): Promise<ModelRow[]> =>
  models(trx, scope).orderBy(sql`model.name collate "und-x-icu"`).execute()

/** @throws 404 when it does not exist or is out of reach */
export async function readModel(trx: Trx, scope: Scope, uid: string): Promise<ModelRow> {
  const row = await models(trx, scope).where('model.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** As `readModel`; no pipeline begins to name it until the transaction ends. */
export async function lockModel(trx: Trx, scope: Scope, uid: string): Promise<ModelRow> {
  await sql`select from model where uid = ${uid} and ${within(scope, 'model', null)} for update`.execute(trx)
  return readModel(trx, scope, uid)
}

export const insertModel = (trx: Trx, row: Insertable<ModelTable>) => trx.insertInto('model').values(row).execute()

/** Its row and that of its file; the file itself goes after the transaction. */
export async function deleteModel(trx: Trx, { tenant_id, id, media_id }: ModelRow): Promise<void> {
  await trx.deleteFrom('model').where('tenant_id', '=', tenant_id).where('id', '=', id).execute()
  await trx.deleteFrom('media').where('tenant_id', '=', tenant_id).where('id', '=', media_id).execute()
}

export const removeFile = ({ env }: App, { path }: ModelRow): Promise<void> =>
  path === null ? Promise.resolve() : rm(fileOf(env, path), { force: true })

/** The labels that a model is mapped to, each once. */
export const labelsOf = ({ labels }: { labels: Record<string, DetectionLabel> }): DetectionLabel[] => [
  ...new Set(Object.values(labels)),
]

/** What names a model in a pipeline, and the kind of model that it must be. */
const namedBy = { 'detector.model': false, 'detector.embedding': true } as const

/**
 * Refuses a pipeline whose models are not the organization's, or not of the kind that is asked for. They stay until the
 * transaction ends, so that nobody deletes them meanwhile; to be called last among the locks (device → edge server →
 * licence → pipeline → model).
 * @throws 400 for the element
 */
export async function requireModel(
  trx: Trx,
  tenantId: number,
  elements: Elements,
  field = 'pipeline_elements',
): Promise<void> {
  for (const [element, isEmbedding] of Object.entries(namedBy)) {
    const uid = elements[element]
    if (uid === undefined || uid === '') continue
    const row = await trx
      .selectFrom('model')
      .select('head')
      .where('tenant_id', '=', tenantId)
      .where(sql<boolean>`uid::text = ${String(uid)}`)
      .forKeyShare()
      .executeTakeFirst()
    if (!row) throw invalid({ [`${field}.${element}`]: ['model_missing'] })
    if ((row.head === 'embedding') !== isEmbedding)
      throw invalid({ [`${field}.${element}`]: [isEmbedding ? 'model_no_embedding' : 'model_no_detector'] })
  }
}

/** What can be done with such labels; settings may ask for more (each item of equipment, for example). */
const usecasesOf = (labels: readonly DetectionLabel[]): UsecaseKey[] =>
  usecaseKeys.filter((key) => requiredLabels[key].length > 0 && unmetLabels(requiredLabels[key], labels).length === 0)

export async function modelEntity({ env }: App, row: ModelRow): Promise<Model> {
  const isThere =
    row.path !== null &&
    (await stat(fileOf(env, row.path)).then(
      ({ size }) => size === row.size,
      () => false,
    ))
  return {
    model_id: row.uid,
    model_name: row.name,
    path: mediaUrl(env, row.media_uid),
    sha256: row.sha256 ?? '',
    size: row.size,
    opset: row.opset,
    inputs: row.inputs,
    outputs: row.outputs,
    input_width: row.input_width,
    input_height: row.input_height,
    head: row.head,
    names: row.names,
    labels: row.labels,
    value_range: row.value_range,
    vector_length: row.vector_length,
    usecase_keys: row.head === 'embedding' ? ['fcrecog'] : usecasesOf(labelsOf(row)),
    state: isThere ? 'ready' : 'refused',
    state_cause: isThere ? null : 'model_missing',
    pipelines: row.pipelines,
    organization_id: row.organization_uid,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
