/**
 * Keeps the link to one nimble: dials, tries again as its configuration says, or waits for it to dial; sends what should
 * run, stores what it says.
 */
import { type Hello, type LinkFault, linkClose, linkProtocol, type NimbleMessage } from '@sightline/contract/edge'
import { OpeningFault, type OpeningSelf } from '@sightline/contract/opening'
import { createBackoff } from '@sightline/domain'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus.ts'
import type { Db } from '../db/database.ts'
import type { Env } from '../env.ts'
import type { EventWriter } from '../event/store.ts'
import type { Secrets } from '../secrets.ts'
import { desiredConfig } from './desired.ts'
import { type Dialled, dial } from './dial.ts'
import { createIntake } from './intake.ts'
import type { Leases } from './lease.ts'
import { Link, type LinkListener } from './link.ts'
import type { LinkStatus } from './links.ts'
import { createModelSender } from './model.ts'
import { createReports } from './reports.ts'
import { offerKey, pinKey, type Target } from './states.ts'

export type KeeperParts = {
  env: Env
  db: Db
  bus: Bus
  events: EventWriter
  secrets: Secrets
  log: FastifyBaseLogger
  leases: Leases
  self: OpeningSelf
  isLoopbackPort(port: number): boolean
  /** Whether there is a configuration of this id. */
  isKnown(nimbleUid: string): boolean
  /** The key of the nimble beside this portal, from its file; null while it has not started. */
  localKey(): string | null
  onOverlay(overlay: Extract<NimbleMessage, { type: 'overlay' }>): void
}

export type Keeper = {
  /** As it is dialled now, with the key that is trusted. */
  target(): Target
  /** Null while not connected. */
  link(): Link | null
  /** Null while another portal holds the link. */
  status(): LinkStatus | null
  /** What should run changed: it is sent, or else the link tried again at once. */
  reconfigure(): void
  /** Sends the configuration again unless this version of it runs: the change was made at another portal, or not sent. */
  catchUp(desired: number): void
  /** Another portal has taken the lease. */
  leaseLost(): void
  /** Why this one, which dialled us, is not the nimble of the configuration; null when it is. */
  strangeness(nimble: Hello): LinkFault | null
  /** It dialled us and has proven itself: its link from now on, whoever had it before. */
  enter(dialled: Dialled): Promise<void>
  /** Somebody who said to be this nimble was turned away. */
  turnedAway(fault: string): void
  /** Stops waiting and tries again, also when it had given up. */
  retry(): void
  stop(): Promise<void>
}

const leaseRetryMs = 5000
/** One that dials us tries again within half a minute. */
const missingMs = 40_000
/** How long it is shown that two edge servers have one identity. */
const twinShownMs = 300_000
/** The nimble beside the portal costs nothing to try, and everyone waits for it at a start. */
const localRetryMs = 1000
const jitter = 0.2

