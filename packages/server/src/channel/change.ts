/** What changes of a channel: by its own form, or by what another gives it. */
import type { channel, Receive } from '@sightline/contract'
import { dwellFault, missingShape, withSidPrefix } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { lockDevices } from '../device/store.ts'
import type { Ctx } from '../mount.ts'
import { raiseDesired } from '../nimble/store.ts'
import { completeElements, readPipeline, updatePipeline } from '../pipeline/store.ts'
import { invalid, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { replaceZones } from '../static/store.ts'
import { forgetStills, type TakenPicture } from '../still.ts'
import { type ChannelRow, readChannel, touchChannels, updateChannel } from './store.ts'

/** A channel that is about to change, before anything else of it is touched. @throws 404 */
export async function lockChannel(trx: Trx, scope: Scope, uid: string): Promise<ChannelRow> {
  const seen = await readChannel(trx, scope, uid)
  await lockDevices(trx, scope, [seen.device_uid])
  const row = await readChannel(trx, scope, uid)
  if (row.device_uid !== seen.device_uid) throw stale()
  return row
}

export type ChannelChange = Omit<Receive<typeof channel.update>, 'channel_id'> & {
  /** The picture that the zones were drawn on from now on. */
  reference_uid?: string | undefined
}

/**
 * @param before locked
 * @returns pictures that were taken before and show what is hidden from now on
 * @throws 400 for what does not fit, 412 when a version is given and no longer the newest
 */
export async function changeChannel(
  trx: Trx,
  { app, scope }: Pick<Ctx, 'app' | 'scope'>,
  before: ChannelRow,
  {
    channel_name,
    channel_sid,
    channel_threshold,
    auto_recovery,
    zones,
    pipeline: piece,
    reference_uid,
    version,
  }: ChannelChange,
): Promise<TakenPicture[]> {
  // In the order in which everybody waits: the edge server is told before anything else is touched.
  await raiseDesired(trx, before)
  let taken: TakenPicture[] = []
  await updateChannel(
    trx,
    before,
    {
      name: channel_name,
      sid: channel_sid && withSidPrefix(channel_sid),
      threshold: channel_threshold,
      auto_recovery,
      reference_uid,
    },
    version,
  )
  if (zones) {
    const missing = missingShape(before.usecase_key, zones)
    if (missing) throw invalid({ zones: [missing] })
    for (const [i, drawn] of zones.entries()) {
      const fault = dwellFault(before.usecase_key, drawn)
      if (fault) throw invalid({ [`zones.${i}.dwell_s`]: [fault] })
    }
    const { tenant_id, source_id, id } = before
    const hides = await replaceZones(trx, { tenant_id, source_id, channel_id: id }, zones)
    if (hides) taken = await forgetStills(trx, app, before)
  }
  if (piece) {
    const pipeline = await readPipeline(trx, scope, before.pipeline_uid)
    const wanted = { ...pipeline.elements, ...piece.pipeline_elements }
    const elements = completeElements(before.usecase_key, wanted, 'pipeline.pipeline_elements')
    await updatePipeline(trx, pipeline, { elements })
    await touchChannels(trx, before.tenant_id, { pipelineId: pipeline.id })
  }
  return taken
}
