import type { AddressInfo } from 'node:net'
import { canonicalHost, type Nimble, type NimbleConfiguration } from '@sightline/contract'
import { fingerprintOf } from '@sightline/contract/key'
import { isLoopbackHost, licenseRefusal, may, readPeriod } from '@sightline/domain'
import { changed } from '../bus.ts'
import { isAllowedHost, ownIps } from '../camera-address.ts'
import type { Trx } from '../db/database.ts'
import { type Env, ownOrigins } from '../env.ts'
import { claimChannels, readLicense, termsOf } from '../license/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { forbidden, invalid, notFound, Refusal, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { changeOf } from '../trace.ts'
import { newUid } from '../uid.ts'
import { renewEnrolToken } from './enrol.ts'
import { nimbleStats } from './stats.ts'
import {
  countDependents,
  deleteNimble,
  insertNimble,
  isReachable,
  listNimbles,
  lockNimble,
  type NimbleRow,
  nimbleEntity,
  nimbleStatuses,
  readNimble,
  unreachable,
  updateNimble,
  usecasesOf,
} from './store.ts'
import { nimbleSync } from './sync.ts'

export const nimble: Handlers<'nimble'> = {
  async create({ organization_id, license_id, pipelines, sinks, sources, ...draft }, ctx) {
    const { app, scope } = ctx
    const place = placeOf(app.env, draft)
    const row = await app.db.as(scope, async (trx) => {
      const tenant_id = await targetTenant(trx, scope, organization_id)
      const license = await usableLicense(trx, scope, tenant_id, license_id)
      const uid = newUid()
      await insertNimble(trx, {
        ...draft,
        ...place,
        tenant_id,
        uid,
        license_id: license.id,
        ...json({ pipelines, sinks, sources }),
      })
      return readNimble(trx, scope, uid)
    })
    tell(ctx, row)
    return nimbleEntity(row)
  },

  async list({ is_status }, { app, scope }) {
    const { rows, statuses } = await app.db.read(scope, async (trx) => {
      const rows = await listNimbles(trx, scope)
      return { rows, statuses: is_status ? await nimbleStatuses(trx, app.links, rows) : null }
    })
    // The text that clients know as "nothing is configured yet".
    if (rows.length === 0) throw new Refusal(404, 'mongo: no documents in result', { code: 'no_nimble' })
    return Promise.all(rows.map(async (row) => ({ ...(await nimbleEntity(row)), status: statuses?.get(row.id) })))
  },

  async update({ nimble_id, version, trust_key, license_id, pipelines, sinks, sources, ...change }, ctx) {
    const { app, scope } = ctx
    const { before, row } = await app.db.as(scope, async (trx) => {
      const before = await (license_id || trust_key !== undefined ? lockNimble : readNimble)(trx, scope, nimble_id)
      const place = placeOf(app.env, change, before)
      if (trust_key !== undefined) await refuseOtherKey(before, trust_key)
      const rebinds = license_id !== undefined && license_id !== before.license_uid
      if (rebinds && !may(scope.principal.role, 'super_admin_only')) throw forbidden()
      await updateNimble(
        trx,
        before,
        {
          ...change,
          ...place,
          ...json({ pipelines, sinks, sources }),
          ...(rebinds && { license_id: await claimedLicense(trx, scope, before, license_id) }),
          ...(trust_key !== undefined && { public_key: before.offered_key, offered_key: null, key_state: 'pinned' }),
        },
        version,
      )
      return { before, row: await readNimble(trx, scope, nimble_id) }
    })
    return told(ctx, before, row)
  },

  override: ({ nimble_id, configuration, version }, ctx) => override(ctx, nimble_id, configuration, version),

  sync: ({ nimble_id }, { app, scope }) => app.db.as(scope, (trx) => nimbleSync(trx, scope, app.links, nimble_id)),

  async resend({ nimble_id }, { app, scope, note }) {
    const row = await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id))
    if (!isReachable(app.links, { nimble_uid: row.uid, link_state: row.link_state })) throw unreachable()
    app.links.reconfigure(row.uid)
    note({ object_id: row.uid, object_name: row.name })
    return app.db.as(scope, (trx) => nimbleSync(trx, scope, app.links, nimble_id))
  },

  async retry({ nimble_id }, { app, scope, note }) {
    const row = await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id))
    app.links.reconfigure(row.uid)
    note({ object_id: row.uid, object_name: row.name })
    return readStatus(app, scope, nimble_id)
  },

  async get({ nimble_id }, { app, scope }) {
    return nimbleEntity(await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id)))
  },

  status: ({ nimble_id }, { app, scope }) => readStatus(app, scope, nimble_id),

  async delete({ nimble_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const before = await readNimble(trx, scope, nimble_id)
      const { channels, devices } = await countDependents(trx, before)
      if (channels > 0)
        throw new Refusal(409, 'There are active channels deployed at this nimble service.', {
          code: 'nimble_has_channels',
          args: { count: channels },
        })
      if (devices > 0)
        throw new Refusal(409, 'There are cameras at this edge server.', {
          code: 'nimble_has_devices',
          args: { count: devices },
        })
      await deleteNimble(trx, before)
      return before
    })
    tell(ctx, row)
    return { nimble_id }
  },

  async stats({ nimble_id, start, end }, { app, scope }) {
    const period = readPeriod(start, end, Date.now())
    if ('errors' in period) throw invalid(period.errors)
    return app.db.as(scope, async (trx) => {
      const row = await readNimble(trx, scope, nimble_id)
      return { nimble_id, ...(await nimbleStats(trx, row, period)) }
    })
  },

  async license({ nimble_id, license_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      // Before the licence, as everybody waits: no channel comes to it while it is counted what its channels need.
      const before = await lockNimble(trx, scope, nimble_id)
      await updateNimble(trx, before, { license_id: await claimedLicense(trx, scope, before, license_id) })
      return readNimble(trx, scope, nimble_id)
    })
    tell(ctx, row)
    return nimbleEntity(row)
  },

  async enrol({ nimble_id }, { app, scope, note, request }) {
    const row = await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id))
    if (row.is_local) throw invalid({ nimble_id: ['nimble_is_local'] })
    const { token, expiresAt } = await app.db.instance((trx) => renewEnrolToken(trx, row))
    const { port } = (request.server.server.address() as AddressInfo | null) ?? app.env
    note({ object_id: row.uid, object_name: row.name })
    return {
      nimble_id,
      token,
      command: `npm run nimble -- enrol ${ownOrigins(app.env, port)[0]} ${token}`,
      expires_at: expiresAt.toISOString(),
    }
  },

  async test({ address, port }, { app }) {
    checkAddress(app.env, address, port)
    return app.links.test(address, port)
  },
}

