import type { deviceOps, Receive, Reply } from '@sightline/contract'
import { channelSid } from '@sightline/domain'
import { sql } from 'kysely'
import { changed } from '../bus.ts'
import { type ChannelRow, channelRows } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { claimChannels, licenseRoom } from '../license/store.ts'
import type { Ctx } from '../mount.ts'
import { type NimbleRow, raiseDesired, readNimble } from '../nimble/store.ts'
import { freePipelineName, insertPipeline } from '../pipeline/store.ts'
import { eachByItself, notFound, type Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { findSite, holdSite } from '../site/store.ts'
import { moveSources } from '../source/store.ts'
import { refuseUnassigned } from '../usecase/store.ts'
import { type DeviceRow, deviceRows, lockDevice } from './store.ts'

type Camera = { tenant_id: number; id: number; nimble_id: number }
type Target = Pick<NimbleRow, 'tenant_id' | 'id'>
type Moved = Reply<typeof deviceOps.move>['devices'][number]

/** Moves cameras, each in a transaction of its own: what is refused to one is done for the rest. */
export async function moveDevices(
  { device_id, nimble_id, dry_run }: Receive<typeof deviceOps.move>,
  { app, scope, note }: Ctx,
): Promise<{ devices: Moved[] }> {
  const uids = [...new Set(device_id)]
  const target = await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id))
  note({ object_id: target.uid, object_name: target.name })
  if (dry_run) return { devices: await app.db.as(scope, (trx) => planMove(trx, scope, uids, target)) }
  const former = new Set<string>()
  const devices = await eachByItself<string, Moved>(
    uids,
    async (uid) => {
      const { before, channels } = await app.db.as(scope, (trx) => moveOne(trx, scope, uid, nimble_id))
      former.add(before.nimble_uid)
      for (const row of channels) app.bus.publish(changed(row, 'channel', row.uid))
      app.bus.publish(changed(before, 'device', uid))
      return { device_id: uid, outcome: 'moved', error_code: null, restarts: restarting(channels) }
    },
    refused,
  )
  for (const uid of [...former, target.uid]) app.links.reconfigure(uid)
  return { devices }
}

async function moveOne(trx: Trx, scope: Scope, uid: string, nimbleUid: string) {
  const before = await lockDevice(trx, scope, uid)
  // It may have been deleted since the last camera went.
  const target = await readNimble(trx, scope, nimbleUid)
  await moveDevice(trx, before, target)
  return {
    before,
    channels: before.nimble_id === target.id ? [] : await channelRows(trx, scope, { deviceUids: [uid] }),
  }
}

/**
 * What becomes of each camera when all go, in this order. Nothing is locked or written: the licence is counted once,
 * and cameras before take from what it has left for those behind.
 */
export async function planMove(trx: Trx, scope: Scope, uids: readonly string[], target: NimbleRow): Promise<Moved[]> {
  const rows = new Map((await deviceRows(trx, scope, { uids })).map((row) => [row.uid, row]))
  const channels = Map.groupBy(await channelRows(trx, scope, { deviceUids: uids }), (row) => row.device_uid)
  const nimbles = await trx
    .selectFrom('nimble')
    .select(['id', 'license_id'])
    .where('tenant_id', '=', target.tenant_id)
    .execute()
  const licenseOf = new Map(nimbles.map(({ id, license_id }) => [id, license_id]))
  const fits = await licenseRoom(trx, target, new Date())
  return uids.map((uid) => {
    const row = rows.get(uid)
    if (row?.tenant_id !== target.tenant_id) return refused(uid, notFound())
    const going = row.nimble_id === target.id ? [] : (channels.get(uid) ?? [])
    // On the same licence nothing is added.
    const isAdded = licenseOf.get(row.nimble_id) !== target.license_id
    const refusal = isAdded ? fits(going.map((channel) => channel.usecase_key)) : null
    if (refusal) return refused(uid, refusal)
    return { device_id: uid, outcome: 'ready', error_code: null, restarts: restarting(going) }
  })
}

const refused = (device_id: string, { code }: Refusal): Moved => ({
  ...{ device_id, outcome: 'failed', error_code: code ?? 'invalid' },
  restarts: [],
})
export const restarting = (channels: readonly ChannelRow[]) =>
  channels.map((row) => ({ channel_id: row.uid, channel_name: row.name }))

