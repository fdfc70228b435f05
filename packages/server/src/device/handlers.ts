import type { Device } from '@sightline/contract'
import { changed } from '../bus.ts'
import { channelRows, channelStatus } from '../channel/store.ts'
import { findCustomer } from '../customer/store.ts'
import type { Trx } from '../db/database.ts'
import { channelFigures } from '../event/store.ts'
import { mediaUrl } from '../media/store.ts'
import { type Ctx, type Handlers, reply } from '../mount.ts'
import { healthHistory, isReachable, nimbleStatuses, raiseDesired, readNimble, unreachable } from '../nimble/store.ts'
import { joinAsWritten, pageOf } from '../page.ts'
import { notFound, Refusal, stale } from '../refusal.ts'
import { findSite } from '../site/store.ts'
import { deviceSource, sourcesOfDevices, touchSources } from '../source/store.ts'
import { anyStill } from '../still.ts'
import { changeOf } from '../trace.ts'
import { copyDevice } from './copy.ts'
import { createDevices, isDemo } from './create.ts'
import { checkRange, discover } from './discover.ts'
import { importDevices } from './import.ts'
import { moveDevice, moveDevices, moveToSite } from './move.ts'
import { probe } from './probe.ts'
import {
  type DeviceRow,
  deleteDevice,
  describeDevices,
  deviceRows,
  homeOf,
  lockDevice,
  openerOf,
  pageOfDevices,
  passwordToStore,
  readDevice,
  updateDevice,
} from './store.ts'
import { nextStreams, putStreams } from './streams.ts'
import { tagDevices } from './tag.ts'

