import { randomBytes } from 'node:crypto'
import type { StreamMessage } from '@sightline/contract'
import { type Bus, type BusMessage, merged, subject } from '../bus.ts'
import type { Scope } from '../scope.ts'
import { closeCodes, type Socket } from '../sockets.ts'

/** Messages are gathered this long, and those about one thing become one. */
export const tickMs = 50
/** A client with this much unsent is cut; it comes back and reads everything again. */
export const clientBacklogBytes = 1024 * 1024
/** What was sent is kept this long, and at most so much of it, for clients whose connection broke. */
const keptMs = 60_000
const keptBytes = 1024 * 1024
/** Of all audiences together; where there are many, each keeps less, and who comes back late reads again. */
const allKeptBytes = 32 * 1024 * 1024

/** What decides who sees a message that is not one person's: equal reaches see equal messages. */
type Reach = Omit<Scope, 'principal'>

/** Whether messages are covered: of the tenant, the sites, the use cases and the channels that are reached. */
export function covers(reach: Reach): (message: BusMessage) => boolean {
  const [sites, usecases, channels] = [reach.siteIds, reach.usecaseIds, reach.channelUids].map(setOf)
  return ({ tenantId, siteId, usecaseId, message }) => {
    if (reach.tenantId !== null && reach.tenantId !== tenantId) return false
    if (siteId !== null && sites && !sites.has(siteId)) return false
    if (usecaseId !== undefined && usecases && !usecases.has(usecaseId)) return false
    const channel = channelOf(message)
    return channel === null || !channels || channels.has(channel)
  }
}

const setOf = (ids: readonly (number | string)[] | null) => (ids === null ? null : new Set(ids))

/** The channel that a message is about, by its public id. */
function channelOf(message: StreamMessage): string | null {
  if (message.type === 'event') return message.channel_id
  return message.type === 'changed' && message.feature === 'channel' ? message.id : null
}

type StreamSocket = Pick<Socket<never>, 'sendText' | 'bufferedBytes' | 'close' | 'gone'>
type Member = { socket: StreamSocket; userId: number }
/** A message as it goes over the wire; of a person's own, whose. */
type Line = { json: string; userId: number | null }
/** What was told in one tick. */
type Told = { seq: number; at: number; lines: Line[]; bytes: number }

/**
 * The clients of the stream, gathered by what they reach: a message is judged, merged and written once for everyone who
 * sees the same, and goes out as one frame a tick. A frame ends with a cursor; who comes back with it within a minute
 * is told what was missed, anybody else to read again.
 */
export function createAudiences(bus: Bus) {
  const audiences = new Map<string, ReturnType<typeof createAudience>>()
  bus.subscribe((message) => {
    for (const audience of audiences.values()) audience.hear(message)
  })
  function audienceOf({ principal: _, ...reach }: Scope) {
    const key = JSON.stringify(reach, (_key, value) => (Array.isArray(value) ? value.toSorted() : value))
    const known = audiences.get(key)
    if (known) return known
    const audience = createAudience(
      reach,
      () => Math.min(keptBytes, allKeptBytes / audiences.size),
      () => audiences.delete(key),
    )
    audiences.set(key, audience)
    // One more to share with: those that hear nothing would keep what they had.
    for (const other of audiences.values()) other.trim()
    return audience
  }
  return {
    /**
     * Adds a client for as long as its socket is open, and greets it.
     * @param after the cursor of the last frame that it has; answers what changes its reach
     */
    join(socket: StreamSocket, scope: Scope, hello: { time: string; version: string }, after: string | undefined) {
      const member = { socket, userId: scope.principal.userId }
      let audience = audienceOf(scope)
      audience.add(member, hello, after)
      socket.gone.addEventListener('abort', () => audience.remove(member))
      return (now: Scope) => {
        // First: an audience that nobody joins would stay for ever.
        if (socket.gone.aborted) return
        const next = audienceOf(now)
        if (next === audience) return
        audience.remove(member)
        audience = next
        next.add(member, null, undefined)
      }
    },
  }
}

