import { join } from 'node:path'
import type { LiveMessage, NimbleStatus } from '@sightline/contract'
import type { Finding, LinkDiscovered, Overlay, Probed, Scanned } from '@sightline/contract/edge'
import { fingerprintOf } from '@sightline/contract/key'
import { OpeningFault, type OpeningSelf, openAsPortal, openingPipe } from '@sightline/contract/opening'
import type { WebSocket } from 'ws'
import { checkPicture } from '../picture.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { noWire, type Wire } from '../wire.ts'
import { dial } from './dial.ts'
import { createFeed, type Feed } from './feed.ts'
import { enrolLocalNimble, localNimbleKey, openPortalIdentity } from './identity.ts'
import { type Keeper, keepLink } from './keeper.ts'
import { createLeases, leaseRenewMs } from './lease.ts'
import { type Link, unreachable } from './link.ts'
import { type AnyLink, createRemote } from './remote.ts'
import { desiredVersions, listTargets, type Target } from './states.ts'

/** What the link itself knows of a nimble; the rest of `NimbleStatus` comes from the stored configuration. */
export type LinkStatus = Pick<
  NimbleStatus,
  | 'state'
  | 'since'
  | 'last_contact_at'
  | 'cause'
  | 'clock_offset_ms'
  | 'engine_version'
  | 'protocol'
  | 'interfaces'
  | 'capacity'
  | 'journal_events'
  | 'applied_version'
>

export type LiveMode = Extract<LiveMessage, { type: 'started' }>['mode']

/** One viewer of a source. After `ended` nothing more comes; after `waiting` the feed goes on by itself. */
export type LiveListener = {
  started(mime: string): void
  init(segment: Buffer): void
  /** `isKey`: decoding may start here. */
  fragment(fragment: Buffer, isKey: boolean): void
  jpeg(picture: Buffer): void
  overlay(overlay: Overlay): void
  /** No picture now, with the reason. */
  waiting(cause: string | null): void
  ended(cause: string | null): void
}
export type LiveFeed = { stop(): void }

export type DiscoverOptions = { seconds: number; range?: string; interfaces?: string[] }
export type ProbeOptions = { address: string; username: string | null; password: string | null }
export type ChannelAction = 'revive' | 'troubleshoot' | 'restart' | 'delete'
export type LinkTest = {
  ok: boolean
  cause: string | null
  engine_version: string | null
  key_fingerprint: string | null
  ms: number
}

/**
 * Every nimble that this portal talks to. Calls that need a nimble reject with `unreachable()` while it is not
 * connected, and with a `Refusal` of 504 when it does not answer in time.
 */
export type Links = {
  start(): Promise<void>
  stop(): Promise<void>
  status(nimbleUid: string): LinkStatus | null
  /** The desired state of this nimble changed: compute it again and send it. One that is not connected is tried at once. */
  reconfigure(nimbleUid: string): void
  /** Nimbles were added, changed or removed. */
  reload(): void
  discover(
    nimbleUid: string,
    options: DiscoverOptions,
    onFound: (found: LinkDiscovered) => void,
    signal: AbortSignal,
  ): Promise<Scanned>
  /** @param onFinding hears each as it is found; all of them are in the answer too */
  probe(nimbleUid: string, options: ProbeOptions, onFinding?: (finding: Finding) => void): Promise<Probed>
  /** A JPEG that may be opened; anything else is refused here (502), before it is kept. */
  snapshot(nimbleUid: string, sourceUid: string): Promise<{ jpeg: Buffer; at: Date }>
  media(nimbleUid: string, mediaUid: string): Promise<{ contentType: string; body: Buffer }>
  /** Viewers of the same source and mode share one stream from the nimble. */
  live(nimbleUid: string, sourceUid: string, mode: LiveMode, listener: LiveListener): LiveFeed
  channelDo(nimbleUid: string, channelUid: string, action: ChannelAction, force: boolean): Promise<void>
  /** Answers how many it counted until then; null while it could not count. */
  setOccupancy(nimbleUid: string, channelUid: string, occupancy: number): Promise<number | null>
  test(address: string, port: number): Promise<LinkTest>
  /** A nimble has dialled this portal. Resolves when it is let in, or turned away with the reason. */
  enter(socket: WebSocket): Promise<void>
}

const testMs = 5000
/** For one that dialled us to prove itself. */
const enterMs = 10_000
/** A camera that does not answer at all takes its own time-outs first. */
const probeMs = 60_000
const snapshotMs = 10_000
const reloadRetryMs = 5000

