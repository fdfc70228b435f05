import type { Receive, live as rows } from '@sightline/contract'
import { streamToSee } from '@sightline/domain'
import { channelRows, readChannel } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { readDevice } from '../device/store.ts'
import { seesBlurred } from '../media/store.ts'
import type { Handlers } from '../mount.ts'
import { isHeard } from '../nimble/store.ts'
import { seesEveryChannel } from '../reach.ts'
import { invalid, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { sourceReport, sourcesOfDevices } from '../source/store.ts'
import { blurring, viewer } from './viewer.ts'

export const live: Handlers<'live'> = {
  async open(input, { app, scope }, socket) {
    let stream = await findStream(app, scope, input)
    let { principal } = scope
    const seen = blurring(
      viewer(socket, input.mode, stream.channels, () => stream.isFallback),
      () => seesBlurred(principal),
    )
    const join = () => app.links.live(stream.nimbleUid, stream.sourceUid, input.mode, seen)
    let feed = join()
    socket.gone.addEventListener('abort', () => feed.stop())
    if (socket.gone.aborted) feed.stop()
    const lookAgain = socket.recheck(async (now) => {
      principal = now.principal
      const found = await findAgain(app, now, input)
      if (!found || !isSameCamera(found, stream)) return false
      const isOther = found.sourceUid !== stream.sourceUid || found.isFallback !== stream.isFallback
      stream = found
      if (isOther && !socket.gone.aborted) {
        feed.stop()
        feed = join()
      }
      return true
    })
    // Who loses sight of the camera with its site, or of the site with its customer, loses it now and not within a minute.
    const unsubscribe = app.bus.subscribe(({ message, ...of }) => {
      // Its stream may be gone, or back: one that counts as gone by the time that passed is no other state, but another health.
      if (message.type === 'health' && message.device_id === stream.deviceUid) return lookAgain()
      if (message.type !== 'changed') return
      const isIt = message.feature === 'device' && message.id === stream.deviceUid
      if (isIt || (message.feature === 'site' && of.siteId === stream.siteId)) lookAgain()
    })
    socket.gone.addEventListener('abort', unsubscribe)
    if (socket.gone.aborted) unsubscribe()
  },
}

type Input = Receive<typeof rows.open>
/** `channels`: public ids of those whose numbers may be shown; null: all. */
type Stream = {
  nimbleUid: string
  sourceUid: string
  deviceUid: string
  siteId: number
  channels: ReadonlySet<string> | null
  /** It stands in for the one that is meant for looking at. */
  isFallback: boolean
}

/** The stream to show: the one that the channel watches, or of a device the one meant for looking at. @throws 404 */
function findStream(app: Services, scope: Scope, { channel_id, device_id }: Input): Promise<Stream> {
  return app.db.as(scope, async (trx) => {
    if (channel_id !== undefined) {
      const row = await readChannel(trx, scope, channel_id)
      return {
        nimbleUid: row.nimble_uid,
        sourceUid: row.source_uid,
        deviceUid: row.device_uid,
        siteId: row.site_id,
        channels: await channelsSeen(trx, scope, row.device_uid),
        isFallback: false,
      }
    }
    if (device_id === undefined) throw invalid({ channel_id: ['required'] })
    const device = await readDevice(trx, scope, device_id)
    const sources = (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? []
    const streams = sources.map((source) => ({ uid: source.uid, role: source.role, report: sourceReport(source) }))
    const seen = streamToSee(streams, isHeard(app.links, device))
    if (!seen) throw new Refusal(404, 'The camera has no stream.', { code: 'no_stream' })
    return {
      nimbleUid: device.nimble_uid,
      sourceUid: seen.stream.uid,
      deviceUid: device.uid,
      siteId: device.site_id,
      channels: await channelsSeen(trx, scope, device.uid),
      isFallback: seen.isFallback,
    }
  })
}

async function channelsSeen(trx: Trx, scope: Scope, deviceUid: string): Promise<Stream['channels']> {
  if (seesEveryChannel(scope)) return null
  return new Set((await channelRows(trx, scope, { deviceUids: [deviceUid] })).map((row) => row.uid))
}

/** What they opened, as they see it by now; null when it is out of reach. */
async function findAgain(app: Services, scope: Scope, input: Input): Promise<Stream | null> {
  try {
    return await findStream(app, scope, input)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}

/** Whether it is the same camera with the same numbers, by whichever of its streams, and wherever it is by now. */
const isSameCamera = (a: Stream, b: Stream): boolean =>
  a.deviceUid === b.deviceUid && a.nimbleUid === b.nimbleUid && isSameSet(a.channels, b.channels)

/** Null, all, is not the same as a set, whatever is in it; the order, by name, says nothing. */
const isSameSet = (a: Stream['channels'], b: Stream['channels']): boolean =>
  a === null || b === null ? a === b : a.size === b.size && [...a].every((uid) => b.has(uid))