export type Audiences = ReturnType<typeof createAudiences>

/**
 * @param mostKept bytes, as there is room now
 * @param onIdle nobody has been here for so long that nothing is kept any more
 */
function createAudience(reach: Reach, mostKept: () => number, onIdle: () => void) {
  // A cursor of another portal, or of before a restart, is none of this.
  const id = randomBytes(9).toString('base64url')
  const isCovered = covers(reach)
  const members = new Set<Member>()
  const pending = new Map<string, BusMessage>()
  let told: Told[] = []
  let bytes = 0
  let seq = 0
  let timer: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined

  const frame = (lines: readonly string[]) => `{"cursor":"${id}.${seq}","messages":[${lines.join(',')}]}`
  /** @param userId null: what everybody here sees */
  const linesFor = (lines: readonly Line[], userId: number | null) =>
    lines.flatMap((line) => (line.userId === null || line.userId === userId ? [line.json] : []))

  function flush() {
    timer = undefined
    seq++
    const lines = [...pending.values()].map(({ message, userId }) => ({
      json: JSON.stringify(message),
      userId: userId ?? null,
    }))
    pending.clear()
    keep(lines)
    const owners = new Set(lines.flatMap(({ userId }) => userId ?? []))
    const shared = linesFor(lines, null)
    const everybody = shared.length > 0 ? Buffer.from(frame(shared)) : null
    for (const { socket, userId } of members) {
      if (owners.has(userId)) socket.sendText(Buffer.from(frame(linesFor(lines, userId))))
      else if (everybody) socket.sendText(everybody)
      if (socket.bufferedBytes() > clientBacklogBytes) socket.close(closeCodes.overloaded, 'too slow')
    }
  }
  function keep(lines: Line[]) {
    const size = lines.reduce((sum, { json }) => sum + json.length, 0)
    told.push({ seq, at: Date.now(), lines, bytes: size })
    bytes += size
    trim()
  }
  function trim() {
    const since = Date.now() - keptMs
    const most = mostKept()
    let gone = 0
    for (const { at, bytes: old } of told) {
      if (at >= since && bytes <= most) break
      bytes -= old
      gone++
    }
    if (gone > 0) told = told.slice(gone)
  }
  /** What was told after a cursor; null when that is no longer known. */
  function missed(after: string): Line[] | null {
    const [of, number] = after.split('.')
    const from = Number(number)
    if (of !== id || !Number.isInteger(from) || from > seq) return null
    if (from < seq && (told[0]?.seq ?? Number.POSITIVE_INFINITY) > from + 1) return null
    return told.filter((one) => one.seq > from).flatMap(({ lines }) => lines)
  }

  return {
    /** Forgets what is too old, and what there is no longer room for. */
    trim,
    hear(heard: BusMessage) {
      if (!isCovered(heard)) return
      // One person's messages are merged with their own only.
      const key = `${heard.userId ?? ''} ${subject(heard.message)}`
      const earlier = pending.get(key)
      pending.set(key, { ...heard, message: merged(earlier?.message, heard.message) })
      timer ??= setTimeout(flush, tickMs)
    },
    add(member: Member, hello: { time: string; version: string } | null, after: string | undefined) {
      clearTimeout(idle)
      members.add(member)
      if (!hello) return
      const lines = after === undefined ? null : missed(after)
      const greeting: StreamMessage = { type: 'hello', ...hello, resumed: lines !== null }
      member.socket.sendText(Buffer.from(frame([JSON.stringify(greeting), ...linesFor(lines ?? [], member.userId)])))
    },
    remove(member: Member) {
      members.delete(member)
      if (members.size > 0) return
      idle = setTimeout(() => {
        clearTimeout(timer)
        onIdle()
      }, keptMs)
      // Nothing waits for this when the portal stops.
      idle.unref()
    },
  }
}