/** The links of this portal; nothing happens before `start`. */
export function createLinks(
  services: Pick<Services, 'env' | 'db' | 'bus' | 'events' | 'secrets' | 'log'>,
  wire: Wire = noWire,
): Links {
  const { env, db, log } = services
  const keepers = new Map<string, Keeper>()
  const feeds = new Map<string, Feed>()
  const leases = createLeases(db)
  const localFolder = join(env.dataDir, 'nimble')
  const isLoopbackPort = (port: number) => port === env.localNimblePort
  let self: OpeningSelf | null = null
  let renewal: NodeJS.Timeout | undefined
  let reloading: Promise<void> = Promise.resolve()
  let isStopped = false

  /** For other portals: they ask all, and only who has the lease knows that nobody has the link. */
  const linkHere = (nimbleUid: string): Link | 'away' | null => {
    const keeper = keepers.get(nimbleUid)
    return keeper?.link() ?? (keeper?.status() ? 'away' : null)
  }
  const showOverlay = (nimbleUid: string, mode: LiveMode, overlay: Overlay) =>
    feeds.get(feedKey(nimbleUid, overlay.source_id, mode))?.overlay(overlay)
  const remote = createRemote(wire, linkHere, showOverlay)
  /** The link, over another portal when that one holds it; null when this one does and is not connected. */
  const anyLinkOf = (nimbleUid: string): AnyLink | null => {
    const keeper = keepers.get(nimbleUid)
    if (!keeper || wire === noWire || keeper.status() !== null) return keeper?.link() ?? null
    return remote.to(nimbleUid)
  }
  const need = (nimbleUid: string): AnyLink => {
    const link = anyLinkOf(nimbleUid)
    if (!link) throw unreachable()
    return link
  }
  wire.hear((message) => {
    if (message.kind === 'entered') return keepers.get(message.nimble)?.leaseLost()
    if (message.kind !== 'links') return
    if (message.nimble === null) reload()
    else keepers.get(message.nimble)?.reconfigure()
  })

  /** Brings the keepers in line with the stored configurations. */
  async function load(own: OpeningSelf): Promise<void> {
    const targets = new Map((await listTargets(db)).map((target) => [target.uid, target]))
    if (isStopped) return
    for (const [uid, keeper] of keepers) {
      const target = targets.get(uid)
      if (target && isSameTarget(keeper.target(), target)) {
        keeper.retry()
        continue
      }
      keepers.delete(uid)
      if (!target) endFeeds(uid)
      await keeper.stop()
    }
    for (const [uid, target] of targets)
      if (!keepers.has(uid) && !isStopped)
        keepers.set(
          uid,
          keepLink(target, {
            ...services,
            leases,
            self: own,
            isLoopbackPort,
            isKnown: (nimbleUid) => keepers.has(nimbleUid),
            localKey: () => localNimbleKey(localFolder),
            onOverlay: (overlay) => {
              for (const mode of ['fmp4', 'mjpeg'] as const) showOverlay(uid, mode, overlay)
              remote.overlay(uid, overlay)
            },
          }),
        )
  }

  function reload() {
    const own = self
    if (!own) return
    reloading = reloading
      .then(() => load(own))
      .catch((error: unknown) => {
        log.error({ err: error }, 'the edge servers cannot be read from the database')
        if (!isStopped) setTimeout(reload, reloadRetryMs).unref()
      })
  }

  async function renew(): Promise<void> {
    try {
      for (const uid of await leases.renew()) keepers.get(uid)?.leaseLost()
      if (keepers.size === 0) return
      const desired = await desiredVersions(db)
      for (const [uid, version] of desired) keepers.get(uid)?.catchUp(version)
    } catch (error) {
      // Nobody else can take them either while the database is away.
      log.warn({ err: error }, 'the leases of links cannot be renewed')
    }
  }

  function endFeeds(nimbleUid: string) {
    for (const [key, feed] of feeds) if (key.startsWith(`${nimbleUid} `)) feed.end('nimble_removed')
  }

  return {
    async start() {
      self = await openPortalIdentity(db, services.secrets)
      if (env.localNimblePort !== null) enrolLocalNimble(localFolder, self)
      reload()
      await reloading
      renewal = setInterval(renew, leaseRenewMs)
    },
    async stop() {
      isStopped = true
      clearInterval(renewal)
      await reloading
      for (const feed of [...feeds.values()]) feed.end('portal_stops')
      remote.stop()
      await Promise.all([...keepers.values()].map((keeper) => keeper.stop()))
      keepers.clear()
    },
    status: (nimbleUid) => keepers.get(nimbleUid)?.status() ?? null,
    reconfigure(nimbleUid) {
      keepers.get(nimbleUid)?.reconfigure()
      wire.send({ kind: 'links', nimble: nimbleUid })
    },
    reload() {
      reload()
      wire.send({ kind: 'links', nimble: null })
    },

    async discover(nimbleUid, options, onFound, signal) {
      const { scanned, error } = await need(nimbleUid).ask({ type: 'discover.start', ...options }, 'discover.done', {
        timeoutMs: options.seconds * 1000 + probeMs,
        signal,
        hear: (message) => {
          if (message.type === 'discover.found') onFound(message.found)
        },
      })
      if (error !== null) throw new Refusal(502, 'The edge server could not search', { code: error })
      return scanned
    },
    async probe(nimbleUid, options, onFinding) {
      const { probed, cause } = await need(nimbleUid).ask({ type: 'probe', ...options }, 'probe.done', {
        timeoutMs: probeMs,
        hear: (message) => {
          if (message.type === 'probe.finding') onFinding?.(message.finding)
        },
      })
      if (!probed) throw new Refusal(502, 'The edge server could not try the camera', { code: cause ?? 'engine_fault' })
      return probed
    },
    async snapshot(nimbleUid, sourceUid) {
      const { bytes, at } = await need(nimbleUid).fetch({ type: 'snapshot', source_id: sourceUid })
      await checkPicture(bytes)
      return { jpeg: bytes, at: new Date(at) }
    },
    async media(nimbleUid, mediaUid) {
      const { contentType, bytes } = await need(nimbleUid).fetch({ type: 'media.get', media_id: mediaUid })
      return { contentType, body: bytes }
    },
    async channelDo(nimbleUid, channelUid, action, force) {
      const { ok, cause } = await need(nimbleUid).ask(
        { type: 'channel.do', channel_id: channelUid, action, force },
        'channel.done',
        { timeoutMs: snapshotMs },
      )
      if (!ok) throw new Refusal(502, 'The edge server could not do it', { code: cause ?? 'engine_fault' })
    },

    async setOccupancy(nimbleUid, channelUid, occupancy) {
      const { before, cause } = await need(nimbleUid).ask(
        { type: 'occupancy.set', channel_id: channelUid, occupancy },
        'occupancy.done',
      )
      if (cause !== null) throw new Refusal(409, 'The edge server could not set the occupancy', { code: cause })
      return before
    },

    live(nimbleUid, sourceUid, mode, listener) {
      const key = feedKey(nimbleUid, sourceUid, mode)
      const feed =
        feeds.get(key) ??
        createFeed(
          () => anyLinkOf(nimbleUid),
          sourceUid,
          mode,
          () => feeds.delete(key),
        )
      feeds.set(key, feed)
      return { stop: feed.join(listener) }
    },

    async enter(socket) {
      const pipe = openingPipe(socket, enterMs)
      // It may have been enrolled a moment ago.
      await reloading
      const own = self
      if (!own || isStopped) return socket.close(1001, 'the portal stops')
      try {
        const keeperOf = ({ id }: { id: string | null }) => (id === null ? undefined : keepers.get(id))
        const nimble = await openAsPortal(pipe, own, (hello) => {
          const keeper = keeperOf(hello)
          return keeper ? keeper.strangeness(hello) : 'not_enrolled'
        })
        await keeperOf(nimble)?.enter({ socket, pipe, nimble })
        wire.send({ kind: 'entered', nimble: nimble.id as string })
      } catch (error) {
        if (!(error instanceof OpeningFault)) throw error
        log.info(`an edge server that dialled was turned away: ${error.fault}`)
        if (error.claimedId !== null) keepers.get(error.claimedId)?.turnedAway(error.fault)
        if (socket.readyState === socket.OPEN) socket.close(error.code, error.reason)
        else socket.terminate()
      }
    },

    async test(address, port) {
      const begun = performance.now()
      const result = (change: Partial<LinkTest>): LinkTest => ({
        ok: false,
        cause: null,
        engine_version: null,
        key_fingerprint: null,
        ...change,
        ms: Math.round(performance.now() - begun),
      })
      try {
        const { socket, nimble } = await dial({
          address,
          port,
          timeoutMs: testMs,
          self: self ?? (await openPortalIdentity(db, services.secrets)),
          isLoopbackPort,
          accept: () => null,
          signal: AbortSignal.timeout(testMs),
        })
        socket.close(1000, 'only a test')
        const engine_version = nimble.software.replace(/^.* /, '')
        return result({ ok: true, engine_version, key_fingerprint: await fingerprintOf(nimble.public_key) })
      } catch (error) {
        if (!(error instanceof OpeningFault)) throw error
        return result({ cause: error.fault })
      }
    },
  }
}

const feedKey = (nimbleUid: string, sourceUid: string, mode: LiveMode): string => `${nimbleUid} ${sourceUid} ${mode}`

const isSameTarget = (a: Target, b: Target): boolean =>
  (Object.keys(a) as (keyof Target)[]).every((key) => a[key] === b[key])
