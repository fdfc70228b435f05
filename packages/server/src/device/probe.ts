import { addressPlace, type deviceOps, type Probe, type Receive, streamKey } from '@sightline/contract'
import type { Finding, Probed } from '@sightline/contract/edge'
import { endpointUuid } from '@sightline/domain'
import { addressFault, cameraSchemes } from '../camera-address.ts'
import { keepStill, mediaUrl } from '../media/store.ts'
import type { Ctx } from '../mount.ts'
import { type NimbleRow, readNimble } from '../nimble/store.ts'
import { invalid, notFound } from '../refusal.ts'
import type { Secrets } from '../secrets.ts'
import { sourcesOfDevices } from '../source/store.ts'
import { type KnownCamera, knownCameras } from './discover.ts'
import { type DeviceRow, homeOf, isHome, passwordPlace, readDevice, setStill } from './store.ts'

type Input = Receive<typeof deviceOps.probe>

/**
 * Tries a camera from its edge server, before it is saved or again later. The still that came is kept, and becomes the
 * device's when one was named.
 */
export async function probe(input: Input, ctx: Ctx): Promise<Probe> {
  const { app, scope, principal } = ctx
  const tell = (finding: Finding) => {
    if (input.probe_id === undefined) return
    const { tenantId, userId } = principal
    app.bus.publish({ tenantId, siteId: null, userId, message: { type: 'probe', probe_id: input.probe_id, finding } })
  }
  const { nimble, device, home, known } = await app.db.as(scope, async (trx) => {
    const nimble = await readNimble(trx, scope, input.nimble_id)
    const device = input.device_id === undefined ? null : await readDevice(trx, scope, input.device_id)
    if (device && device.tenant_id !== nimble.tenant_id) throw notFound()
    return {
      nimble,
      device,
      home: device ? homeOf(device, (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? []) : [],
      known: await knownCameras(trx, nimble.tenant_id),
    }
  })
  const fault = addressFault(input.address, cameraSchemes, app.demo.isDemo, nimble)
  if (fault) throw invalid({ address: [fault] })
  const probed = await app.links.probe(
    nimble.uid,
    {
      address: input.address,
      username: input.username || null,
      password: passwordOf(input, nimble, device, home, app.secrets),
    },
    tell,
  )
  // While its address is being changed, the picture may be another camera's.
  const isThere = addressPlace(input.address)?.host === addressPlace(device?.stream_address ?? '')?.host
  const pictured = isThere && !input.is_swap ? device : null
  return {
    profiles: probed.profiles,
    maker: probed.maker,
    model: probed.model,
    firmware: probed.firmware,
    UUID: probed.endpoint_uuid,
    snapshot_url: probed.snapshot === null ? null : await keepSnapshot(probed.snapshot, nimble, pictured, ctx),
    findings: [...probed.findings, ...alreadyAdded(probed, known, input)],
  }
}

/** The typed password, or for `****` the stored one, which goes to no other host and edge server than the device's own. */
function passwordOf(
  input: Input,
  nimble: NimbleRow,
  device: DeviceRow | null,
  home: readonly string[],
  secrets: Secrets,
): string | null {
  if (input.password !== '****') return input.password || null
  if (!device) throw invalid({ password: ['required'] })
  const isOwn = device.nimble_id === nimble.id && isHome([input.address], home)
  if (device.password !== null && !isOwn) throw invalid({ password: ['password_again'] })
  return device.password === null ? null : secrets.open(device.password, passwordPlace(device.uid))
}

async function keepSnapshot(
  base64: string,
  nimble: NimbleRow,
  device: DeviceRow | null,
  { app, scope, principal }: Ctx,
): Promise<string> {
  const place = { tenant_id: nimble.tenant_id, nimble_id: nimble.id, site_id: device?.site_id ?? null }
  const uid = await keepStill(app, place, Buffer.from(base64, 'base64'), principal.userId)
  if (device) await app.db.as(scope, (trx) => setStill(trx, device, uid))
  return mediaUrl(app.env, uid)
}

/** Says when another device of the organization is this camera: the same ONVIF endpoint, or the same stream. */
function alreadyAdded(probed: Probed, known: readonly KnownCamera[], input: Input): Finding[] {
  const endpoint = endpointUuid(probed.endpoint_uuid)
  const streams = new Set([input.address, ...probed.profiles.map((profile) => profile.stream_address)].map(streamKey))
  const other = known.find(
    (device) =>
      device.uid !== input.device_id &&
      ((endpoint !== null && endpointUuid(device.uuid) === endpoint) || streams.has(streamKey(device.stream_address))),
  )
  if (!other) return []
  const args = { device: other.name }
  return [{ level: 'warning', code: 'already_added', text_id: `already_added:${other.name}`, args }]
}