/**
 * Gives a camera with its streams, channels and their pipelines to another edge server of its organization, in the
 * caller's transaction. Ids, zones and history stay. What the old server observed until now and still has in its
 * journal is stored all the same.
 * @throws 404 for an edge server of another organization, 409 when its licence takes no more channels
 */
export async function moveDevice(trx: Trx, device: Camera, target: Target): Promise<void> {
  if (target.tenant_id !== device.tenant_id) throw notFound()
  if (target.id === device.nimble_id) return
  // Before anything refers to them, and in one order: cameras that move in opposite directions wait for each other.
  const licenses = new Map<number, number | null>()
  for (const nimble_id of [device.nimble_id, target.id].toSorted((a, b) => a - b))
    licenses.set(nimble_id, (await raiseDesired(trx, { tenant_id: device.tenant_id, nimble_id })).license_id)
  const license_id = licenses.get(target.id) ?? null
  const channels = await trx
    .selectFrom('channel')
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select(['channel.id', 'channel.name', 'sid', 'pipeline_id', 'usecase.key as usecase_key'])
    .where('tenant_id', '=', device.tenant_id)
    .where('device_id', '=', device.id)
    .orderBy('channel.id')
    .forUpdate('channel')
    .execute()
  // On the same licence nothing is added.
  if (license_id !== licenses.get(device.nimble_id))
    await claimChannels(
      trx,
      { tenant_id: target.tenant_id, license_id },
      channels.map((channel) => channel.usecase_key),
      new Date(),
    )
  const pipelines = new Map<number, number>()
  for (const channel of channels) {
    const pipeline =
      pipelines.get(channel.pipeline_id) ?? (await movePipeline(trx, device, channel.pipeline_id, target))
    pipelines.set(channel.pipeline_id, pipeline)
    await trx
      .updateTable('channel')
      .set({
        nimble_id: target.id,
        pipeline_id: pipeline,
        sid: await freeSid(trx, target, channel),
      })
      .where('tenant_id', '=', device.tenant_id)
      .where('id', '=', channel.id)
      .execute()
  }
  await noteFormer(trx, device, target)
  await moveSources(trx, device, target.id)
  await trx
    .updateTable('device')
    .set({ nimble_id: target.id })
    .where('tenant_id', '=', device.tenant_id)
    .where('id', '=', device.id)
    .execute()
  await forgetStates(trx, device)
}

/**
 * Gives a camera with its streams, channels, pictures and history to another site of its organization, in the caller's
 * transaction. What happened goes along: events belong to channels, and whoever reaches the new site sees them, nobody
 * else any more. Edge server and licence stay as they are.
 * @returns the number of the new site, which the caller gives the camera together with its name: names are a site's
 * @throws 404 for a site out of reach or of another organization, 409 for analytics that its customer may not attach
 */
export async function moveToSite(
  trx: Trx,
  scope: Scope,
  device: Pick<DeviceRow, 'tenant_id' | 'id' | 'site_id' | 'timezone' | 'snapshot_uid' | 'nimble_id'>,
  siteUid: string,
): Promise<number> {
  const seen = await findSite(trx, scope, siteUid)
  if (seen.tenant_id !== device.tenant_id) throw notFound()
  if (seen.id === device.site_id) return seen.id
  // As everybody waits: the edge server, the site, what runs there. Whoever gives the site to another customer counts what
  // is there, or waits until this is.
  await raiseDesired(trx, device)
  const target = await holdSite(trx, scope, siteUid)
  const { tenant_id } = device
  const channels = await trx
    .selectFrom('channel')
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select(['channel.id', 'channel.reference_uid', 'channel.pipeline_id', 'usecase.id as usecase_id', 'usecase.key'])
    .where('tenant_id', '=', tenant_id)
    .where('device_id', '=', device.id)
    .orderBy('channel.id')
    .forUpdate('channel')
    .execute()
  const former = await trx
    .selectFrom('site')
    .select('customer_id')
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', device.site_id)
    .executeTakeFirstOrThrow()
  // What goes on with the same customer is not attached anew.
  if (former.customer_id !== target.customer_id)
    await refuseUnassigned(
      trx,
      scope,
      { siteUid },
      channels.map(({ usecase_id, key }) => ({ id: usecase_id, key })),
    )
  for (const [table, own] of [
    ['channel', sql`device_id = ${device.id}`],
    [
      'media',
      // Those of events by their channel; the stills that somebody looks at by themselves.
      sql`(channel_id = any(${channels.map(({ id }) => id)}::int4[]) or (channel_id is null and kind = 'snapshot'
        and uid = any(${[device.snapshot_uid, ...channels.map((one) => one.reference_uid)]}::uuid[])))`,
    ],
  ] as const)
    await sql`update ${sql.table(table)} set site_id = ${target.id}
      where tenant_id = ${tenant_id} and site_id = ${device.site_id} and ${own}`.execute(trx)
  await followClock(trx, device, [...new Set(channels.map(({ pipeline_id }) => pipeline_id))], target.timezone)
  return target.id
}

