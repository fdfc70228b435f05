import type { AddressInfo } from 'node:net'
import type { Nimble, NimbleConfiguration } from '@sightline/contract'
import { isLoopbackHost, licenseRefusal, readPeriod } from '@sightline/domain'
import { changed } from '../bus.ts'
import { canonicalHost, isAllowedHost } from '../camera-address.ts'
import type { Trx } from '../db/database.ts'
import { type Env, ownOrigins } from '../env.ts'
import { claimChannels, readLicense, termsOf } from '../license/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { invalid, notFound, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
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

  async update({ nimble_id, version, trust_key, pipelines, sinks, sources, ...change }, ctx) {
    const { app, scope } = ctx
    const { before, row } = await app.db.as(scope, async (trx) => {
      const before = await readNimble(trx, scope, nimble_id)
      const place = placeOf(app.env, change, before)
      const trusted = trust_key && before.offered_key !== null
      await updateNimble(
        trx,
        before,
        {
          ...change,
          ...place,
          ...json({ pipelines, sinks, sources }),
          ...(trusted && { public_key: before.offered_key, offered_key: null, key_state: 'pinned' }),
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

  async get({ nimble_id }, { app, scope }) {
    return nimbleEntity(await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id)))
  },

  async status({ nimble_id }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      const row = await readNimble(trx, scope, nimble_id)
      const status = (await nimbleStatuses(trx, app.links, [row])).get(row.id)
      if (!status) throw notFound()
      return status
    })
  },

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
      const before = await readNimble(trx, scope, nimble_id)
      const license = await usableLicense(trx, scope, before.tenant_id, license_id)
      const claimant = { tenant_id: before.tenant_id, license_id: license.id }
      if (license.id !== before.license_id)
        await claimChannels(trx, claimant, await usecasesOf(trx, before), new Date())
      await updateNimble(trx, before, { license_id: license.id })
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
  const host = canonicalHost(address.includes(':') ? `[${address.replace(/^\[|\]$/g, '')}]` : address)
  if (host === null) throw invalid({ address: ['host_invalid'] })
  const isLocal = isLoopbackHost(host) && port === env.localNimblePort
  if (!isLocal && !isAllowedHost(host)) throw invalid({ address: ['address_refused'] })
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