export function keepLink(target: Target, parts: KeeperParts): Keeper {
  const { db, leases } = parts
  const log = parts.log.child({ nimble: target.uid })
  const over = new AbortController()
  let link: Link | null = null
  let hasLease = false
  let wake: () => void = () => undefined
  let trustedKey = target.publicKey
  let configuring = Promise.resolve()
  /** Tries in a row that came to nothing. */
  let failures = 0
  /** For a link that opens, and ends. */
  let backoff = createBackoff(Math.random)
  /** Has dialled us and waits for its link. */
  let visitor: Dialled | null = null
  /** Said once; the tries go on in silence. */
  let said: string | null = null
  let missedSince = performance.now()
  const reports = createReports(target, parts, log)

  async function keep(): Promise<void> {
    while (!over.signal.aborted) {
      const hadLease = hasLease
      hasLease = await take()
      // It may have dialled us while we asked, and another portal right after.
      if (!hasLease && visitor) hasLease = await take()
      if (!hasLease) {
        visitor?.socket.close(linkClose.replaced, 'replaced')
        visitor = null
        await pause(leaseRetryMs)
        continue
      }
      if (!hadLease) {
        missedSince = performance.now()
        await reports.recall()
      }
      if (target.mode === 'enrolled') {
        await receive()
        continue
      }
      try {
        const dialled = await call()
        const openedAt = performance.now()
        await converse(dialled)
        backoff.ran(performance.now() - openedAt)
        failures = 0
        if (over.signal.aborted) return
        // The state is told by whoever has the lease.
        if (hasLease) reports.set({ state: 'connecting', cause: 'connection_lost' })
        await pause(backoff.next())
      } catch (error) {
        failures++
        const hasGivenUp = target.retryTimes !== -1 && failures >= target.retryTimes
        fail(error, hasGivenUp)
        await pause(hasGivenUp ? null : waitMs(target))
        if (!hasGivenUp) continue
        failures = 0
        if (hasLease && !over.signal.aborted) reports.set({ state: 'connecting', cause: null })
      }
    }
  }

  async function take(): Promise<boolean> {
    try {
      return await leases.take(target.uid)
    } catch (error) {
      log.warn({ err: error }, 'the lease of the link cannot be asked for')
      return false
    }
  }

  /** Waits for the nimble to dial us, until something else is to be done; then one link to its end. */
  async function receive(): Promise<void> {
    const isComing = () => reports.status().state === 'connecting'
    // Nobody who never was here comes back.
    if (isComing() && reports.status().last_contact_at === null) reports.set({ state: 'new', cause: null })
    const missing = setTimeout(
      () => {
        if (isComing()) reports.set({ state: 'unreachable', cause: 'connection_lost' })
      },
      Math.max(0, missedSince + missingMs - performance.now()),
    )
    await pause(null)
    clearTimeout(missing)
    const dialled = visitor
    visitor = null
    // Who waits for a portal that stops, or lost the lease meanwhile, dials again.
    if (!dialled) return
    if (over.signal.aborted || !hasLease) return dialled.socket.close(1001, 'connection_lost')
    // Both still there: the older one answers the closing, which a connection that is dead never does.
    dialled.socket.once('close', (code: number) => {
      if (code !== linkClose.replaced) return
      log.warn('two edge servers have one identity; the newer connection took the place of the older')
      reports.notice('identity_twice', twinShownMs)
    })
    await converse(dialled)
    missedSince = performance.now()
    if (hasLease && !visitor && !over.signal.aborted) reports.set({ state: 'connecting', cause: 'connection_lost' })
  }

  /** @throws OpeningFault */
  async function call(): Promise<Dialled> {
    const expected = target.isLocal ? parts.localKey() : trustedKey
    // Its key file comes before its first listening.
    if (target.isLocal && expected === null) throw new OpeningFault('nothing_listens')
    let offered: string | null = null
    const dialled = await dial({
      address: target.address as string,
      port: target.port as number,
      timeoutMs: target.connectionTimeoutSeconds * 1000,
      self: parts.self,
      isLoopbackPort: parts.isLoopbackPort,
      signal: over.signal,
      accept(nimble) {
        offered = nimble.public_key
        return strangeness(nimble, target, expected, parts.isKnown)
      },
    }).catch(async (fault: unknown) => {
      if ((fault as OpeningFault).fault === 'key_changed' && offered) await offerKey(db, target, offered)
      throw fault
    })
    if (trustedKey !== dialled.nimble.public_key) {
      await pinKey(db, target, dialled.nimble.public_key)
      trustedKey = dialled.nimble.public_key
    }
    return dialled
  }

  /** One link from its opening to its end. */
  async function converse(dialled: Dialled): Promise<void> {
    await new Promise<void>((ended) => {
      const opened = new Link(
        dialled,
        listenTo(() => link, ended),
      )
      link = opened
      opened.send({ type: 'welcome', nimble_id: target.uid, time: Date.now() })
      opened.ping()
      if (over.signal.aborted) opened.close(1001, 'the portal stops')
    })
    link = null
  }

  function listenTo(opened: () => Link | null, ended: () => void): LinkListener {
    const intake = createIntake({
      async store(records, receivedAt) {
        await parts.events.write({ tenantId: target.tenantId, nimbleId: target.id, records, receivedAt })
        reports.contact()
      },
      answer: (message) => opened()?.send(message),
      failed: (error) => log.error({ err: error }, 'events cannot be stored for now; the edge server keeps them'),
      violated(reason) {
        log.warn(`closed the link: ${reason}`)
        opened()?.close(1008, 'connection_lost')
      },
    })
    const sendModel = createModelSender(parts, target, opened)
    return {
      records: intake.take,
      odd: (what) => log.warn(`the edge server sent ${what}`),
      clock: (offsetMs, roundTripMs) => reports.clock(offsetMs, roundTripMs),
      closed() {
        intake.close()
        ended()
      },
      message(message) {
        reports.contact()
        if (message.type === 'overlay') parts.onOverlay(message)
        else if (message.type === 'state') {
          reports.hear(message)
          reports.set({ state: 'online', cause: null, protocol: linkProtocol, engine_version: message.engine_version })
          sendConfig()
        } else if (message.type === 'model.get' || message.type === 'gallery.get') sendModel(message)
        else if (message.type === 'log') log[message.level](`edge server: ${message.text}`)
        else reports.hear(message)
      },
    }
  }

  /** One after the other, so that an older state never comes last. */
  function sendConfig() {
    configuring = configuring.then(computeAndSend)
  }
  async function computeAndSend(): Promise<void> {
    if (!link) return
    try {
      const config = await db.ingest((trx) => desiredConfig(trx, parts.secrets, target.uid))
      link?.send({ type: 'config.put', config })
    } catch (error) {
      log.error({ err: error }, 'what the edge server should run cannot be computed')
    }
  }

  function fail(error: unknown, hasGivenUp: boolean) {
    if (!(error instanceof OpeningFault)) log.error({ err: error }, 'the link failed')
    const cause = error instanceof OpeningFault ? error.fault : 'no_answer'
    if (over.signal.aborted) return
    // Said once; the waiting goes on in silence.
    if (failures === 1) log.warn(`not connected to ${target.address}:${target.port}: ${cause}`)
    if (hasGivenUp) log.warn(`gave up after ${failures} tries`)
    reports.set({
      state: isRefusal(cause) ? 'refused' : 'unreachable',
      cause: hasGivenUp ? `gave_up:${cause}` : cause,
    })
  }

  /** Somebody asked for it, or changed something: the tries begin anew. */
  function retry() {
    failures = 0
    backoff = createBackoff(Math.random)
    wake()
  }

  function pause(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (over.signal.aborted || visitor) wake()
    })
  }

  const kept = keep()
  return {
    target: () => ({ ...target, publicKey: trustedKey }),
    link: () => link,
    status: () => (hasLease ? reports.status() : null),
    reconfigure() {
      if (link) sendConfig()
      else retry()
    },
    catchUp(desired) {
      const { state, applied_version } = reports.status()
      if (state === 'online' && applied_version !== desired) sendConfig()
    },
    leaseLost() {
      hasLease = false
      if (target.mode === 'enrolled') link?.close(linkClose.replaced, 'replaced')
      else link?.close(1001, 'connection_lost')
      wake()
    },
    strangeness(nimble) {
      if (target.mode !== 'enrolled' || trustedKey === null) return 'not_enrolled'
      return nimble.public_key === trustedKey ? null : 'key_changed'
    },
    async enter(dialled) {
      await leases.seize(target.uid)
      visitor?.socket.close(linkClose.replaced, 'replaced')
      visitor = dialled
      link?.close(linkClose.replaced, 'replaced')
      wake()
    },
    turnedAway(fault) {
      if (fault !== said) log.warn(`an edge server that dialled was turned away: ${fault}`)
      said = fault
      if (hasLease && !link && target.mode === 'enrolled') reports.set({ state: 'refused', cause: fault })
    },
    retry,
    async stop() {
      over.abort()
      wake()
      link?.close(1001, 'the portal stops')
      visitor?.socket.close(1001, 'the portal stops')
      await kept
      if (hasLease && reports.status().state !== 'new') reports.set({ state: 'connecting', cause: null })
      await reports.stop(hasLease)
      if (!hasLease) return
      await leases
        .give(target.uid)
        .catch((error: unknown) => log.warn({ err: error }, 'the lease could not be given back'))
    },
  }
}

/**
 * Why this nimble is not the one of the configuration. One that was never named may be any, and so may one whose
 * configuration was deleted since.
 */
function strangeness(
  nimble: Hello,
  target: Target,
  expected: string | null,
  isKnown: (nimbleUid: string) => boolean,
): LinkFault | null {
  if (expected !== null && nimble.public_key !== expected) return 'key_changed'
  return nimble.id !== null && nimble.id !== target.uid && isKnown(nimble.id) ? 'other_nimble' : null
}

/** Someone has to change something; the others pass by themselves. */
const isRefusal = (cause: string): boolean =>
  /^(protocol_mismatch|key_changed|key_unproven|enrolled_elsewhere|other_nimble|address_refused|not_a_nimble)/.test(
    cause,
  )

const waitMs = ({ isLocal, waitBetweenRetrySeconds }: Target): number =>
  withJitter(isLocal ? localRetryMs : waitBetweenRetrySeconds * 1000)
const withJitter = (ms: number): number => ms * (1 + jitter * (2 * Math.random() - 1))
