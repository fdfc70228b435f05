import type { LinkChannel, LinkConfig, LinkEmbedder, LinkModel, LinkSource, LinkZone } from '@sightline/contract/edge'
import { pipelineDefaults } from '@sightline/domain'
import { sql } from 'kysely'
import { ipsMeantAt } from '../camera-address.ts'
import type { Trx } from '../db/database.ts'
import { passwordPlace } from '../device/store.ts'
import { galleryOf } from '../face/store.ts'
import { notFound } from '../refusal.ts'
import type { Secrets } from '../secrets.ts'
import { masksOfNimble } from '../static/store.ts'

/**
 * All that an edge server should run. A camera whose password cannot be opened (the key file was replaced) is sent with
 * that as its refusal: it alone stands still, and says why. Its version rises in the transaction of every change (`raiseDesired`), those of
 * streams and channels with each change of theirs. Runs under the link's role; camera passwords are opened only here.
 * @throws 404 when there is no such edge server
 */
export async function desiredConfig(trx: Trx, secrets: Secrets, nimbleUid: string): Promise<LinkConfig> {
  const nimble = await trx
    .selectFrom('nimble')
    .innerJoin('organization', 'organization.tenant_id', 'nimble.tenant_id')
    .select(['nimble.tenant_id', 'nimble.id', 'nimble.desired_version', 'organization.raw_days'])
    .select(['nimble.address', 'nimble.is_local'])
    .where('nimble.uid', '=', nimbleUid)
    .executeTakeFirst()
  if (!nimble) throw notFound()
  return {
    version: nimble.desired_version,
    sources: await desiredSources(trx, secrets, nimble),
    channels: await desiredChannels(trx, nimble),
    models: await desiredModels(trx, nimble),
    embedders: await desiredEmbedders(trx, nimble),
    media_days: nimble.raw_days,
    portal_ips: ipsMeantAt(nimble),
  }
}

type NimbleKey = { tenant_id: number; id: number }

async function desiredSources(trx: Trx, secrets: Secrets, nimble: NimbleKey): Promise<LinkSource[]> {
  const rows = await trx
    .selectFrom('source')
    .innerJoin('device', (on) =>
      on.onRef('device.tenant_id', '=', 'source.tenant_id').onRef('device.id', '=', 'source.device_id'),
    )
    .select([
      'source.uid',
      'source.device_id',
      'source.version',
      'source.address',
      'source.proxy',
      'source.rate',
      'source.role',
      'device.uid as device_uid',
      'device.name as device_name',
      'device.username',
      'device.password',
      'device.endpoint_uuid',
    ])
    .where('source.tenant_id', '=', nimble.tenant_id)
    .where('source.nimble_id', '=', nimble.id)
    .orderBy('source.id')
    .execute()
  const masks = await masksOfNimble(trx, nimble)
  return rows.map((row) => ({
    source_id: row.uid,
    device_id: row.device_uid,
    version: row.version,
    name: row.device_name,
    address: row.address,
    username: row.username,
    ...openedPassword(secrets, row.password, row.device_uid),
    proxy: row.proxy,
    rate: row.rate,
    role: row.role,
    endpoint_uuid: row.endpoint_uuid,
    // All streams of a camera show the same: what is hidden in one is hidden in each.
    masks: masks.filter(({ device_id }) => device_id === row.device_id).map(({ points }) => points),
  }))
}

function openedPassword(
  secrets: Secrets,
  sealed: string | null,
  deviceUid: string,
): Pick<LinkSource, 'password' | 'refusal'> {
  if (sealed === null) return { password: null }
  try {
    return { password: secrets.open(sealed, passwordPlace(deviceUid)) }
  } catch {
    // Another key, or a value that was changed: whatever it was, only typing the password again helps.
    return { password: null, refusal: 'credentials_unreadable' }
  }
}

async function desiredChannels(trx: Trx, nimble: NimbleKey): Promise<LinkChannel[]> {
  const channels = await trx
    .selectFrom('channel')
    .innerJoin('source', (on) =>
      on.onRef('source.tenant_id', '=', 'channel.tenant_id').onRef('source.id', '=', 'channel.source_id'),
    )
    .innerJoin('pipeline', (on) =>
      on.onRef('pipeline.tenant_id', '=', 'channel.tenant_id').onRef('pipeline.id', '=', 'channel.pipeline_id'),
    )
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select([
      'channel.id',
      'channel.uid',
      'channel.version',
      'channel.name',
      'channel.auto_recovery',
      'channel.source_id',
      'source.uid as source_uid',
      'source.device_id',
      'usecase.key as usecase_key',
      'pipeline.elements',
      'pipeline.uid as pipeline_uid',
      'pipeline.version as pipeline_version',
    ])
    .where('channel.tenant_id', '=', nimble.tenant_id)
    .where('channel.nimble_id', '=', nimble.id)
    .orderBy('channel.id')
    .execute()
  const recognition = await recognitionOf(trx, nimble)
  const shapes = await trx
    .selectFrom('static_zone')
    .innerJoin('source', (on) =>
      on.onRef('source.tenant_id', '=', 'static_zone.tenant_id').onRef('source.id', '=', 'static_zone.source_id'),
    )
    .selectAll('static_zone')
    .select('source.device_id')
    .where('source.tenant_id', '=', nimble.tenant_id)
    .where('source.nimble_id', '=', nimble.id)
    // Masks hold for all that watches the camera; zones and lines of the stream are only offered to its channels.
    .where((eb) => eb.or([eb('static_zone.channel_id', 'is not', null), eb('static_zone.kind', '=', 'mask')]))
    .orderBy('static_zone.id')
    .execute()
  return channels.map((row) => ({
    channel_id: row.uid,
    source_id: row.source_uid,
    version: row.version,
    name: row.name,
    usecase_key: row.usecase_key,
    pipeline_elements: { ...pipelineDefaults(row.usecase_key), ...row.elements },
    pipeline: { pipeline_id: row.pipeline_uid, version: row.pipeline_version },
    zones: shapes
      .filter((shape) => (shape.kind === 'mask' ? shape.device_id === row.device_id : shape.channel_id === row.id))
      .map(linkZone),
    auto_recovery: row.auto_recovery,
    ...recognition.get(row.id),
  }))
}

