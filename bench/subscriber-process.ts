/**
 * Browsers that listen to the stream, in a process whose CPU time nobody counts. Forked with the portal's origin; told by
 * messages what to open, when to cut some off for a moment, and asked what was told.
 */
import { once } from 'node:events'
import type { StreamFrame } from '@sightline/contract'
import { WebSocket } from 'ws'
import { wait } from './measure.ts'

export type ToSubscribers =
  | { type: 'open'; cookie: string; count: number; home: boolean }
  /** The first of each cookie loses its connection and comes back with its cursor. */
  | { type: 'cut' }
  | { type: 'count' }
/** Events told so far. */
export type Counted = {
  /** Over all subscribers of the organization that they are of. */
  deliveries: number
  /** To one of these: the least and the most. */
  least: number
  most: number
  /** To subscribers of another organization. */
  foreign: number
  /** Subscribers that came back and were not told what they had missed. */
  notResumed: number
}

type Subscriber = {
  cookie: string
  home: boolean
  cursor: string
  events: number
  open(): Promise<void>
  cut(): void
}

const origin = process.argv[2] as string
const all: Subscriber[] = []
let notResumed = 0
/** Frames are equal for many: each is read once. */
const read = new Map<string, { cursor: string; events: number; resumed: boolean | null }>()

function contentOf(bytes: Buffer) {
  const text = bytes.toString('latin1')
  const known = read.get(text)
  if (known) return known
  const { cursor, messages } = JSON.parse(bytes.toString()) as StreamFrame
  let events = 0
  let resumed: boolean | null = null
  for (const message of messages) {
    if (message.type === 'event') events += message.records
    if (message.type === 'hello') resumed = message.resumed
  }
  if (read.size > 200) read.clear()
  read.set(text, { cursor, events, resumed })
  return { cursor, events, resumed }
}

function subscriber(cookie: string, home: boolean): Subscriber {
  let socket: WebSocket
  const self: Subscriber = {
    cookie,
    home,
    cursor: '',
    events: 0,
    async open() {
      const url = `${origin.replace('http', 'ws')}/api/v1/stream${self.cursor === '' ? '' : `?after=${self.cursor}`}`
      // One address may have 400 open.
      const localAddress = `127.0.0.${2 + (all.indexOf(self) % 8)}`
      const isAgain = self.cursor !== ''
      socket = new WebSocket(url, { headers: { cookie, origin }, localAddress, perMessageDeflate: false })
      socket.on('message', (bytes: Buffer) => {
        const { cursor, events, resumed } = contentOf(bytes)
        self.cursor = cursor
        self.events += events
        if (isAgain && resumed === false) notResumed++
      })
      await once(socket, 'message')
    },
    cut: () => socket.terminate(),
  }
  return self
}

async function open(cookie: string, count: number, home: boolean): Promise<void> {
  for (let i = 0; i < count; i++) {
    const one = subscriber(cookie, home)
    all.push(one)
    await one.open()
  }
}

async function cut(): Promise<void> {
  const some = all.filter((one, i) => all.findIndex(({ cookie }) => cookie === one.cookie) === i)
  for (const one of some) one.cut()
  await wait(400)
  await Promise.all(some.map((one) => one.open()))
}

function counted(): Counted {
  const home = all.filter((one) => one.home).map(({ events }) => events)
  return {
    deliveries: home.reduce((sum, events) => sum + events, 0),
    least: Math.min(...home),
    most: Math.max(...home),
    foreign: all.filter((one) => !one.home).reduce((sum, one) => sum + one.events, 0),
    notResumed,
  }
}

process.on('message', async (message: ToSubscribers) => {
  if (message.type === 'open') await open(message.cookie, message.count, message.home)
  if (message.type === 'cut') await cut()
  process.send?.(message.type === 'count' ? counted() : 'done')
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
