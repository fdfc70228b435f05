import type { site as contract, Receive, Reply } from '@sightline/contract'
import { sql } from 'kysely'
import { assign, tellAssigned, unassign } from '../assignment.ts'
import { changed } from '../bus.ts'
import { lockCustomer } from '../customer/store.ts'
import type { Trx } from '../db/database.ts'
import { describeDevices, deviceRows, pageOfDevices } from '../device/store.ts'
import { siteFigures } from '../event/store.ts'
import { eraseFacesOf, raiseFaces } from '../face/store.ts'
import { findPlace } from '../geo/store.ts'
import { type Ctx, type Handlers, reply } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { pageOf } from '../page.ts'
import { eachByItself, invalid, notFound, Refusal, refuseStale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { changeOf } from '../trace.ts'
import { newUid } from '../uid.ts'
import { claimImage } from '../upload/store.ts'
import { findUser } from '../user/store.ts'
import { changeRule, readRule, ruleEntity, signsOf } from './health.ts'
import {
  describeSite,
  describeSites,
  findSite,
  hasDevices,
  lockSite,
  pageOfSites,
  placesOfSites,
  readSite,
  readSites,
} from './store.ts'

type Draft = Receive<typeof contract.create>
type ImportedRow = Reply<typeof contract.import>['rows'][number]

/** So long the geocoder is asked for the sites of one call; the rest are not on the map yet. */
const mostAskedMs = 10_000

export const site: Handlers<'site'> = {
  async create(draft, ctx) {
    const { app, scope } = ctx
    const { row, entity } = await app.db.as(scope, async (trx) => {
      const row = await createSite(trx, scope, draft)
      return { row, entity: await describeSite(trx, scope, app.links, row.uid) }
    })
    tell(ctx, row)
    return entity
  },

  async import({ sites }, ctx) {
    const { app, scope, note } = ctx
    const end = performance.now() + mostAskedMs
    let isBusy = false
    const rows = await eachByItself<[number, Draft], ImportedRow>(
      sites.entries(),
      async ([row, given]) => {
        const mayAsk = !isBusy && performance.now() < end
        const placed = mayAsk ? await placedByAddress(app, scope, given) : given
        // Whoever keeps it busy, these sites do not wait for it.
        isBusy ||= placed === null
        const draft = placed ?? given
        const made = await app.db.as(scope, (trx) => createSite(trx, scope, draft))
        tell(ctx, made)
        const is_placed = draft.site_address.lat !== null
        return { row, outcome: 'created', site_id: made.uid, is_placed, errors: {}, error_code: null }
      },
      ([row], { errors = {}, code = null }) => ({
        ...{ row, outcome: 'failed', site_id: null, is_placed: false },
        ...{ errors, error_code: code },
      }),
    )
    const made = rows.flatMap(({ row, site_id }) => (site_id ? [{ site_id, site_name: sites[row]?.site_name }] : []))
    note({ after: { sites: made } })
    return { rows }
  },

  list: ({ limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, async (trx) => {
      const { rows, counted } = await pageOfSites(trx, scope, filter, { limit, offset })
      return reply(await describeSites(trx, scope, app.links, rows), { page: pageOf({ limit, offset }, counted) })
    }),

  map: (filter, { app, scope }) => app.db.read(scope, (trx) => placesOfSites(trx, scope, app.links, filter)),

  get: ({ site_id }, { app, scope }) =>
    app.db.as(scope, async (trx) => {
      const entity = await describeSite(trx, scope, app.links, site_id)
      const cameras = await deviceRows(trx, scope, { siteUids: [site_id] })
      return { ...entity, site_devices: await describeDevices(trx, scope, app, cameras) }
    }),

  async update({ site_id, site_name, site_address, site_image, version, ...change }, ctx) {
    const { app, scope, note } = ctx
    const { stored, after, nimbles } = await app.db.as(scope, async (trx) => {
      // Edge servers before the site, as everybody waits for them.
      const seen = await readSite(trx, scope, site_id)
      const isTurned = change.faces_allowed !== undefined && change.faces_allowed !== seen.faces_allowed
      const nimbles = isTurned ? await raiseFaces(trx, { tenant_id: seen.tenant_id, site_id: seen.id }) : []
      const stored = await lockSite(trx, scope, site_id)
      // Somebody else may have turned it between the two: then nobody was told, and the caller looks again.
      refuseStale(stored, change.faces_allowed === undefined ? version : (version ?? seen.version))
      refuseUnannounced({ ...stored, ...change })
      const before = await describeSite(trx, scope, app.links, site_id)
      if (site_image !== stored.image) {
        await claimImage(trx, scope, 'site_image', site_image, { tenant_id: stored.tenant_id, site_id: stored.id })
      }
      await trx
        .updateTable('site')
        .set({
          ...change,
          ...(change.faces_allowed && !stored.faces_allowed ? allowedNow(scope) : {}),
          name: site_name ?? sql`name`,
          image: site_image,
          ...(site_address ? { address: JSON.stringify(site_address) } : {}),
        })
        .where('tenant_id', '=', stored.tenant_id)
        .where('id', '=', stored.id)
        .execute()
      const after = await describeSite(trx, scope, app.links, site_id)
      note(changeOf(before, after))
      return { stored, after, nimbles }
    })
    for (const uid of nimbles) app.links.reconfigure(uid)
    tell(ctx, stored)
    return after
  },

  async delete({ site_id }, ctx) {
    const { app, scope, note } = ctx
    // As owner: who was known here is forgotten in the events of cameras that have moved away, too.
    const row = await app.db.owner(async (trx) => {
      const stored = await lockSite(trx, scope, site_id)
      if (await hasDevices(trx, stored))
        throw new Refusal(409, 'A site that has devices cannot be deleted.', { code: 'site_has_devices' })
      await eraseFacesOf(trx, app.env, stored)
      await trx.deleteFrom('site').where('tenant_id', '=', stored.tenant_id).where('id', '=', stored.id).execute()
      return stored
    })
    note({ object_name: row.name })
    tell(ctx, row)
    return { site_id }
  },

  view: ({ site_id }, { app, scope }) =>
    app.db.read(scope, async (trx) => ({
      site: await describeSite(trx, scope, app.links, site_id),
      usecases: await siteFigures(trx, scope, site_id),
    })),

  health: ({ site_id, limit, offset, health }, { app, scope }) =>
    app.db.as(scope, async (trx) => {
      const site = await describeSite(trx, scope, app.links, site_id)
      const { rows, count } = await pageOfDevices(trx, scope, app.links, { site_id, health }, { limit, offset })
      const rule = ruleEntity(await readRule(trx, await findSite(trx, scope, site_id)), site_id)
      const answer = {
        site_id,
        site_health: site.site_health,
        rule,
        devices: await signsOf(trx, scope, app.links, rows),
      }
      return reply(answer, { page: pageOf({ limit, offset }, await count()) })
    }),

  async healthRule({ site_id, version, ...change }, ctx) {
    const { app, scope, note } = ctx
    const { site, before, after } = await app.db.as(scope, async (trx) => {
      const site = await lockSite(trx, scope, site_id)
      const before = await readRule(trx, site)
      refuseStale(before, version)
      return { site, before, after: await changeRule(trx, site, change) }
    })
    note({ object_name: site.name, ...changeOf(ruleEntity(before, site_id), ruleEntity(after, site_id)) })
    tell(ctx, site)
    return ruleEntity(after, site_id)
  },

  async assign({ user_id, site_id }, { app, scope, note }) {
    const { person, result } = await app.db.as(scope, async (trx) => {
      const person = await findUser(trx, scope, user_id)
      return { person, result: await assign(trx, 'user_site', person, await readSites(trx, scope, site_id)) }
    })
    note({ object_name: person.username })
    tellAssigned(app, person, 'site')
    return result
  },

  async unassign({ user_id, site_id }, { app, scope, note }) {
    const { person, result } = await app.db.as(scope, async (trx) => {
      const person = await findUser(trx, scope, user_id)
      return { person, result: await unassign(trx, 'user_site', person, await readSites(trx, scope, site_id)) }
    })
    note({ object_name: person.username })
    tellAssigned(app, person, 'site')
    return result
  },
}

type Stored = { tenant_id: number; id: number; uid: string }
const tell = ({ app }: Ctx, { tenant_id, id, uid }: Stored) =>
  app.bus.publish(changed({ tenant_id, site_id: id }, 'site', uid))

/**
 * With the position of its address, where the draft has none and the geocoder knows it. The middle of the country, which
 * a form shows until somebody sets the pin, is no position of a site that nobody looks at. Null: the geocoder is busy.
 */
async function placedByAddress(app: Services, scope: Scope, draft: Draft): Promise<Draft | null> {
  const { lat, site_country: country, site_zip: zip, site_city: city } = draft.site_address
  if (lat !== null || country === '' || (zip === '' && city === '')) return draft
  try {
    const found = await findPlace(app, { country, zip, city }, scope.principal.tenantId)
    return found ? { ...draft, site_address: { ...draft.site_address, lat: found.lat, long: found.long } } : draft
  } catch (error) {
    if (error instanceof Refusal && error.code === 'busy') return null
    throw error
  }
}

/** @throws 400 for what the draft gets wrong, 404 for a customer out of reach */
async function createSite(trx: Trx, scope: Scope, draft: Draft): Promise<Stored> {
  refuseUnannounced(draft)
  const { tenant_id, id: customer_id } = await lockCustomer(trx, scope, draft.customer_id)
  if (draft.organization_id && tenant_id !== (await targetTenant(trx, scope, draft.organization_id))) throw notFound()
  const { id, uid } = await trx
    .insertInto('site')
    .values({
      tenant_id,
      uid: newUid(),
      customer_id,
      name: draft.site_name,
      address: JSON.stringify(draft.site_address),
      image: draft.site_image,
      faces_allowed: draft.faces_allowed,
      faces_notice: draft.faces_notice,
      faces_days: draft.faces_days,
      ...(draft.faces_allowed ? allowedNow(scope) : { faces_allowed_by: null, faces_allowed_at: null }),
    })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  await trx.insertInto('health_rule').values({ tenant_id, site_id: id }).execute()
  await claimImage(trx, scope, 'site_image', draft.site_image, { tenant_id, site_id: id })
  return { tenant_id, id, uid }
}

/** Faces are compared only where people are told so. @throws 400 */
function refuseUnannounced({ faces_allowed, faces_notice }: { faces_allowed: boolean; faces_notice: string }): void {
  if (faces_allowed && faces_notice.trim() === '') throw invalid({ faces_notice: ['required'] })
}

const allowedNow = ({ principal }: Scope) => ({
  faces_allowed_by: sql<string>`(select username from app_user
    where tenant_id = ${principal.tenantId} and id = ${principal.userId})`,
  faces_allowed_at: new Date(),
})
