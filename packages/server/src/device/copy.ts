import type { CopiedDevice, deviceOps, Receive } from '@sightline/contract'
import { changed } from '../bus.ts'
import { channelRows } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx } from '../mount.ts'
import { type NimbleRow, raiseDesired, readNimble } from '../nimble/store.ts'
import { eachByItself, notFound, Refusal } from '../refusal.ts'
import { type StreamRow, sourcesOfDevices, touchSources, updateSource } from '../source/store.ts'
import { moveDevice, planMove, restarting } from './move.ts'
import { type DeviceRow, homeOf, isHome, lockDevice, passwordPlace, readDevice, updateDevice } from './store.ts'

type Wish = Receive<typeof deviceOps.copy>
type Changes = CopiedDevice['changes']

/** The camera that gives, with its streams, who reads it, and its password where that is given: as typed again, or as stored. */
type From = {
  device: DeviceRow
  streams: readonly StreamRow[]
  nimble: NimbleRow
  password: string | null
  isTyped: boolean
}

/** Gives settings of one camera to others, each in a transaction of its own: what fails for one is done for the rest. */
export async function copyDevice({ device_id, to, settings, password, dry_run }: Wish, ctx: Ctx) {
  const { app, scope, note } = ctx
  const uids = [...new Set(to)]
  const typed = password === '****' ? null : password || null
  const from = await app.db.as(scope, async (trx): Promise<From> => {
    const device = await readDevice(trx, scope, device_id)
    const nimble = await readNimble(trx, scope, device.nimble_uid)
    const given = typed ?? (settings.includes('credentials') ? storedPassword(device, ctx) : null)
    return {
      ...{ device, nimble, streams: await streamsOf(trx, ctx, device) },
      ...{ password: given, isTyped: typed !== null },
    }
  })
  const nimbles = new Set<string>()
  const devices = await eachByItself<string, CopiedDevice>(
    uids,
    async (uid) => {
      const given = await app.db.try(scope, { dry_run }, (trx) => give(trx, ctx, from, uid, settings))
      const { before, after, changes, restarts } = given
      if (changes.length > 0 && !dry_run) {
        for (const row of [before, after]) nimbles.add(row.nimble_uid)
        app.bus.publish(changed(after, 'device', uid))
      }
      const outcome = changes.length > 0 ? 'copied' : 'unchanged'
      return { device_id: uid, outcome, error_code: null, changes, restarts }
    },
    (uid, { code = 'invalid' }) => ({ device_id: uid, ...failed, error_code: code }),
  )
  for (const uid of nimbles) app.links.reconfigure(uid)
  note({ object_id: from.device.uid, object_name: from.device.name })
  return { devices: dry_run && settings.includes('nimble') ? await fitting(devices, from.nimble, ctx) : devices }
}

/** Together: those before take from the licence what those behind do not get. What is refused anyway takes nothing. */
async function fitting(
  tried: readonly CopiedDevice[],
  nimble: NimbleRow,
  { app, scope }: Ctx,
): Promise<CopiedDevice[]> {
  const going = tried.filter(({ outcome }) => outcome !== 'failed').map(({ device_id }) => device_id)
  const plan = await app.db.as(scope, (trx) => planMove(trx, scope, going, nimble))
  const left = new Map(plan.filter(({ outcome }) => outcome === 'failed').map((one) => [one.device_id, one.error_code]))
  return tried.map((one) => {
    const error_code = left.get(one.device_id)
    return error_code ? { device_id: one.device_id, ...failed, error_code } : one
  })
}

const failed = { outcome: 'failed' as const, changes: [], restarts: [] }