const readStatus = (app: Services, scope: Scope, uid: string) =>
  app.db.as(scope, async (trx) => {
    const row = await readNimble(trx, scope, uid)
    const status = (await nimbleStatuses(trx, app.links, [row])).get(row.id)
    if (!status) throw notFound()
    return status
  })

/** Replaces all that is configured of an edge server. Its licence, key and channels stay. */
export async function override(
  ctx: Ctx,
  nimbleUid: string,
  { pipelines, sinks, sources, ...fields }: NimbleConfiguration,
  version: number | undefined,
): Promise<Nimble> {
  const { app, scope } = ctx
  const { before, row } = await app.db.as(scope, async (trx) => {
    const before = await readNimble(trx, scope, nimbleUid)
    const place = placeOf(app.env, fields, before)
    await updateNimble(trx, before, { ...fields, ...place, ...json({ pipelines, sinks, sources }) }, version)
    return { before, row: await readNimble(trx, scope, nimbleUid) }
  })
  return told(ctx, before, row)
}

/** Tells of a change, with what differs. */
async function told(ctx: Ctx, before: NimbleRow, row: NimbleRow): Promise<Nimble> {
  const [was, is] = await Promise.all([nimbleEntity(before), nimbleEntity(row)])
  tell(ctx, row)
  ctx.note(changeOf(was, is))
  return is
}

