import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyBaseLogger } from 'fastify'
import type { WebSocket } from 'ws'
import { Refusal } from './refusal.ts'
import type { Caller, Scope } from './scope.ts'

/** One open WebSocket as handlers see it. `Message` is the row's output; bytes go beside it. */
export type Socket<Message> = {
  send(message: Message): void
  /** A message that is written already, for many at once. */
  sendText(utf8: Uint8Array): void
  sendBytes(bytes: Uint8Array): void
  /** Bytes handed over that the network has not taken yet: the measure for back-pressure. */
  bufferedBytes(): number
  close(code: number, reason: string): void
  /** Aborted once the socket is closed, by whichever side. */
  gone: AbortSignal
  /**
   * `allowed` runs each minute with what the caller reaches by then; `false` closes the socket.
   * @returns runs it at once
   */
  recheck(allowed: (scope: Scope) => boolean | Promise<boolean>): () => void
}

/** Close codes of our own; the first three digits after the 4 are the HTTP status they stand for. */
export const closeCodes = { goingAway: 1001, unauthorized: 4401, notFound: 4404, overloaded: 4429 } as const

/** Open sockets of one person, and of one address: behind a proxy that is not declared, of everybody. */
const mostOfPerson = 40
const mostOfAddress = 400

const sessionCheckMs = 4_000
const reachCheckMs = 60_000
const pingMs = 30_000
const farewellMs = 2_000

type Open = {
  ws: WebSocket
  sessionUid: string
  userUid: string
  address: string
  allowed: ((scope: Scope) => boolean | Promise<boolean>) | null
  /** Ends with the last look that was begun. Of two at once the older might end last, and be believed. */
  looking: Promise<void>
  /** A look that was asked for waits for its turn. */
  isAsked: boolean
  checkedAt: number
  pingedAt: number
  alive: boolean
}

/**
 * Keeps the open sockets honest. One query every four seconds asks which of their sessions still hold, so a revoked,
 * expired or disabled one is closed within five; once a minute the handler's own reach check runs; a peer that answers
 * no ping is dropped.
 * @param callers answers, for session ids, who they are now; sessions that ended are absent
 */
export function watchSockets(
  callers: (sessionUids: string[]) => Promise<Map<string, Caller>>,
  log: FastifyBaseLogger,
  now: () => number = Date.now,
) {
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  function add<Message>(ws: WebSocket, caller: Caller, address: string): Socket<Message> {
    const gone = new AbortController()
    const entry: Open = {
      ws,
      sessionUid: caller.principal.sessionUid,
      userUid: caller.principal.userUid,
      address: normalizeIP(address),
      allowed: null,
      looking: Promise.resolve(),
      isAsked: false,
      checkedAt: now(),
      pingedAt: now(),
      alive: true,
    }
    open.add(entry)
    timer ??= setInterval(() => (running ??= check().finally(() => (running = undefined))), sessionCheckMs)
    ws.on('pong', () => {
      entry.alive = true
    })
    ws.on('close', () => {
      open.delete(entry)
      gone.abort()
      if (open.size === 0) stop()
    })
    const ready = () => ws.readyState === ws.OPEN
    return {
      send: (message) => ready() && ws.send(JSON.stringify(message)),
      sendText: (utf8) => ready() && ws.send(utf8, { binary: false }),
      sendBytes: (bytes) => ready() && ws.send(bytes),
      bufferedBytes: () => ws.bufferedAmount,
      close: (code, reason) => ws.close(code, reason),
      gone: gone.signal,
      recheck(allowed) {
        entry.allowed = allowed
        return () => void lookNow(entry)
      },
    }
  }

  /** To be called after `add`. @throws Refusal 429 for a socket beyond what one person, or one address, may have open */
  function refuseTooMany(caller: Caller, address: string): void {
    const { userUid } = caller.principal
    const place = normalizeIP(address)
    let [ofPerson, ofAddress] = [0, 0]
    for (const entry of open) {
      if (entry.userUid === userUid) ofPerson++
      if (entry.address === place) ofAddress++
    }
    if (ofPerson > mostOfPerson || ofAddress > mostOfAddress)
      throw new Refusal(429, 'Too many live connections are open: close some pages.', { code: 'too_many_sockets' })
  }

  async function check(): Promise<void> {
    try {
      const live = await callers([...new Set([...open].map((entry) => entry.sessionUid))])
      // Each by itself: the others are checked, and pinged, whatever is the matter with one.
      for (const entry of open) await inTurn(entry, () => checkOne(entry, live.get(entry.sessionUid)))
    } catch (error) {
      // Not knowing is no reason to close: the database comes back, and the next round decides.
      log.warn({ err: error }, 'could not check the sessions of open sockets')
    }
  }

  /** Once for all who ask before it begins: what it finds is newer than their asking. */
  function lookNow(entry: Open): Promise<void> | undefined {
    if (entry.isAsked) return
    entry.isAsked = true
    return inTurn(entry, async () => {
      entry.isAsked = false
      // Should it fail now, the next round does it.
      entry.checkedAt = Number.NEGATIVE_INFINITY
      const live = await callers([entry.sessionUid])
      await checkOne(entry, live.get(entry.sessionUid))
    })
  }

  function inTurn(entry: Open, look: () => Promise<void>): Promise<void> {
    entry.looking = entry.looking
      .then(look)
      .catch((error: unknown) => log.warn({ err: error }, 'could not check what an open socket may show'))
    return entry.looking
  }

  async function checkOne(entry: Open, caller: Caller | undefined): Promise<void> {
    if (!caller) return entry.ws.close(closeCodes.unauthorized, 'session ended')
    const at = now()
    if (at - entry.pingedAt >= pingMs) {
      if (!entry.alive) return entry.ws.terminate()
      entry.alive = false
      entry.pingedAt = at
      entry.ws.ping()
    }
    if (!entry.allowed || at - entry.checkedAt < reachCheckMs) return
    if (!(await entry.allowed(caller.scope))) return entry.ws.close(closeCodes.notFound, 'out of reach')
    entry.checkedAt = at
  }

  function stop() {
    clearInterval(timer)
    timer = undefined
  }

  return {
    add,
    refuseTooMany,
    /** Looks at every socket now; for tests and after a revocation in this process. */
    check,
    /** Tells every peer that the portal goes away, and waits for them, but not for long. */
    async close() {
      stop()
      await running
      for (const entry of open) entry.ws.close(closeCodes.goingAway, 'the portal stops')
      const deadline = now() + farewellMs
      while (open.size > 0 && now() < deadline) await new Promise((done) => setTimeout(done, 20))
      for (const entry of open) entry.ws.terminate()
    },
  }
}
export type Sockets = ReturnType<typeof watchSockets>
