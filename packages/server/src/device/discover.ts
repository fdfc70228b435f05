import { addressPlace, type Discovered, type Discovery, isSameCamera } from '@sightline/contract'
import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { invalid } from '../refusal.ts'
import type { JobHandle, Services } from '../services.ts'

/** Ranges larger than this take too long to ask one by one. */
const shortestPrefix = 22

/** A range to ask one by one: IPv4, private, at most a /22. @throws 400 */
export function checkRange(range: string): void {
  const fault = rangeFault(range)
  if (fault) throw invalid({ range: [fault] })
}

function rangeFault(range: string): 'range_invalid' | 'range_not_private' | 'range_too_large' | null {
  if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(range)) return 'range_invalid'
  const [network, prefix] = ipaddr.IPv4.parseCIDR(range)
  if (prefix < shortestPrefix) return 'range_too_large'
  return network.range() === 'private' ? null : 'range_not_private'
}

type Nimble = { tenant_id: number; uid: string }
type Answered = Parameters<typeof isSameCamera>[1]
type Search = { seconds: number; range?: string; interfaces?: string[] }

/** Looks for cameras from an edge server. Each is told as it answers, with the device that already has it. */
export async function discover(app: Services, nimble: Nimble, search: Search, job: JobHandle): Promise<void> {
  const known = await app.db.as({ tenantId: nimble.tenant_id }, (trx) => knownCameras(trx, nimble.tenant_id))
  const found = new Map<string, Discovered>()
  const result = (scanned: Discovery['scanned']): Discovery => ({ found: [...found.values()], scanned })
  const scanned = await app.links.discover(
    nimble.uid,
    search,
    (camera) => {
      // One camera answers on several interfaces.
      const key = camera.endpoint_uuid?.toLowerCase() ?? camera.xaddr
      if (found.has(key)) return
      const neighbours = [...found].filter(([, { host, port }]) => host === camera.host && port === camera.port)
      const deviceOf = (one: Answered) =>
        known.find((device) => isSameCamera(device, one, neighbours.length > 0))?.uid ?? null
      // The first of them was taken for the only one there.
      for (const [at, one] of neighbours) found.set(at, { ...one, device_id: deviceOf({ ...one, uuid: one.UUID }) })
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
        device_id: deviceOf({ ...camera, uuid: camera.endpoint_uuid }),
      })
      job.report({ done: found.size, result: result(null) })
    },
    job.signal,
  )
  const unusable = scanned.unusable.filter((one) => !isAdded(one.host, known))
  job.report({ done: found.size, total: found.size, result: result({ ...scanned, unusable }) })
}

/** A camera that speaks ONVIF by https only may have been added by its stream, as the search advises. */
export const isAdded = (host: string, known: readonly Pick<KnownCamera, 'addresses'>[]): boolean =>
  known.some(({ addresses }) => addresses.some((address) => addressPlace(address)?.host === host))

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