/** A licence of the same organization that takes at least one more channel. @throws 404, or 400 with the reason */
async function usableLicense(trx: Trx, scope: Scope, tenantId: number, uid: string) {
  const license = await readLicense(trx, scope, uid)
  if (license.tenant_id !== tenantId) throw notFound()
  const why = licenseRefusal(termsOf(license, license.channels_used), [], Date.now())
  if (why) throw invalid({ license_id: [why.code] })
  return license
}

/** The id of a licence that takes what an edge server runs. @throws 404, 400 or 409 with the reason */
async function claimedLicense(trx: Trx, scope: Scope, { tenant_id, id, license_id }: NimbleRow, uid: string) {
  const license = await usableLicense(trx, scope, tenant_id, uid)
  if (license.id !== license_id) {
    const wanted = await usecasesOf(trx, { tenant_id, id })
    await claimChannels(trx, { tenant_id, license_id: license.id }, wanted, new Date())
  }
  return license.id
}

/** Somebody compared one key; by now the address may show another's. @throws 412 */
async function refuseOtherKey({ offered_key }: NimbleRow, fingerprint: string): Promise<void> {
  if (offered_key === null) throw stale()
  if ((await fingerprintOf(offered_key)) !== fingerprint)
    throw new Refusal(412, 'The edge server shows another key by now.', { code: 'other_key' })
}

type Place = Partial<Pick<Nimble, 'mode' | 'address' | 'port'>>

/** Where it is dialled, checked when it is new; nowhere when it dials us. The one beside the portal stays dialled. */
function placeOf(env: Env, wanted: Place, before?: NimbleRow): Pick<NimbleRow, 'mode' | 'address' | 'port'> {
  const mode = wanted.mode ?? before?.mode ?? 'dial'
  if (mode === 'enrolled') {
    if (before?.is_local) throw invalid({ mode: ['nimble_is_local'] })
    return { mode, address: null, port: null }
  }
  const address = wanted.address ?? before?.address
  const port = wanted.port ?? before?.port
  if (address == null || port == null)
    throw invalid({ ...(address == null && { address: ['required'] }), ...(port == null && { port: ['required'] }) })
  if (address !== before?.address || port !== before?.port) checkAddress(env, address, port)
  return { mode, address, port }
}

/** Edge servers live on private networks; of this machine, only the one that the start command runs is one. */
function checkAddress(env: Env, address: string, port: number): void {
  const host = hostOf(address)
  if (host === null) throw invalid({ address: ['host_invalid'] })
  const isLocal = isLoopbackHost(host) && port === env.localNimblePort
  if (!isLocal && !isAllowedHost(host)) throw invalid({ address: ['address_refused'] })
  if (isPortal(env, host, port)) throw invalid({ address: ['address_of_portal'] })
}

/** As a resolver reads it; IPv6 with or without brackets. */
const hostOf = (address: string) =>
  canonicalHost(address.includes(':') ? `[${address.replace(/^\[|\]$/g, '')}]` : address)

/** Whether the portal itself answers there: at its public address, or at one of this machine's where it listens. */
export function isPortal(
  { publicUrl, host: listening, port: own }: Pick<Env, 'publicUrl' | 'host' | 'port'>,
  host: string,
  port: number,
  ips: readonly string[] = ownIps(),
): boolean {
  const known = publicUrl === null ? null : new URL(publicUrl)
  if (known && host === canonicalHost(known.hostname) && port === (Number(known.port) || 443)) return true
  const isEverywhere = listening === '0.0.0.0' || listening === '::'
  return port === own && (isEverywhere ? ips.includes(host) : host === hostOf(listening))
}

/** jsonb columns as the driver takes them; what is absent stays absent. */
const json = (columns: Record<'pipelines' | 'sinks' | 'sources', unknown>) =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([key, value]) => (value === undefined ? [] : [[key, JSON.stringify(value)]])),
  )

function tell({ app, note }: Ctx, row: NimbleRow): void {
  app.links.reload()
  app.bus.publish(changed(row, 'nimble', row.uid))
  note({ object_id: row.uid, object_name: row.name })
}