/** Of channels that recognise faces, by number: that their site does not allow it, or the faces that it knows. */
async function recognitionOf(
  trx: Trx,
  nimble: NimbleKey,
): Promise<Map<number, Pick<LinkChannel, 'refusal' | 'gallery'>>> {
  const { rows } = await sql<{ id: number; faces_allowed: boolean; sha256: string | null; size: number | null }>`
    select channel.id, site.faces_allowed, encode(sha256(gallery), 'hex') as sha256, length(gallery) as size
    from channel
    join site on site.tenant_id = channel.tenant_id and site.id = channel.site_id
    join usecase on usecase.id = channel.usecase_id and usecase.key = 'fcrecog'
    join pipeline on pipeline.tenant_id = channel.tenant_id and pipeline.id = channel.pipeline_id
    left join lateral ${galleryOf} as g (gallery) on site.faces_allowed
    where channel.tenant_id = ${nimble.tenant_id} and channel.nimble_id = ${nimble.id}`.execute(trx)
  return new Map(
    rows.map(({ id, faces_allowed, sha256, size }) => [
      id,
      {
        ...(!faces_allowed && { refusal: 'faces_off' }),
        ...(sha256 !== null && size !== null && { gallery: { sha256, size } }),
      },
    ]),
  )
}

/** Those that pipelines of its channels name, to find things and to compare faces. */
const namedModels = (trx: Trx, nimble: NimbleKey, element: ModelElement) =>
  trx
    .selectFrom('model')
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'model.tenant_id').onRef('media.id', '=', 'model.media_id'),
    )
    .select(['model.uid', 'media.sha256', 'media.size', 'model.head', 'model.labels', 'model.inputs'])
    .select(['model.input_width', 'model.input_height', 'model.value_range', 'model.vector_length'])
    .where('model.tenant_id', '=', nimble.tenant_id)
    .where(isNamedBy(nimble, element))
    .orderBy('model.id')
    .execute()

async function desiredModels(trx: Trx, nimble: NimbleKey): Promise<LinkModel[]> {
  const rows = await namedModels(trx, nimble, 'detector.model')
  return rows.flatMap(({ head, ...row }) =>
    head === 'embedding'
      ? []
      : [
          {
            model_id: row.uid,
            sha256: row.sha256 ?? '',
            size: row.size,
            head,
            input: {
              width: row.input_width,
              height: row.input_height,
              is_open: row.inputs[0]?.dims.slice(2).every((side) => typeof side === 'string') ?? false,
            },
            labels: row.labels,
          },
        ],
  )
}

async function desiredEmbedders(trx: Trx, nimble: NimbleKey): Promise<LinkEmbedder[]> {
  const rows = await namedModels(trx, nimble, 'detector.embedding')
  return rows.flatMap(({ vector_length, ...row }) =>
    vector_length === null
      ? []
      : [
          {
            model_id: row.uid,
            sha256: row.sha256 ?? '',
            size: row.size,
            input: { width: row.input_width, height: row.input_height },
            range: row.value_range,
            vector_length,
          },
        ],
  )
}

type ModelElement = 'detector.model' | 'detector.embedding'

/** Whether a channel of this edge server runs a pipeline with the row of the table `model`, as this element or as any. */
export const isNamedBy = (nimble: NimbleKey, element?: ModelElement) => sql<boolean>`exists (
  select from channel join pipeline on pipeline.tenant_id = channel.tenant_id and pipeline.id = channel.pipeline_id
  where channel.tenant_id = ${nimble.tenant_id} and channel.nimble_id = ${nimble.id}
    and model.uid::text in (${sql.join(
      (element ? [element] : ['detector.model', 'detector.embedding']).map((key) => sql`pipeline.elements ->> ${key}`),
    )}))`

const linkZone = (shape: Omit<LinkZone, 'static_id'> & { uid: string }): LinkZone => ({
  static_id: shape.uid,
  name: shape.name,
  label: shape.label,
  kind: shape.kind,
  points: shape.points,
  direction: shape.direction,
  side_a: shape.side_a,
  side_b: shape.side_b,
  aspect_ratio: shape.aspect_ratio,
  is_active: shape.is_active,
  dwell_s: shape.dwell_s,
})
