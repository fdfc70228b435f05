import { addressPlace, type deviceDraft } from '@sightline/contract'
import { folded } from '@sightline/domain'
import { sql } from 'kysely'
import type * as z from 'zod'
import { addressFault, type Opener, streamSchemes } from '../camera-address.ts'
import type { Trx } from '../db/database.ts'
import { type NimbleRow, raiseDesired, readNimble } from '../nimble/store.ts'
import { invalid } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { readSite } from '../site/store.ts'
import { insertSources } from '../source/store.ts'
import { newUid } from '../uid.ts'
import { passwordPlace } from './store.ts'

export type DeviceDraft = z.output<typeof deviceDraft>
type Errors = Record<string, string[]>

/**
 * Adds cameras, all or none, in the transaction of the caller. Answers their public ids in the order of the drafts.
 * @param fieldOf name under which a draft's field is reported: with its index when several came
 * @throws 404 for a site or edge server out of reach, 400 with everything that is wrong with every draft
 */
export async function createDevices(
  trx: Trx,
  scope: Scope,
  app: Services,
  drafts: readonly DeviceDraft[],
  fieldOf: (index: number, field: string) => string,
): Promise<string[]> {
  const found = await findPlaces(trx, scope, drafts)
  const places = found.map(({ place }) => place)
  const errors: Errors = {}
  const refuse = (index: number, field: string, id: string) => {
    const name = fieldOf(index, field)
    errors[name] = [...(errors[name] ?? []), id]
  }
  for (const [i, draft] of drafts.entries()) {
    const { nimble } = found[i] as (typeof found)[number]
    for (const [field, id] of addressErrors(app, draft, nimble)) refuse(i, field, id)
    if (!places[i]) refuse(i, 'nimble_id', 'not_found')
  }
  await checkTaken(trx, drafts, places, refuse)
  if (Object.keys(errors).length > 0) throw invalid(errors)

  const touched = new Map(places.map((place) => [place?.nimble_id, place as Place])).values()
  // In one order, and before anything refers to them: two who add cameras to the same edge servers wait for each other.
  for (const place of [...touched].toSorted((a, b) => a.nimble_id - b.nimble_id)) await raiseDesired(trx, place)
  const uids: string[] = []
  for (const [i, draft] of drafts.entries()) uids.push(await insertDevice(trx, app, draft, places[i] as Place))
  return uids
}

type Place = { tenant_id: number; site_id: number; nimble_id: number }

/** Where each camera goes, and who opens it; no place where site and edge server belong to different organizations. @throws 404 */
async function findPlaces(
  trx: Trx,
  scope: Scope,
  drafts: readonly DeviceDraft[],
): Promise<{ place: Place | null; nimble: NimbleRow }[]> {
  const sites = new Map<string, Awaited<ReturnType<typeof readSite>>>()
  const nimbles = new Map<string, NimbleRow>()
  const found: { place: Place | null; nimble: NimbleRow }[] = []
  for (const { site_id, nimble_id } of drafts) {
    const site = sites.get(site_id) ?? (await readSite(trx, scope, site_id))
    const nimble = nimbles.get(nimble_id) ?? (await readNimble(trx, scope, nimble_id))
    sites.set(site_id, site)
    nimbles.set(nimble_id, nimble)
    const isOneTenant = site.tenant_id === nimble.tenant_id
    const place = isOneTenant ? { tenant_id: site.tenant_id, site_id: site.id, nimble_id: nimble.id } : null
    found.push({ place, nimble })
  }
  return found
}

/** Addresses that no camera may have, as field and message id. */
export function addressErrors(app: Services, draft: DeviceDraft, opener: Opener): [string, string][] {
  const addresses: [string, string][] = [
    ['stream_address', draft.stream_address],
    ...(draft.device_source ?? []).map(
      ({ source_address }, i) => [`device_source.${i}.source_address`, source_address] as [string, string],
    ),
  ]
  return addresses.flatMap(([field, address]) => {
    const fault = addressFault(address, streamSchemes, app.demo.isDemo, opener)
    return fault ? [[field, fault] as [string, string]] : []
  })
}

/** Names in a site and ONVIF endpoints in an organization are unique, among the drafts too. */
async function checkTaken(
  trx: Trx,
  drafts: readonly DeviceDraft[],
  places: readonly (Place | null)[],
  refuse: (index: number, field: string, id: string) => void,
): Promise<void> {
  const taken = new Set<string>()
  for (const [i, draft] of drafts.entries()) {
    const place = places[i]
    if (!place) continue
    const found = await trx
      .selectFrom('device')
      .select([
        sql<boolean>`coalesce(bool_or(site_id = ${place.site_id} and folded(name) = folded(${draft.device_name})), false)`.as(
          'name',
        ),
        sql<boolean>`coalesce(bool_or(folded(endpoint_uuid) = folded(${draft.UUID})), false)`.as('endpoint'),
      ])
      .where('tenant_id', '=', place.tenant_id)
      .executeTakeFirstOrThrow()
    const name = `name ${place.site_id} ${folded(draft.device_name)}`
    const endpoint = draft.UUID === null ? null : `endpoint ${draft.UUID}`
    if (found.name || taken.has(name)) refuse(i, 'device_name', 'name_taken')
    if (found.endpoint || (endpoint !== null && taken.has(endpoint))) refuse(i, 'UUID', 'device_taken')
    taken.add(name)
    if (endpoint !== null) taken.add(endpoint)
  }
}

async function insertDevice(trx: Trx, app: Services, draft: DeviceDraft, place: Place): Promise<string> {
  const uid = newUid()
  const streams = draft.device_source ?? [
    { source_name: draft.device_name, source_address: draft.stream_address, role: 'both' as const },
  ]
  // The device's address is that of its default stream.
  const main = Math.max(
    0,
    streams.findIndex((stream) => stream.source_address === draft.stream_address),
  )
  const address = (streams[main] as (typeof streams)[number]).source_address
  const { id } = await trx
    .insertInto('device')
    .values({
      ...place,
      uid,
      name: draft.device_name,
      endpoint_uuid: draft.UUID,
      stream_address: address,
      stream_type: draft.stream_type,
      username: draft.username || null,
      password: draft.password ? app.secrets.seal(draft.password, passwordPlace(uid)) : null,
      onvif_port: draft.onvif_port,
      tags: JSON.stringify(draft.device_tags),
      is_demo: isDemo(app, address),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const device = { tenant_id: place.tenant_id, nimble_id: place.nimble_id, id, uid }
  await insertSources(
    trx,
    device,
    streams.map((stream, i) => ({ ...stream, is_default: i === main })),
  )
  return uid
}

/** Whether a camera is one of those that the start command simulates. */
export function isDemo(app: Pick<Services, 'demo'>, address: string): boolean {
  const place = addressPlace(address)
  return place !== null && app.demo.isDemo(place.host, place.port)
}
