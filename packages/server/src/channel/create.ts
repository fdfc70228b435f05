import type { channel, Receive } from '@sightline/contract'
import type { Elements } from '@sightline/contract/edge'
import { channelSid, type UsecaseKey, withSidPrefix } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { lockDevice } from '../device/store.ts'
import { claimChannels } from '../license/store.ts'
import { raiseDesired, readNimble } from '../nimble/store.ts'
import { completeElements, freePipelineName, insertPipeline, lockPipeline } from '../pipeline/store.ts'
import { invalid } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { holdSite } from '../site/store.ts'
import { sourcesOfDevices } from '../source/store.ts'
import { insertZones } from '../static/store.ts'
import { newUid } from '../uid.ts'
import { listUsecases, readDefaults, refuseUnassigned } from '../usecase/store.ts'

type Draft = Receive<typeof channel.create>
/** What a new channel takes from the camera that it is put on. */
type Place = { tenant_id: number; nimble_id: number; timezone: string }

/**
 * Puts a use case on a camera: channel, zones and pipeline in the one transaction of the caller. Answers its public id.
 * What the zones were drawn on is the newest still of the camera.
 * @throws 404 for a device out of reach, 409 when the customer may not attach it or the licence is used up, 400 for everything the draft gets wrong
 */
export async function createChannel(trx: Trx, scope: Scope, draft: Draft): Promise<string> {
  const device = await lockDevice(trx, scope, draft.device_id)
  const sources = (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? []
  const source =
    draft.source_id === undefined ? sources[0] : sources.find((candidate) => candidate.uid === draft.source_id)
  if (!source) throw invalid({ source_id: ['not_found'] })
  const usecase = (await listUsecases(trx)).find((row) => row.key === draft.usecase_key)
  if (!usecase) throw invalid({ usecase_key: ['one_of'] })
  const nimble = await readNimble(trx, scope, device.nimble_uid)
  const place = { tenant_id: device.tenant_id, nimble_id: nimble.id, timezone: device.timezone }
  // Before anything refers to it: edge server, site, licence, then pipeline is the order in which everybody waits.
  const edge = await raiseDesired(trx, place)
  // Whoever gives it to another customer counts what is there, or waits until this is.
  await holdSite(trx, scope, device.site_uid)
  await refuseUnassigned(trx, scope, { siteUid: device.site_uid }, [usecase])
  await claimChannels(trx, edge, [draft.usecase_key], new Date())

  const defaults = await readDefaults(trx, device.tenant_id, draft.usecase_key)
  const uid = newUid()
  const { id } = await trx
    .insertInto('channel')
    .values({
      tenant_id: device.tenant_id,
      uid,
      site_id: device.site_id,
      device_id: device.id,
      source_id: source.id,
      nimble_id: nimble.id,
      pipeline_id: await choosePipeline(trx, scope, place, draft, defaults.elements),
      usecase_id: usecase.id,
      name: draft.channel_name,
      sid: await chooseSid(trx, place, draft),
      threshold: draft.channel_threshold,
      auto_recovery: draft.auto_recovery ?? defaults.autoRecovery,
      reference_uid: device.snapshot_uid,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const owner = { tenant_id: device.tenant_id, source_id: source.id, channel_id: id }
  await insertZones(
    trx,
    owner,
    draft.zones.map(({ static_id, ...shape }, i) => {
      if (static_id !== undefined) throw invalid({ [`zones.${i}.static_id`]: ['not_found'] })
      return shape
    }),
  )
  return uid
}

/** The pipeline that was chosen, or one made from what the use case starts with in the organization and the draft. */
async function choosePipeline(trx: Trx, scope: Scope, place: Place, draft: Draft, defaults: Elements): Promise<number> {
  if (draft.pipeline_id !== undefined) {
    if (draft.pipeline) throw invalid({ pipeline: ['unknown_property'] })
    const chosen = await lockPipeline(trx, scope, draft.pipeline_id)
    if (chosen.nimble_id !== place.nimble_id || chosen.usecase_key !== draft.usecase_key)
      throw invalid({ pipeline_id: ['not_found'] })
    return chosen.id
  }
  const { pipeline_name, pipeline_elements = {} } = draft.pipeline ?? {}
  const { id } = await insertPipeline(trx, place, {
    name: pipeline_name ?? (await freePipelineName(trx, place, draft.channel_name)),
    elements: localElements(draft.usecase_key, defaults, pipeline_elements, place.timezone),
    usecase: draft.usecase_key,
  })
  return id
}

/** Times of day in a pipeline are the site's, unless it says otherwise. */
function localElements(usecase: UsecaseKey, defaults: Elements, given: Elements, timezone: string): Elements {
  const complete = completeElements(usecase, { ...defaults, ...given }, 'pipeline.pipeline_elements')
  const hasZone = 'analytic.timezone' in complete && !('analytic.timezone' in given)
  return hasZone ? { ...complete, 'analytic.timezone': timezone } : complete
}

/** The stream name that was typed, with its prefix, or one made from the channel's name. Taken ones are refused on insert. */
async function chooseSid(trx: Trx, place: Place, draft: Draft): Promise<string> {
  if (draft.channel_sid) return withSidPrefix(draft.channel_sid)
  const rows = await trx
    .selectFrom('channel')
    .select('sid')
    .where('tenant_id', '=', place.tenant_id)
    .where('nimble_id', '=', place.nimble_id)
    .execute()
  const taken = new Set(rows.map((row) => row.sid))
  return channelSid(draft.channel_name, (sid) => taken.has(sid))
}
