import type { ChannelState, NimbleMessage, SourceState } from '@sightline/contract/edge'
import type { FastifyBaseLogger } from 'fastify'
import { type Bus, type BusMessage, changed } from '../bus.ts'
import type { Db } from '../db/database.ts'
import { noteHealth } from './health.ts'
import type { LinkStatus } from './links.ts'
import {
  devicesOf,
  loadLink,
  neverSeen,
  saveChannels,
  saveLink,
  saveSources,
  saveStats,
  type Target,
} from './states.ts'

const saveMs = 500
const retryMs = 5000

/** What is known of the nimble, and the writing of it: what changes often is gathered and goes in one transaction. */
export function createReports(target: Target, { db, bus }: { db: Db; bus: Bus }, log: FastifyBaseLogger) {
  let status: LinkStatus = connecting(neverSeen)
  let lostEvents = 0
  const sources = new Map<string, SourceState>()
  const channels = new Map<string, ChannelState>()
  let isDirty = false
  let isStopped = false
  /** Whether the edge server was there when the health of its cameras was noted last; null: not yet. */
  let noted: boolean | null = null
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()
  let noticed: { cause: string; until: number } | null = null
  /** The round trip of the measurement that is shown: a worse one does not replace it at once. */
  let clockQualityMs = Number.POSITIVE_INFINITY

  const write = async () => {
    if (isStopped) return
    const [said, told] = [[...sources.values()], [...channels.values()]]
    const wasDirty = isDirty
    sources.clear()
    channels.clear()
    isDirty = false
    try {
      if (wasDirty) await saveLink(db, target, status, lostEvents)
      const messages = [
        ...(said.length > 0 ? await saveSources(db, target, said) : []),
        ...(told.length > 0 ? await saveChannels(db, target, told) : []),
      ]
      messages.push(...(await noteChanges(said)))
      for (const message of messages) bus.publish(message)
    } catch (error) {
      log.warn({ err: error }, 'states of the edge server could not be stored; they are tried again')
      // What was said meanwhile is newer.
      for (const source of said) if (!sources.has(source.source_id)) sources.set(source.source_id, source)
      for (const channel of told) if (!channels.has(channel.channel_id)) channels.set(channel.channel_id, channel)
      isDirty ||= wasDirty
      timer ??= setTimeout(flush, retryMs)
    }
  }
  /** A link that is being opened says nothing about the cameras behind it. */
  const noteChanges = async (said: readonly SourceState[]): Promise<BusMessage[]> => {
    const heard = isThere(status.state)
    if (heard === null) return []
    const devices = heard === noted ? await devicesOf(db, target, said) : null
    const messages = devices?.length === 0 ? [] : await noteHealth(db, target, heard, devices)
    noted = heard
    return messages
  }
  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    writing = writing.then(write)
    return writing
  }
  const soon = () => {
    timer ??= setTimeout(flush, saveMs)
  }
  const set = (change: Partial<LinkStatus>) => {
    const isOther = change.state !== undefined && (change.state !== status.state || change.cause !== status.cause)
    const isMoved = change.state !== undefined && change.state !== status.state
    status = { ...status, ...change, ...(isMoved && { since: new Date().toISOString() }) }
    isDirty = true
    if (!isOther) return soon()
    if (status.state !== 'online') clockQualityMs = Number.POSITIVE_INFINITY
    flush().then(() => bus.publish(changed({ tenant_id: target.tenantId }, 'nimble', target.uid)))
  }

  return {
    status: () => status,
    set,
    /** Begins with what was kept of an earlier link, so that silence does not erase it. */
    async recall() {
      try {
        const kept = await loadLink(db, target)
        if (!kept) return
        status = connecting(kept.status)
        lostEvents = kept.lostEvents
      } catch (error) {
        log.warn({ err: error }, 'what was known of the edge server cannot be read')
      }
    },
    /** Nothing is written afterwards. @param isOurs whether what is left may be written first */
    async stop(isOurs: boolean) {
      if (isOurs) await flush()
      isStopped = true
      if (timer) clearTimeout(timer)
    },
    /** Shown as the cause, while nothing else is wrong. */
    notice(cause: string, ms: number) {
      noticed = { cause, until: performance.now() + ms }
      set({ cause })
    },
    contact() {
      status = { ...status, last_contact_at: new Date().toISOString() }
    },
    clock(offsetMs: number, roundTripMs: number) {
      if (roundTripMs > clockQualityMs * 2 + 20) {
        // Unless the line has become worse for good.
        clockQualityMs *= 1.5
        return
      }
      clockQualityMs = roundTripMs
      set({ clock_offset_ms: Math.round(offsetMs) })
    },
    hear(message: NimbleMessage) {
      switch (message.type) {
        case 'state':
          for (const source of message.sources) sources.set(source.source_id, source)
          for (const channel of message.channels) channels.set(channel.channel_id, channel)
          set({
            interfaces: message.interfaces,
            capacity: message.capacity,
            applied_version: message.applied_version,
          })
          break
        case 'config.applied':
          set({ applied_version: message.version })
          bus.publish(changed({ tenant_id: target.tenantId }, 'nimble', target.uid))
          break
        case 'source.state':
          sources.set(message.source_id, message)
          soon()
          break
        case 'channel.state':
          channels.set(message.channel_id, message)
          soon()
          break
        case 'stats':
          lostEvents = message.lost_events
          if (noticed && noticed.until < performance.now()) noticed = null
          set({ journal_events: message.journal_events, cause: message.trouble ?? noticed?.cause ?? null })
          saveStats(db, target, message).catch((error: unknown) =>
            log.warn({ err: error }, 'figures of the edge server could not be stored'),
          )
          break
        default:
          log.warn(`the edge server said ${message.type} unasked`)
      }
    },
  }
}

/** Null while nobody can say. */
const isThere = (state: LinkStatus['state']): boolean | null =>
  state === 'online' ? true : state === 'unreachable' || state === 'refused' ? false : null

const connecting = (known: LinkStatus): LinkStatus => ({
  ...known,
  state: 'connecting',
  since: new Date().toISOString(),
  cause: null,
})
