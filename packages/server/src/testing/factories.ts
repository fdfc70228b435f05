/** Makes what a test needs, parents included, so that a test names only what it is about. */
import { nimbleExample } from '@sightline/contract'
import type { EventRecord } from '@sightline/contract/edge'
import { communityLicenseId, type Role, type UsecaseKey, usecaseKeys } from '@sightline/domain'
import type { Insertable, Selectable } from 'kysely'
import { openSession } from '../auth/store.ts'
import { createBus } from '../bus.ts'
import type { Database, Db } from '../db/database.ts'
import { createEventWriter } from '../event/ingest.ts'
import { newUid } from '../uid.ts'
import { eventRecord } from './events.ts'

type Row<T extends keyof Database> = Selectable<Database[T]>
/** Columns of a test's own; keys and parents come from the arguments. */
type Given<T extends keyof Database> = Partial<Omit<Insertable<Database[T]>, 'tenant_id' | 'id' | 'uid'>>

let count = 0
const unique = (word: string) => `${word} ${++count}`

export type Factories = ReturnType<typeof factories>

export function factories(db: Db) {
  const writer = createEventWriter({ db, bus: createBus() })
  const add = async <T extends keyof Database>(table: T, values: Insertable<Database[T]>): Promise<Row<T>> =>
    db.owner((trx) => trx.insertInto(table).values(values).returningAll().executeTakeFirstOrThrow()) as Promise<Row<T>>

  const organization = (given: Given<'organization'> = {}) =>
    add('organization', { uid: newUid(), name: unique('Organization'), ...given })

  /** The organization that every instance has. */
  const home = () =>
    db.owner((trx) =>
      trx.selectFrom('organization').selectAll().where('is_default', '=', true).executeTakeFirstOrThrow(),
    )

  const user = async (role_key: Role, given: Given<'app_user'> = {}, parent?: Row<'organization'>) => {
    const name = unique('person')
    const { tenant_id } = parent ?? (await home())
    const username = name.replace(' ', '.')
    return add('app_user', {
      tenant_id,
      uid: newUid(),
      firstname: 'Test',
      lastname: 'Person',
      email: `${username}@example.org`,
      username,
      role_key,
      ...given,
    })
  }

  const customer = async (given: Given<'customer'> = {}, parent?: Row<'organization'>) =>
    add('customer', {
      tenant_id: (parent ?? (await home())).tenant_id,
      uid: newUid(),
      name: unique('Customer'),
      address: JSON.stringify({}),
      ...given,
    })

  const site = async (given: Given<'site'> = {}, parent?: Row<'customer'>) => {
    const { tenant_id, id: customer_id } = parent ?? (await customer())
    const made = await add('site', {
      tenant_id,
      uid: newUid(),
      customer_id,
      name: unique('Site'),
      address: JSON.stringify({ site_timezone: 'America/Toronto' }),
      ...given,
    })
    await add('health_rule', { tenant_id, site_id: made.id })
    return made
  }

  const license = async (parent: { tenant_id: number }) => {
    const builtin = await db.owner((trx) =>
      trx
        .selectFrom('license')
        .selectAll()
        .where('uid', '=', communityLicenseId)
        .where('tenant_id', '=', parent.tenant_id)
        .executeTakeFirst(),
    )
    return (
      builtin ??
      add('license', { tenant_id: parent.tenant_id, uid: newUid(), name: unique('Licence'), channel_limit: 100 })
    )
  }

  const nimble = async (given: Given<'nimble'> = {}, parent?: { tenant_id: number }) => {
    const { tenant_id } = parent ?? (await home())
    return add('nimble', {
      tenant_id,
      uid: newUid(),
      name: unique('Edge'),
      address: '127.0.0.1',
      port: 20_000 + ++count,
      license_id: (await license({ tenant_id })).id,
      pipelines: JSON.stringify(nimbleExample.pipelines),
      sinks: JSON.stringify(nimbleExample.sinks),
      sources: JSON.stringify(nimbleExample.sources),
      ...given,
    })
  }

  /** With its one stream. */
  const device = async (given: Given<'device'> = {}, parent?: Row<'site'>, edge?: Row<'nimble'>) => {
    const { tenant_id, id: site_id } = parent ?? (await site())
    const { id: nimble_id } = edge ?? (await nimble({}, { tenant_id }))
    const uid = newUid()
    const made = await add('device', {
      tenant_id,
      uid,
      site_id,
      nimble_id,
      name: unique('Camera'),
      stream_address: `rtsp://198.51.100.${(++count % 250) + 1}:554/stream1`,
      ...given,
    })
    await source({}, made)
    return made
  }

  const source = async (given: Given<'source'> = {}, parent?: Row<'device'>) => {
    const of = parent ?? (await device())
    const first = await sourceOf(of)
    return add('source', {
      tenant_id: of.tenant_id,
      uid: newUid(),
      device_id: of.id,
      nimble_id: of.nimble_id,
      name: unique('Stream'),
      stream_id: `${of.uid}/${++count}`,
      address: of.stream_address,
      is_default: first === undefined,
      ...given,
    })
  }
  const sourceOf = (of: Row<'device'>) =>
    db.owner((trx) =>
      trx
        .selectFrom('source')
        .selectAll()
        .where('tenant_id', '=', of.tenant_id)
        .where('device_id', '=', of.id)
        .where('is_default', '=', true)
        .executeTakeFirst(),
    )

  const pipeline = async (usecase_key: UsecaseKey, parent: Row<'nimble'> | { tenant_id: number; id: number }) =>
    add('pipeline', {
      tenant_id: parent.tenant_id,
      uid: newUid(),
      nimble_id: parent.id,
      name: unique('Pipeline'),
      reference_key: usecase_key,
      usecase_key,
    })

  /** With its pipeline, on the device's stream, watching the whole picture. */
  const channel = async (
    given: Given<'channel'> & { usecase_key?: UsecaseKey } = {},
    parent?: Row<'device'>,
  ): Promise<Row<'channel'>> => {
    const { usecase_key = 'pplcnt', ...columns } = given
    const of = parent ?? (await device())
    const stream = await sourceOf(of)
    if (!stream) throw new Error('a device of a test has a stream')
    const { id: pipeline_id } = await pipeline(usecase_key, { tenant_id: of.tenant_id, id: of.nimble_id })
    const name = unique('Channel')
    const made = await add('channel', {
      tenant_id: of.tenant_id,
      uid: newUid(),
      site_id: of.site_id,
      device_id: of.id,
      source_id: stream.id,
      nimble_id: of.nimble_id,
      pipeline_id,
      usecase_id: usecaseKeys.indexOf(usecase_key) + 1,
      name,
      sid: `channel/${name.toLowerCase().replace(' ', '-')}`,
      ...columns,
    })
    await add('static_zone', {
      tenant_id: of.tenant_id,
      uid: newUid(),
      source_id: stream.id,
      channel_id: made.id,
      name: 'zone1',
      points: JSON.stringify([
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]),
      aspect_ratio: 16 / 9,
    })
    await add('static_number', {
      tenant_id: of.tenant_id,
      source_id: stream.id,
      channel_id: made.id,
      kind: 'zone',
      last: 1,
    })
    return made
  }

  /** The zone that `channel` made. */
  const zoneOf = (of: Row<'channel'>) =>
    db.owner((trx) =>
      trx
        .selectFrom('static_zone')
        .selectAll()
        .where('tenant_id', '=', of.tenant_id)
        .where('channel_id', '=', of.id)
        .executeTakeFirstOrThrow(),
    )

  const session = async (of: Row<'app_user'>) => {
    const who = { tenantId: of.tenant_id, userId: of.id }
    const { uid } = await db.owner((trx) =>
      openSession(trx, who, { ip: '198.51.100.1', userAgent: 'test', method: 'form' }),
    )
    return { uid }
  }

  const job = async (of: Row<'app_user'>, given: Given<'job'> = {}) =>
    add('job', { tenant_id: of.tenant_id, uid: newUid(), kind: 'test', state: 'running', created_by: of.id, ...given })

  const media = async (given: Given<'media'> = {}, parent?: Row<'organization'>) =>
    add('media', {
      tenant_id: (parent ?? (await home())).tenant_id,
      uid: newUid(),
      kind: 'image',
      content_type: 'image/png',
      ...given,
    })

  /** A row without a file behind it. */
  const model = async (given: Given<'model'> = {}, parent?: Row<'organization'>) => {
    const file = await media({ kind: 'model', content_type: 'application/octet-stream' }, parent)
    return add('model', {
      tenant_id: file.tenant_id,
      uid: newUid(),
      name: unique('Model'),
      media_id: file.id,
      opset: 13,
      inputs: '[]',
      outputs: '[]',
      input_width: 320,
      input_height: 320,
      head: 'yolov8',
      names: '{}',
      labels: JSON.stringify({ 0: 'person' }),
      vector_length: null,
      ...given,
    })
  }

  const face = async (parent?: Row<'site'>, given: Given<'face'> = {}) => {
    const of = parent ?? (await site())
    return add('face', { tenant_id: of.tenant_id, uid: newUid(), site_id: of.id, name: unique('Person'), ...given })
  }

  /** The row of a picture, without a file. */
  const facePicture = async (parent: Row<'face'>) => {
    const { tenant_id, site_id, id } = parent
    const file = await add('media', { tenant_id, uid: newUid(), kind: 'face', content_type: 'image/jpeg', site_id })
    return add('face_picture', { tenant_id, uid: newUid(), face_id: id, media_id: file.id, face_px: 120 })
  }

  /** An event as an edge server would send it, of now, stored by the real writer. */
  const event = async (parent?: Row<'channel'>, given: Partial<EventRecord> = {}): Promise<EventRecord> => {
    const of = parent ?? (await channel())
    const record = eventRecord({ channel_id: of.uid, observed_at: Date.now(), metrics: { total: 1 }, ...given })
    const { stored } = await writer.write({
      tenantId: of.tenant_id,
      nimbleId: of.nimble_id,
      records: [record],
      receivedAt: new Date(),
    })
    if (stored !== 1) throw new Error('the event of a test was not stored')
    await writer.settled()
    return record
  }

  /** Assigns a customer, a site or a channel to somebody. */
  const assign = async (
    to: Row<'app_user'>,
    what: { customer?: Row<'customer'>; site?: Row<'site'>; channel?: Row<'channel'> },
  ) => {
    const { tenant_id, id: user_id } = to
    if (what.channel) await add('user_channel', { tenant_id, user_id, channel_id: what.channel.id })
    if (what.customer) await add('user_customer', { tenant_id, user_id, customer_id: what.customer.id })
    if (what.site) await add('user_site', { tenant_id, user_id, site_id: what.site.id })
  }

  return {
    organization,
    home,
    user,
    customer,
    site,
    license,
    nimble,
    device,
    source,
    sourceOf,
    pipeline,
    channel,
    zoneOf,
    session,
    job,
    media,
    model,
    face,
    facePicture,
    event,
    assign,
  }
}
