import type { channel, Receive } from '@sightline/contract'
import type { Trx } from '../db/database.ts'
import { lockDevices, moveDevice, readDevice } from '../device/store.ts'
import { raiseDesired, readNimble } from '../nimble/store.ts'
import { lockPipeline } from '../pipeline/store.ts'
import { invalid, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { readSource } from '../source/store.ts'
import { leaveMasks } from '../static/store.ts'
import { type ChannelRow, channelRows, forgetView, readChannel } from './store.ts'

type Wish = Pick<Receive<typeof channel.refactor>, 'channel_id' | 'source_id' | 'pipeline_id' | 'nimble_id'>

/**
 * Gives a channel another stream, pipeline or edge server, in the transaction of the caller. Its id, zones, settings and
 * history stay. A camera is read by one edge server, so with a new one all channels of the camera go.
 * @returns the channel as it was, and what starts anew
 * @throws 404, 409 when the licence of the new edge server is used up, 400 for what does not fit
 */
export async function refactorChannel(
  trx: Trx,
  scope: Scope,
  { channel_id, source_id, pipeline_id, nimble_id }: Wish,
): Promise<{ before: ChannelRow; restarts: ChannelRow[] }> {
  const seen = await readChannel(trx, scope, channel_id)
  const source = source_id === undefined ? null : await readSource(trx, scope, source_id)
  await lockDevices(trx, scope, [seen.device_uid, ...(source ? [source.device_uid] : [])])
  // What was true before the waiting need not be so now.
  const before = await readChannel(trx, scope, channel_id)
  if (before.device_uid !== seen.device_uid) throw stale()
  const device = await readDevice(trx, scope, before.device_uid)
  let restarts: string[] = [channel_id]
  if (nimble_id !== undefined && nimble_id !== before.nimble_uid) {
    await moveDevice(trx, device, await readNimble(trx, scope, nimble_id))
    restarts = (await channelRows(trx, scope, { deviceUids: [device.uid] })).map((row) => row.uid)
  } else {
    // Before the pipeline is locked, as everywhere; a move did so itself.
    await raiseDesired(trx, before)
  }
  if (source_id !== undefined) await useSource(trx, scope, channel_id, source_id)
  if (pipeline_id !== undefined) await usePipeline(trx, scope, channel_id, pipeline_id)
  return { before, restarts: await channelRows(trx, scope, { channelUids: restarts }) }
}

/**
 * Zones go along. Another stream of the camera sees the same; on another camera they lie where they were drawn, and
 * somebody should look at them. Masks stay with the camera that they hide a part of.
 */
async function useSource(trx: Trx, scope: Scope, channelUid: string, sourceUid: string): Promise<void> {
  const row = await readChannel(trx, scope, channelUid)
  const source = await readSource(trx, scope, sourceUid)
  // Events are a site's, and the edge server that runs the channel must be the one that reads the stream.
  if (source.tenant_id !== row.tenant_id || source.site_id !== row.site_id)
    throw invalid({ source_id: ['source_other_site'] })
  if (source.nimble_id !== row.nimble_id) throw invalid({ source_id: ['source_other_nimble'] })
  if (source.device_id !== row.device_id) await leaveMasks(trx, row)
  const ofChannel = { tenant_id: row.tenant_id, channel_id: row.id }
  await trx
    .updateTable('channel')
    // The picture that the zones were drawn on is another camera's.
    .set({
      source_id: source.id,
      device_id: source.device_id,
      ...(source.device_id !== row.device_id && { reference_uid: null }),
    })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id)
    .execute()
  if (source.device_id !== row.device_id) await forgetView(trx, row)
  for (const table of ['static_zone', 'static_number'] as const)
    await trx
      .updateTable(table)
      .set({ source_id: source.id })
      .where('tenant_id', '=', ofChannel.tenant_id)
      .where('channel_id', '=', ofChannel.channel_id)
      .execute()
}

async function usePipeline(trx: Trx, scope: Scope, channelUid: string, pipelineUid: string): Promise<void> {
  const row = await readChannel(trx, scope, channelUid)
  const pipeline = await lockPipeline(trx, scope, pipelineUid)
  if (pipeline.tenant_id !== row.tenant_id || pipeline.nimble_id !== row.nimble_id)
    throw invalid({ pipeline_id: ['pipeline_other_nimble'] })
  if (pipeline.usecase_key !== row.usecase_key) throw invalid({ pipeline_id: ['pipeline_other_usecase'] })
  await trx
    .updateTable('channel')
    .set({ pipeline_id: pipeline.id })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id)
    .execute()
  // What was said is the version of another one.
  await trx
    .updateTable('channel_state')
    .set({ pipeline_version: null })
    .where('tenant_id', '=', row.tenant_id)
    .where('channel_id', '=', row.id)
    .execute()
}
