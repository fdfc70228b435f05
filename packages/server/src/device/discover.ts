import { addressPlace, type Discovered, type Discovery, isSameCamera } from '@sightline/contract'
import { endpointUuid, shortestSearched } from '@sightline/domain'
import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { invalid } from '../refusal.ts'
import type { JobHandle, Services } from '../services.ts'

/** A range to ask one by one: IPv4, private, at most a /22. @throws 400 */
export function checkRange(range: string): void {
  const fault = rangeFault(range)
  if (fault) throw invalid({ range: [fault] })
}

function rangeFault(range: string): 'range_invalid' | 'range_not_private' | 'range_too_large' | null {
  if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(range)) return 'range_invalid'
  const [network, prefix] = ipaddr.IPv4.parseCIDR(range)
  if (prefix < shortestSearched) return 'range_too_large'
  return network.range() === 'private' ? null : 'range_not_private'
}

type Nimble = { tenant_id: number; uid: string }
type Answered = Parameters<typeof isSameCamera>[1]
type Search = { seconds: number; range?: string; interfaces?: string[] }

/** An edge server that turned hostile fills no memory here with what it says it found; honest ones stop there by themselves. */
const mostFound = 1000
/** At one host and port: channels of a recorder. */
const mostFoundThere = 64

/** Looks for cameras from an edge server. Each is told as it answers, with the device that already has it. */
export async function discover(app: Services, nimble: Nimble, search: Search, job: JobHandle): Promise<void> {
  const known = await app.db.as({ tenantId: nimble.tenant_id }, (trx) => knownCameras(trx, nimble.tenant_id))
  const named = byName(known)
  const deviceOf = (one: Answered, isChannel: boolean) =>
    [endpointUuid(one.uuid), one.host]
      .flatMap((name) => (name !== null && named.get(name)) || [])
      .find(({ device }) => isSameCamera(device, one, isChannel))?.device.uid ?? null
  const found = new Map<string, Discovered>()
  /** By host and port, the keys of those found there. */
  const places = new Map<string, string[]>()
  const result = (scanned: Discovery['scanned']): Discovery => ({ found: [...found.values()], scanned })
  const scanned = await app.links.discover(
    nimble.uid,
    search,
    (camera) => {
      // One camera answers on several interfaces.
      const key = camera.endpoint_uuid?.toLowerCase() ?? camera.xaddr
      const place = `${camera.host} ${camera.port}`
      const there = places.get(place) ?? []
      if (found.has(key) || found.size >= mostFound || there.length >= mostFoundThere) return
      places.set(place, [...there, key])
      const only = there.length === 1 ? found.get(there[0] as string) : undefined
      // It was taken for the only one there.
      if (only) found.set(there[0] as string, { ...only, device_id: deviceOf({ ...only, uuid: only.UUID }, true) })
      found.set(key, {
        UUID: camera.endpoint_uuid,
        xaddr: camera.xaddr,
        host: camera.host,
        port: camera.port,
        name: camera.name,
        maker: camera.maker,
        model: camera.model,
        interface: camera.interface,
        is_demo: app.demo.isDemo(camera.host, camera.port),
        device_id: deviceOf({ ...camera, uuid: camera.endpoint_uuid }, there.length > 0),
      })
      job.report({ done: found.size, result: result(null) })
    },
    job.signal,
  )
  // One that speaks ONVIF by https only may have been added by its stream, as the search advises; no other cause is gone then.
  const unusable = scanned.unusable.filter(({ host, cause }) => cause !== 'camera_https_only' || !named.has(host))
  job.report({ done: found.size, total: found.size, result: result({ ...scanned, unusable }) })
}

/** Devices by each name that a camera which answers may have for them: their ONVIF id, and the hosts of their streams. */
const byName = (known: readonly KnownCamera[]) =>
  Map.groupBy(
    known.flatMap((device) => {
      const hosts = device.addresses.map((address) => addressPlace(address)?.host)
      return [...new Set([endpointUuid(device.uuid), ...hosts])].map((name) => ({ name, device }))
    }),
    ({ name }) => name,
  )

export type KnownCamera = Awaited<ReturnType<typeof knownCameras>>[number]

/** What tells the cameras of an organization apart. */
export const knownCameras = (trx: Trx, tenantId: number) =>
  trx
    .selectFrom('device')
    .select(['uid', 'name', 'endpoint_uuid as uuid', 'stream_address', 'onvif_port as onvifPort'])
    .select(
      sql<
        string[]
      >`array(select s.address from source s where s.tenant_id = device.tenant_id and s.device_id = device.id)`.as(
        'addresses',
      ),
    )
    .where('tenant_id', '=', tenantId)
    .execute()
