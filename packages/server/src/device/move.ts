import { channelSid } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { claimChannels } from '../license/store.ts'
import { type NimbleRow, raiseDesired } from '../nimble/store.ts'
import { freePipelineName, insertPipeline } from '../pipeline/store.ts'
import { notFound } from '../refusal.ts'
import { moveSources } from '../source/store.ts'

type Camera = { tenant_id: number; id: number; nimble_id: number }
type Target = Pick<NimbleRow, 'tenant_id' | 'id' | 'license_id'>

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
  for (const nimble_id of [device.nimble_id, target.id].toSorted((a, b) => a - b))
    await raiseDesired(trx, { tenant_id: device.tenant_id, nimble_id })
  const from = await trx
    .selectFrom('nimble')
    .select('license_id')
    .where('tenant_id', '=', device.tenant_id)
    .where('id', '=', device.nimble_id)
    .executeTakeFirstOrThrow()
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
  if (target.license_id !== from.license_id)
    await claimChannels(
      trx,
      target,
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