/** Times of day that were the former site's become the new one's; a pipeline that other cameras run too is left alone. */
const followClock = (trx: Trx, device: Pick<DeviceRow, 'tenant_id' | 'id' | 'timezone'>, ids: number[], zone: string) =>
  sql`update pipeline set elements = elements || jsonb_build_object('analytic.timezone', ${zone}::text)
    where tenant_id = ${device.tenant_id} and id = any(${ids}::int4[])
      and elements ->> 'analytic.timezone' = ${device.timezone} and not exists (
        select from channel c where c.tenant_id = pipeline.tenant_id and c.pipeline_id = pipeline.id
          and c.device_id <> ${device.id})`.execute(trx)

/** Until when the old server ran the channels: what it says it observed later does not count. */
async function noteFormer(trx: Trx, device: Camera, target: Target): Promise<void> {
  await sql`
    insert into channel_former (tenant_id, channel_id, nimble_id, until)
    select tenant_id, id, ${device.nimble_id}::int, clock_timestamp() from channel
    where tenant_id = ${device.tenant_id} and device_id = ${device.id} order by id
    on conflict (tenant_id, channel_id, nimble_id) do update set until = excluded.until`.execute(trx)
  await sql`
    delete from channel_former f using channel c
    where f.tenant_id = ${device.tenant_id} and f.nimble_id = ${target.id}
      and c.tenant_id = f.tenant_id and c.id = f.channel_id and c.device_id = ${device.id}`.execute(trx)
}

/** A pipeline goes along; one that channels of other cameras run too stays, and a copy goes. Answers its number there. */
async function movePipeline(trx: Trx, device: Camera, id: number, target: Target): Promise<number> {
  const place = { tenant_id: target.tenant_id, nimble_id: target.id }
  const pipeline = await trx
    .selectFrom('pipeline')
    .selectAll()
    .where('tenant_id', '=', device.tenant_id)
    .where('id', '=', id)
    // Nobody begins to use it, nor moves it, while it is decided whether it goes.
    .forUpdate()
    .executeTakeFirstOrThrow()
  const name = await freePipelineName(trx, place, pipeline.name)
  const others = await trx
    .selectFrom('channel')
    .select('id')
    .where('tenant_id', '=', device.tenant_id)
    .where('pipeline_id', '=', id)
    .where('device_id', '<>', device.id)
    .limit(1)
    .execute()
  if (others.length > 0) {
    const { elements, usecase_key: usecase, reference_key: referenceKey } = pipeline
    return (await insertPipeline(trx, place, { name, elements, usecase, referenceKey })).id
  }
  await trx
    .updateTable('pipeline')
    .set({ nimble_id: target.id, name })
    .where('tenant_id', '=', device.tenant_id)
    .where('id', '=', id)
    .execute()
  return id
}

/** The stream name that a channel has, or where the edge server has one of that name, another. */
async function freeSid(trx: Trx, target: Target, { name, sid }: { name: string; sid: string }): Promise<string> {
  const rows = await trx
    .selectFrom('channel')
    .select('sid')
    .where('tenant_id', '=', target.tenant_id)
    .where('nimble_id', '=', target.id)
    .execute()
  const taken = new Set(rows.map((row) => row.sid))
  return taken.has(sid) ? channelSid(name, (one) => taken.has(one)) : sid
}

/** What the old edge server said of them is no longer so; nothing is known until the new one speaks. */
async function forgetStates(trx: Trx, device: Camera): Promise<void> {
  for (const [states, key, table] of [
    ['source_state', 'source_id', 'source'],
    ['channel_state', 'channel_id', 'channel'],
  ] as const)
    await sql`delete from ${sql.table(states)} s where s.tenant_id = ${device.tenant_id} and s.${sql.ref(key)} in (
      select id from ${sql.table(table)} where tenant_id = ${device.tenant_id} and device_id = ${device.id})`.execute(
      trx,
    )
}