export const device: Handlers<'device'> = {
  async create(input, ctx) {
    const { app, scope } = ctx
    const drafts = Array.isArray(input) ? input : [input]
    const fieldOf = (i: number, field: string) => (Array.isArray(input) ? `${i}.${field}` : field)
    const { rows, entities } = await app.db.as(scope, async (trx) => {
      const uids = await createDevices(trx, scope, app, drafts, fieldOf)
      const rows = await deviceRows(trx, scope, { uids })
      rows.sort((a, b) => uids.indexOf(a.uid) - uids.indexOf(b.uid))
      return { rows, entities: await describeDevices(trx, scope, app, rows) }
    })
    for (const row of rows) tell(ctx, row)
    const [first] = entities
    if (!first) throw notFound()
    return Array.isArray(input) ? entities : first
  },

  import: importDevices,
  copy: copyDevice,
  move: moveDevices,
  tag: tagDevices,

  async discover({ nimble_id, timeout, range, interfaces }, { app, scope, principal }) {
    if (range !== undefined) checkRange(range)
    const nimble = await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id))
    if (!isReachable(app.links, { nimble_uid: nimble.uid, link_state: nimble.link_state })) throw unreachable()
    const search = { seconds: timeout, ...(range && { range }), ...(interfaces && { interfaces }) }
    const job_id = await app.jobs.run(principal, 'device.discover', { nimble_id, ...search }, (job) =>
      discover(app, nimble, search, job),
    )
    return { job_id }
  },

  probe,

  list: ({ limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, async (trx) => {
      if (filter.site_id !== undefined) await findSite(trx, scope, filter.site_id)
      if (filter.customer_id !== undefined) await findCustomer(trx, scope, filter.customer_id)
      if (filter.nimble_id !== undefined) await readNimble(trx, scope, filter.nimble_id)
      const asWritten = joinAsWritten(trx)
      const { rows, count } = await pageOfDevices(asWritten, scope, app.links, filter, { limit, offset })
      const [entities, counted] = await Promise.all([describeDevices(asWritten, scope, app, rows), count()])
      return reply(entities, { page: pageOf({ limit, offset }, counted) })
    }),

  get: ({ device_id }, ctx) =>
    ctx.app.db.read(ctx.scope, async (trx) => described(trx, ctx, await readDevice(trx, ctx.scope, device_id))),

  async update(
    { device_id, device_name, nimble_id, site_id, UUID, device_tags, device_source, version, ...change },
    ctx,
  ) {
    const { app, scope } = ctx
    const { before, row, moved, entity } = await app.db.as(scope, async (trx) => {
      const before = await lockDevice(trx, scope, device_id)
      if (version !== undefined && version !== before.version) throw stale()
      const target = nimble_id === undefined ? null : await readNimble(trx, scope, nimble_id)
      const streams = (await sourcesOfDevices(trx, scope, [before])).get(before.id) ?? []
      const wanted = { stream_address: change.stream_address, device_source }
      const next = nextStreams(app, streams, wanted, target ?? openerOf(before))
      const addresses = next.map(({ address }) => address)
      const password = passwordToStore(app, before, change.password, homeOf(before, streams), addresses)
      await putStreams(trx, before, streams, next)
      const address = next.find(({ row }) => row !== null && row === streams[0])?.address ?? before.stream_address
      // First: it waits for both edge servers in their order.
      if (target) await moveDevice(trx, before, target)
      const site = site_id === undefined ? undefined : await moveToSite(trx, scope, before, site_id)
      await updateDevice(trx, before, {
        site_id: site,
        name: device_name,
        endpoint_uuid: UUID,
        stream_address: address,
        stream_type: change.stream_type,
        username: change.username === '' ? null : change.username,
        password,
        onvif_port: change.onvif_port,
        tags: device_tags && JSON.stringify(device_tags),
        // Asked of a new address alone: one that is simulated is known as such only while it runs.
        is_demo: address === before.stream_address ? undefined : isDemo(app, address),
      })
      await touchSources(trx, before)
      await raiseDesired(trx, before)
      const row = await readDevice(trx, scope, device_id)
      const moved = before.site_id === row.site_id ? [] : await channelRows(trx, scope, { deviceUids: [device_id] })
      return { before, row, moved, entity: await described(trx, ctx, row) }
    })
    // Where it was and where it is; whoever remembers the site of a channel looks again.
    for (const channel of moved)
      for (const { site_id } of [before, row]) app.bus.publish(changed({ ...channel, site_id }, 'channel', channel.uid))
    if (before.site_id !== row.site_id) app.bus.publish(changed(before, 'device', row.uid))
    if (before.nimble_uid !== row.nimble_uid) app.links.reconfigure(before.nimble_uid)
    tell(ctx, row)
    // What it became stands in what was sent, with its password masked.
    ctx.note({ before: changeOf(edited(before), edited(row)).before })
    return entity
  },

  async delete({ device_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const before = await lockDevice(trx, scope, device_id)
      const channels = await channelRows(trx, scope, { deviceUids: [device_id] })
      if (channels.length > 0) throw hasChannels(channels.map((channel) => channel.name))
      await deleteDevice(trx, before)
      await raiseDesired(trx, before)
      return before
    })
    tell(ctx, row)
    return { device_id }
  },

  async view({ device_id }, ctx) {
    const { app, scope, principal } = ctx
    const { row, source, ...answer } = await app.db.read(scope, async (trx) => {
      const row = await readDevice(trx, scope, device_id)
      const device = await described(trx, ctx, row)
      const sources = (await sourcesOfDevices(trx, scope, [row])).get(row.id) ?? []
      const channels = await channelRows(trx, scope, { deviceUids: [device_id] })
      const uids = channels.map((channel) => channel.uid)
      const stats = new Map((await channelFigures(trx, scope, uids)).map((one) => [one.channel_id, one]))
      const now = Date.now()
      const status = new Map(channels.map((channel) => [channel.uid, channelStatus(channel, app.links, now)]))
      const nimble = await readNimble(trx, scope, row.nimble_uid)
      const state = (await nimbleStatuses(trx, app.links, [nimble])).get(nimble.id)?.state ?? 'new'
      return {
        row,
        source: sources.find((one) => one.is_default),
        device,
        sources: sources.map((row) => ({
          ...deviceSource(row),
          resolution: row.width && row.height ? `${row.width}x${row.height}` : null,
        })),
        channels: device.source_channels.flatMap((channel) => {
          const [figures, standing] = [stats.get(channel.channel_id), status.get(channel.channel_id)]
          return figures && standing ? [{ ...channel, stats: figures, status: standing }] : []
        }),
        nimble: { nimble_id: nimble.uid, name: nimble.name, state },
        health: await healthHistory(trx, row),
      }
    })
    const camera = source && { ...row, device_id: row.id, source_uid: source.uid }
    // A camera that is away would only make everybody wait.
    const isThere = camera && answer.device.device_health === 'healthy'
    const still = isThere ? await anyStill(app, camera, stillMs, principal.userId) : row.snapshot_uid
    return { ...answer, snapshot_url: still === null ? null : mediaUrl(app.env, still) }
  },
}

/** The still of a camera's page is at most so old. */
const stillMs = 60_000

/** One device as the API shows it. */
async function described(trx: Trx, { app, scope }: Ctx, row: DeviceRow): Promise<Device> {
  const [entity] = await describeDevices(trx, scope, app, [row])
  if (!entity) throw notFound()
  return entity
}

const hasChannels = (names: string[]) =>
  new Refusal(406, 'device has active channels', {
    code: 'device_has_channels',
    errors: { channels: names },
    args: { count: names.length, channels: names.join(', ') },
  })

function tell({ app, note }: Ctx, row: DeviceRow): void {
  app.links.reconfigure(row.nimble_uid)
  app.bus.publish(changed(row, 'device', row.uid))
  note({ object_id: row.uid, object_name: row.name })
}

/** What people change of a device, as they call it. */
const edited = (row: DeviceRow) => ({
  device_name: row.name,
  site_id: row.site_uid,
  nimble_id: row.nimble_uid,
  UUID: row.endpoint_uuid,
  stream_address: row.stream_address,
  stream_type: row.stream_type,
  username: row.username,
  onvif_port: row.onvif_port,
  device_tags: row.tags,
})
