/** JSON from each process on this database to all the others, by LISTEN and NOTIFY. Nothing is kept: who is away misses it. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

export type Channel = {
  /** @param text JSON, so that what is not ASCII can be written as an escape. Resolves once the server has it; rejects while there is no connection, and while more waits than is kept. */
  send(text: string): Promise<void>
  /** Of texts that the server has not taken yet: the measure for back-pressure. */
  queuedBytes(): number
  close(): Promise<void>
}

const name = 'sightline'
/** A notification holds less than 8000 bytes; some go to the head of a part. */
const partChars = 7900
const retryMs = 1000
const connectMs = 5000
/** A server that answers nothing for so long is gone, whatever its connection says. */
const queryMs = 15_000
const keepAliveMs = 10_000
/** While so much waits nothing is added; one text may be longer. */
const mostQueuedBytes = 32 * 1024 * 1024
/** What waits when the channel is closed still goes out, but not for long. */
const farewellMs = 2000

/**
 * Opens the channel on a connection of its own, which is made again when it breaks.
 * @param hear gets what others send, in the order in which each sent it; never one's own
 * @param told hears why nobody is heard any more, and null when others are heard again
 */
export async function openChannel(
  config: pg.ClientConfig,
  hear: (text: string, from: string) => void,
  told: (trouble: Error | null) => void,
): Promise<Channel> {
  const self = randomBytes(6).toString('hex')
  /** The beginnings of texts in several parts; the parts of one sender come one after the other. */
  const begun = new Map<string, string>()
  let client: pg.Client | null = null
  let sending: Promise<unknown> = Promise.resolve()
  let queued = 0
  let reconnecting: Promise<void> = Promise.resolve()
  const closing = new AbortController()

  const receive = (payload = '') => {
    const [, from = '', number = '', count = '', part = ''] = /^(\w+) (\d+)\/(\d+) (.*)$/.exec(payload) ?? []
    if (from === self) return
    const text = number === '1' ? part : begun.has(from) ? begun.get(from) + part : null
    // Listening began in the middle of it.
    if (text === null) return
    if (number !== count) begun.set(from, text)
    else {
      begun.delete(from)
      hear(text, from)
    }
  }
  /** @throws when nobody listens after it; what was opened is closed again */
  async function connect(): Promise<void> {
    const made = new pg.Client({
      query_timeout: queryMs,
      ...config,
      application_name: 'sightline bus',
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    })
    let trouble = new Error('the connection to the other portals ended')
    made.on('error', (error) => {
      trouble = error
    })
    made.on('notification', ({ payload }) => receive(payload))
    try {
      await made.connect()
      await made.query(`listen ${name}`)
      closing.signal.throwIfAborted()
    } catch (error) {
      void made.end()
      throw error
    }
    client = made
    // Only now: before, an end is the failure of this attempt.
    made.once('end', () => {
      client = null
      // Its parts may be missing in the middle.
      begun.clear()
      if (closing.signal.aborted) return
      told(trouble)
      reconnecting = reconnect()
    })
  }
  const isConnected = () =>
    connect().then(
      () => true,
      () => false,
    )
  /** Each attempt fails of what was told already; that it is over is told once. */
  async function reconnect(): Promise<void> {
    do {
      // Rejects when the channel is closed meanwhile: then nothing is left to wait for.
      await pause(retryMs, undefined, { signal: closing.signal }).catch(() => undefined)
      if (closing.signal.aborted) return
    } while (!(await isConnected()))
    told(null)
  }
  await connect()

  return {
    async send(text) {
      const open = client
      if (!open) throw new Error('no connection to the other portals')
      if (queued > mostQueuedBytes) throw new Error('the other portals are told more than the database takes')
      // In ASCII a character is a byte.
      const ascii = text.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
      const count = Math.ceil(ascii.length / partChars)
      const parts = Array.from(
        { length: count },
        (_, i) => `${self} ${i + 1}/${count} ${ascii.slice(i * partChars, (i + 1) * partChars)}`,
      )
      const query = 'select pg_notify($1, part) from unnest($2::text[]) with ordinality as u(part, n) order by n'
      queued += ascii.length
      const sent = sending
        .then(() => open.query(query, [name, parts]))
        .finally(() => {
          queued -= ascii.length
        })
      sending = sent.catch((error: unknown) => {
        // It did not answer: there may be nobody at the other end.
        if (!(error instanceof pg.DatabaseError)) void open.end()
      })
      await sent
    },
    queuedBytes: () => queued,
    async close() {
      closing.abort()
      // An attempt that succeeds only now ends itself.
      await Promise.race([Promise.all([reconnecting, sending]), pause(farewellMs, undefined, { ref: false })])
      await client?.end()
    },
  }
}
