import { countsOccupancy, type ZoneKind } from '@sightline/domain'
import { assign, tellAssigned, unassign } from '../assignment.ts'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import { readDevice } from '../device/store.ts'
import { channelFigures } from '../event/store.ts'
import { mediaUrl } from '../media/store.ts'
import { type Ctx, type Handlers, reply } from '../mount.ts'
import { isReachable, raiseDesired, readNimble, unreachable } from '../nimble/store.ts'
import { joinAsWritten, type Paging, pageOf } from '../page.ts'
import { dropWithChannel } from '../pipeline/store.ts'
import { Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { findSite, readSite } from '../site/store.ts'
import { sourcesOfDevices } from '../source/store.ts'
import { anyStill, forgetStills, paintMasks, takeStill } from '../still.ts'
import { changeOf, writeTrace } from '../trace.ts'
import { findUser } from '../user/store.ts'
import { changeChannel, lockChannel } from './change.ts'
import { copyChannel } from './copy.ts'
import { createChannel } from './create.ts'
import { refactorChannel } from './refactor.ts'
import { revive } from './revive.ts'
import {
  type ChannelFilter,
  type ChannelRow,
  channelGone,
  channelRows,
  channelStatus,
  deleteChannel,
  describeChannels,
  forgetDeleted,
  forgetView,
  listChannels,
  type PageFilter,
  pageOfChannels,
  readChannel,
} from './store.ts'
import { troubleshoot } from './trouble.ts'
import { viewOf } from './view.ts'

export const channel: Handlers<'channel'> = {
  async create(draft, ctx) {
    const { app, scope, principal } = ctx
    await renewStillOfDevice(app, scope, draft.device_id, principal.userId)
    const { taken, row, entity } = await app.db.as(scope, async (trx) => {
      const uid = await createChannel(trx, scope, draft)
      const hides = draft.zones.some(isMask)
      const taken = hides ? await forgetStills(trx, app, await readChannel(trx, scope, uid)) : []
      return { taken, ...(await both(trx, ctx, uid)) }
    })
    tell(ctx, row)
    await paintMasks(app, row, taken)
    return entity
  },

  list: ({ limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, async (trx) => {
      const asWritten = joinAsWritten(trx)
      if (filter.site_id !== undefined) await findSite(trx, scope, filter.site_id)
      if (filter.device_id !== undefined) await readDevice(trx, scope, filter.device_id)
      return pageAnswer(asWritten, scope, app, filter, { limit, offset })
    }),

  mine: ({ limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, (trx) => pageAnswer(joinAsWritten(trx), scope, app, filter, { limit, offset })),

  async byNimble({ nimble_id }, ctx) {
    const nimble = await ctx.app.db.as(ctx.scope, (trx) => readNimble(trx, ctx.scope, nimble_id))
    return listed(ctx, { nimbleUid: nimble.uid })
  },

  bySite: ({ site_id }, ctx) => listed(ctx, { siteUid: site_id }),

  stats: ({ channel_id }, { app, scope }) => app.db.as(scope, (trx) => channelFigures(trx, scope, channel_id)),

  async id({ channel_id }, ctx) {
    return (await ctx.app.db.as(ctx.scope, (trx) => both(trx, ctx, channel_id))).entity
  },

  status: ({ channel_id }, { app, scope }) =>
    app.db.as(scope, async (trx) => channelStatus(await readChannel(trx, scope, channel_id), app.links, Date.now())),

  async usecase({ usecase_id, channel_id }, ctx) {
    const { entity } = await ctx.app.db.as(ctx.scope, (trx) => both(trx, ctx, channel_id))
    if (entity.usecase_id !== usecase_id) throw channelGone()
    return entity
  },

  async update({ channel_id, ...change }, ctx) {
    const { app, scope, principal } = ctx
    if (change.zones) await renewStill(app, scope, channel_id, principal.userId)
    const { before, taken, row, entity } = await app.db.as(scope, async (trx) => {
      const before = await lockChannel(trx, scope, channel_id)
      // Without a picture the one before goes on to tell whether the camera was turned.
      const reference_uid = change.zones && (before.snapshot_uid ?? undefined)
      const taken = await changeChannel(trx, ctx, before, { ...change, reference_uid })
      if (change.zones) await forgetView(trx, before)
      return { before, taken, ...(await both(trx, ctx, channel_id)) }
    })
    tell(ctx, row)
    // Zones and elements stand in what was sent.
    ctx.note({ before: changeOf(edited(before), edited(row)).before })
    await paintMasks(app, row, taken)
    return entity
  },

  copy: copyChannel,

  async refactor({ dry_run, ...wish }, ctx) {
    const { app, scope, note } = ctx
    const { before, restarts, after, entity } = await app.db.try(scope, { dry_run }, async (trx) => {
      const refactored = await refactorChannel(trx, scope, wish)
      const { row: after, entity } = await both(trx, ctx, wish.channel_id)
      return { ...refactored, after, entity }
    })
    note({ object_id: before.uid, object_name: before.name })
    if (!dry_run) {
      for (const uid of new Set([before.nimble_uid, after.nimble_uid])) app.links.reconfigure(uid)
      for (const row of restarts) app.bus.publish(changed(row, 'channel', row.uid))
      for (const uid of new Set([before.device_uid, after.device_uid])) app.bus.publish(changed(after, 'device', uid))
    }
    return {
      channel: entity,
      restarts: restarts.map((row) => ({ channel_id: row.uid, channel_name: row.name, device_id: row.device_uid })),
    }
  },

  async revive({ channel_id, force }, { app, scope, principal, note }) {
    const row = await app.db.as(scope, (trx) => readChannel(trx, scope, channel_id))
    if (!isReachable(app.links, row)) throw unreachable()
    note({ object_id: row.uid, object_name: row.name })
    return {
      job_id: await app.jobs.run(principal, 'channel.revive', { channel_id }, (job) =>
        revive(app, scope, row, force, job),
      ),
    }
  },

  async setOccupancy({ channel_id, occupancy }, { app, scope, note, request }) {
    const row = await app.db.as(scope, (trx) => readChannel(trx, scope, channel_id))
    if (!countsOccupancy(row.usecase_key))
      throw new Refusal(409, 'This use case counts no occupancy', { code: 'no_occupancy' })
    if (!isReachable(app.links, row)) throw unreachable()
    note({ object_id: row.uid, object_name: row.name })
    const before = await app.links.setOccupancy(row.nimble_uid, row.uid, occupancy).catch(async (error: unknown) => {
      // Without an answer it may be set all the same, and its event names nobody.
      if (error instanceof Refusal && error.status >= 503)
        await writeTrace(app.db, request, { id: 'channel.setOccupancy', result: 'failed', status: error.status })
      throw error
    })
    note({ before: { occupancy: before }, after: { occupancy } })
    return { channel_id, occupancy, before }
  },

  async troubleshoot({ channel_id, force }, { app, scope, principal }) {
    const row = await app.db.as(scope, (trx) => readChannel(trx, scope, channel_id))
    return {
      job_id: await app.jobs.run(principal, 'channel.troubleshoot', { channel_id }, (job) =>
        troubleshoot(app, scope, row, force, job),
      ),
    }
  },

  async assign({ user_id, ...which }, { app, scope, note }) {
    const { owner, result } = await app.db.as(scope, async (trx) => {
      const owner = await findUser(trx, scope, user_id)
      return { owner, result: await assign(trx, 'user_channel', owner, await named(trx, scope, which)) }
    })
    note({ object_name: owner.username })
    tellAssigned(app, owner, 'channel')
    return result
  },

  async unassign({ user_id, ...which }, { app, scope, note }) {
    const { owner, result } = await app.db.as(scope, async (trx) => {
      const owner = await findUser(trx, scope, user_id)
      const channels = await named(trx, scope, which)
      await forgetDeleted(trx, owner)
      return { owner, result: await unassign(trx, 'user_channel', owner, channels) }
    })
    note({ object_name: owner.username })
    tellAssigned(app, owner, 'channel')
    return result
  },

  async delete({ channel_id, force }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const before = await lockChannel(trx, scope, channel_id)
      await raiseDesired(trx, before)
      if (before.auto_recovery)
        throw new Refusal(409, 'Cannot delete Analytic, auto-recovery is enabled', { code: 'auto_recovery_enabled' })
      if (!force && !isReachable(app.links, before)) throw unreachable()
      await deleteChannel(trx, before)
      await dropWithChannel(trx, before)
      return before
    })
    tell(ctx, row)
    return { channel_id }
  },

  async ondemand({ channel_id, kind }, { app, scope, principal }) {
    const row = await app.db.as(scope, (trx) => readChannel(trx, scope, channel_id))
    if (kind === 'live')
      return {
        kind,
        channel_id,
        live_url: `${app.env.apiBase}/live?channel_id=${channel_id}`,
        modes: ['mse', 'mjpeg'],
        expires_at: new Date(Date.now() + liveMs).toISOString(),
      }
    const { uid, at } = await takeStill(app, row, stillMs, principal.userId)
    return {
      kind,
      channel_id,
      snapshot_url: mediaUrl(app.env, uid),
      taken_at: at.toISOString(),
      reference_url: row.reference_uid && mediaUrl(app.env, row.reference_uid),
      view: await viewOf(app, scope, row, uid),
    }
  },
}

/** The picture that zones are drawn on was fetched when the form opened; a still of this age is taken for it. */
const drawnMs = 60_000

/** As `renewStill`, before there is a channel. @throws 404 */
async function renewStillOfDevice(app: Services, scope: Scope, deviceUid: string, userId: number): Promise<void> {
  const { device, source } = await app.db.as(scope, async (trx) => {
    const device = await readDevice(trx, scope, deviceUid)
    const sources = (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? []
    return { device, source: sources[0] }
  })
  if (source) await anyStill(app, { ...device, device_id: device.id, source_uid: source.uid }, drawnMs, userId)
}

/** Makes the newest still of the camera one that zones drawn now were drawn on, unless it gives none. @throws 404 */
async function renewStill(app: Services, scope: Scope, channelUid: string, userId: number): Promise<void> {
  const row = await app.db.as(scope, (trx) => readChannel(trx, scope, channelUid))
  await anyStill(app, row, drawnMs, userId)
}

/** Channels by public id, all of the use case when one is given. @throws 404 */
async function named(
  trx: Trx,
  scope: Scope,
  { channel_id, usecase_id }: { channel_id: string[]; usecase_id?: string | undefined },
) {
  const rows = await channelRows(trx, scope, { channelUids: channel_id, usecaseUid: usecase_id })
  if (rows.length < new Set(channel_id).size) throw channelGone()
  return rows
}

const isMask = ({ kind }: { kind: ZoneKind }): boolean => kind === 'mask'

/** A still asked for is at most so old: people who look at the same moment share one. */
const stillMs = 1000
/** How long a live address may be kept before asking anew; the session and reach are checked at opening in any case. */
const liveMs = 60 * 60_000

async function pageAnswer(trx: Trx, scope: Scope, { links }: Services, filter: PageFilter, paging: Paging) {
  const { rows, counted } = await pageOfChannels(trx, scope, links, filter, paging)
  return reply(await describeChannels(trx, scope, links, rows), { page: pageOf(paging, counted) })
}

/** @throws 404 when the site that was named is out of reach */
const listed = ({ app, scope }: Ctx, filter: ChannelFilter) =>
  app.db.as(scope, async (trx) => {
    joinAsWritten(trx)
    if (filter.siteUid !== undefined) await readSite(trx, scope, filter.siteUid)
    return listChannels(trx, scope, app.links, filter)
  })

function tell({ app, note }: Ctx, row: ChannelRow): void {
  app.links.reconfigure(row.nimble_uid)
  app.bus.publish(changed(row, 'channel', row.uid))
  app.bus.publish(changed(row, 'device', row.device_uid))
  note({ object_id: row.uid, object_name: row.name })
}

/** A channel as it is stored and as it is answered. @throws 404 */
async function both(trx: Trx, { app, scope }: Ctx, uid: string) {
  const row = await readChannel(trx, scope, uid)
  const [entity] = await describeChannels(trx, scope, app.links, [row])
  if (!entity) throw channelGone()
  return { row, entity }
}

/** What people change of the channel itself, as they call it. */
const edited = (row: ChannelRow) => ({
  channel_name: row.name,
  channel_sid: row.sid,
  channel_threshold: row.threshold,
  auto_recovery: row.auto_recovery,
})
