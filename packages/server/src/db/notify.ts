/** JSON from each process on this database to all the others, by LISTEN and NOTIFY. Nothing is kept: who is away misses it. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'

export type Channel = {
  /** @param text JSON, so that what is not ASCII can be written as an escape. Resolves once the server has it; rejects while there is no connection. */
  send(text: string): Promise<void>
  close(): Promise<void>
}

const name = 'sightline'
/** A notification holds less than 8000 bytes; some go to the head of a part. */
const partChars = 7900
const retryMs = 1000

/**
 * Opens the channel on a connection of its own, which is made again when it breaks.
 * @param hear gets what others send, in the order in which each sent it; never one's own
 */
export async function openChannel(
  config: pg.ClientConfig,
  hear: (text: string, from: string) => void,
): Promise<Channel> {
  const self = randomBytes(6).toString('hex')
  /** The beginnings of texts in several parts; the parts of one sender come one after the other. */
  const begun = new Map<string, string>()
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()
  let isClosed = false

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
  async function connect(): Promise<void> {
    const made = new pg.Client({ ...config, application_name: 'sightline bus', connectionTimeoutMillis: 5000 })
    const lost = () => {
      if (client === made) client = null
      // Its parts may be missing in the middle.
      begun.clear()
      if (!isClosed) timer = setTimeout(again, retryMs)
    }
    made.on('error', () => undefined)
    made.on('notification', ({ payload }) => receive(payload))
    await made.connect()
    made.once('end', lost)
    await made.query(`listen ${name}`)
    client = made
  }
  const again = () => {
    if (!isClosed)
      connect().catch(() => {
        timer = setTimeout(again, retryMs)
      })
  }
  await connect()

  return {
    async send(text) {
      if (!client) throw new Error('no connection to the other portals')
      // In ASCII a character is a byte.
      const ascii = text.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
      const count = Math.ceil(ascii.length / partChars)
      const parts = Array.from(
        { length: count },
        (_, i) => `${self} ${i + 1}/${count} ${ascii.slice(i * partChars, (i + 1) * partChars)}`,
      )
      const open = client
      const query = 'select pg_notify($1, part) from unnest($2::text[]) with ordinality as u(part, n) order by n'
      const sent = sending.then(() => open.query(query, [name, parts]))
      sending = sent.catch(() => undefined)
      await sent
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await sending
      await client?.end()
    },
  }
}