/** @throws 404 for a camera of another organization, 409 for one with other streams, and what moving it is refused for */
async function give(trx: Trx, ctx: Ctx, from: From, uid: string, settings: Wish['settings']) {
  const { scope } = ctx
  const { device } = from
  const before = await lockDevice(trx, scope, uid)
  if (before.tenant_id !== device.tenant_id) throw notFound()
  const has = (setting: Wish['settings'][number]) => settings.includes(setting)
  const streams = await streamsOf(trx, ctx, before)

  const changes: Changes = []
  const differs = (
    field: string,
    was: string | number | null,
    is: string | number | null,
    stream: string | null = null,
  ) => {
    if (was === is) return false
    changes.push({ field, stream, before: was, after: is })
    return true
  }
  const change: Parameters<typeof updateDevice>[2] = {}
  if (has('credentials')) {
    if (differs('username', before.username || null, device.username || null)) change.username = device.username
    const given = passwordFor(from, before, streams)
    if (given !== undefined) {
      const place = passwordPlace(before.uid)
      changes.push({ field: 'password', stream: null, before: before.password && '****', after: given && '****' })
      change.password = given === null ? null : ctx.app.secrets.seal(given, place)
    }
  }
  if (has('tags') && differs('device_tags', tagsText(before), tagsText(device)))
    change.tags = JSON.stringify(device.tags)
  if (has('onvif_port') && differs('onvif_port', before.onvif_port, device.onvif_port))
    change.onvif_port = device.onvif_port
  if (Object.keys(change).length > 0) await updateDevice(trx, before, change)
  if (has('stream_roles')) {
    const other = streams.length === from.streams.length ? from.streams.map((one, i) => twinOf(one, i, streams)) : []
    if (other.length === 0 || other.includes(undefined))
      throw new Refusal(409, 'This camera has other streams', { code: 'other_streams' })
    for (const [i, { role }] of from.streams.entries()) {
      const row = other[i] as StreamRow
      if (differs('stream_role', row.role, role, row.name)) await updateSource(trx, row, { role })
    }
  }
  // Names of edge servers are an organization's own: two of one name are one.
  const isMoved = has('nimble') && differs('nimble', before.nimble_name, device.nimble_name)
  const restarts = isMoved ? restarting(await channelRows(trx, scope, { deviceUids: [uid] })) : []
  if (isMoved) await moveDevice(trx, before, from.nimble)
  if (changes.length > 0) await touchSources(trx, before)
  const after = await readDevice(trx, scope, uid)
  if (changes.length > 0) await raiseDesired(trx, after)
  return { before, after, changes, restarts }
}

/** The default stands for the default, the others for those of their name. */
const twinOf = (stream: StreamRow, at: number, streams: readonly StreamRow[]): StreamRow | undefined =>
  at === 0 ? streams[0] : streams.slice(1).find(({ name }) => name.toLowerCase() === stream.name.toLowerCase())

const tagsText = ({ tags }: DeviceRow): string | null =>
  Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join('; ') || null

const streamsOf = async (trx: Trx, { scope }: Ctx, device: DeviceRow) =>
  (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? []

/** @throws 400 where it cannot be read any more, whichever cameras it was for */
function storedPassword({ uid, password }: DeviceRow, { app: { secrets } }: Ctx): string | null {
  if (password === null) return null
  try {
    return secrets.open(password, passwordPlace(uid))
  } catch {
    // Sealed with another key, or changed: typing it again is what helps.
    throw passwordRefused('credentials_unreadable')
  }
}

const passwordRefused = (code: string) => new Refusal(400, 'Error in inputs', { code, errors: { password: [code] } })

/**
 * The password that the other camera gets, undefined where neither has one: the typed one, or the stored one where the
 * other camera is at the same host. It is new to it in any case: whether it has it already is nobody's to try out, neither
 * by typing here nor by a camera made for that. So what is stored there need not be readable either.
 * @throws 400 where the stored one would go to another host
 */
function passwordFor({ device, streams, password, isTyped }: From, to: DeviceRow, others: readonly StreamRow[]) {
  if (password === null && to.password === null) return undefined
  if (password !== null && !isTyped && !isHome(homeOf(to, others), homeOf(device, streams)))
    throw passwordRefused('password_again')
  return password
}
