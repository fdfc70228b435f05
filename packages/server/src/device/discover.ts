import type { Discovered, Discovery } from '@sightline/contract'
import type { LinkDiscovered } from '@sightline/contract/edge'
import ipaddr from 'ipaddr.js'
import { addressPlace } from '../camera-address.ts'
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
        device_id: deviceOf(known, camera)?.uid ?? null,
      })
      job.report({ done: found.size, result: result(null) })
    },
    job.signal,
  )
  job.report({ done: found.size, total: found.size, result: result(scanned) })
}

export type KnownCamera = Awaited<ReturnType<typeof knownCameras>>[number]

/** What tells the cameras of an organization apart. */
export const knownCameras = (trx: Trx, tenantId: number) =>
  trx
    .selectFrom('device')
    .select(['uid', 'name', 'endpoint_uuid', 'stream_address', 'onvif_port'])
    .where('tenant_id', '=', tenantId)
    .execute()

/** The device that is this camera: the same ONVIF endpoint, or where one of the two has none, the same host and port. */
function deviceOf(
  known: readonly KnownCamera[],
  camera: Pick<LinkDiscovered, 'endpoint_uuid' | 'host' | 'port'>,
): KnownCamera | undefined {
  const endpoint = camera.endpoint_uuid?.toLowerCase()
  return known.find((device) =>
    endpoint !== undefined && device.endpoint_uuid !== null
      ? device.endpoint_uuid.toLowerCase() === endpoint
      : device.onvif_port === camera.port && addressPlace(device.stream_address)?.host === camera.host,
  )
}
