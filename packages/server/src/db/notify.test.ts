import { once } from 'node:events'
import net from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { createWire, type Wire } from '../wire.ts'
import { type Channel, openChannel } from './notify.ts'

const { db, url, close } = await testDatabase()
afterAll(close)

/** What is between a portal and its database: counts connections, and does to them what a test wants. */
async function openRoad() {
  const probe = new pg.Client(url)
  const { host, port, database, user, password } = probe
  const open = new Set<net.Socket>()
  const held: (() => void)[] = []
  const state = { made: 0, failed: 0, onListen: 'pass' as 'pass' | 'break' | 'spoil', isHeld: false }
  const server = net.createServer((near) => {
    state.made++
    open.add(near)
    const far = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
    near.on('close', () => {
      open.delete(near)
      far.destroy()
    })
    far.on('close', () => near.destroy())
    for (const socket of [near, far]) socket.on('error', () => undefined)
    far.on('data', (bytes) => near.write(bytes))
    near.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      if (state.isHeld) return void held.push(() => far.write(bytes))
      if (text.includes('listen sightline') && state.onListen !== 'pass') {
        state.failed++
        if (state.onListen === 'break') return void near.destroy()
        return void far.write(Buffer.from(text.replace('listen', 'lispen'), 'latin1'))
      }
      far.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: here } = server.address() as net.AddressInfo
  return {
    state,
    open,
    config: { host: '127.0.0.1', port: here, database, user, ...(password && { password }) } as pg.ClientConfig,
    release() {
      state.isHeld = false
      for (const pass of held.splice(0)) pass()
    },
    breakAll() {
      for (const socket of open) socket.destroy()
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

let road: Awaited<ReturnType<typeof openRoad>>
let other: Channel
const heard: string[] = []
/** What it says of its connection: a loss, or that it is over. */
const told: ('lost' | 'back')[] = []
const channels: Channel[] = []
beforeEach(async () => {
  heard.length = 0
  told.length = 0
  road = await openRoad()
  other = await db.channel(
    () => undefined,
    () => undefined,
  )
  channels.push(other)
})
afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()))
  road.close()
})
const opened = async (config: pg.ClientConfig = {}) => {
  const channel = await openChannel(
    { ...road.config, ...config },
    (text) => heard.push(text),
    (trouble) => told.push(trouble ? 'lost' : 'back'),
  )
  channels.push(channel)
  return channel
}
const isHeard = (text: string) => async () => {
  await other.send(text)
  return heard.includes(text)
}

describe('a channel whose connection breaks', () => {
  test('while it begins to listen comes back once, and hears everything once', async () => {
    await opened()
    road.state.onListen = 'break'
    road.breakAll()
    await until(() => road.state.failed >= 1, 'it tries again')
    road.state.onListen = 'pass'
    await until(isHeard('"back"'), 'it hears again')
    expect(told).toEqual(['lost', 'back'])
    await other.send('"once"')
    await other.send('"last"')
    await until(() => heard.includes('"last"'), 'the last is heard')
    expect(heard.filter((text) => text === '"once"')).toHaveLength(1)
    expect(road.state.made).toBeGreaterThanOrEqual(3)
    await until(() => road.open.size === 1, 'the others are closed')
  })

  test('and cannot listen afterwards leaves no connection behind with each try', async () => {
    await opened()
    road.state.onListen = 'spoil'
    road.breakAll()
    await until(() => road.state.failed >= 2, 'it tries twice')
    // Once, however often it tries in vain.
    expect(told).toEqual(['lost'])
    road.state.onListen = 'pass'
    await until(isHeard('"back"'), 'it hears again')
    await until(() => road.open.size === 1, 'the others are closed')
  })

  test('and is closed before it is back leaves none either', async () => {
    const channel = await opened()
    road.state.isHeld = true
    road.breakAll()
    await until(() => road.state.made >= 2, 'it tries again')
    const closed = channel.close()
    road.release()
    await closed
    await until(() => road.open.size === 0, 'what was opened is closed')
  })
})

describe('a channel whose server takes nothing', () => {
  test('keeps no more than its limit, and refuses the rest', async () => {
    const channel = await opened()
    road.state.isHeld = true
    const text = JSON.stringify('x'.repeat(4 * 1024 * 1024))
    const sent = await Promise.all(
      Array.from({ length: 12 }, () =>
        Promise.race([
          channel.send(text).then(
            () => 'sent',
            () => 'refused',
          ),
          new Promise((resolve) => setTimeout(resolve, 500, 'waits')),
        ]),
      ),
    )
    expect(sent.filter((one) => one === 'refused')).toHaveLength(4)
    expect(channel.queuedBytes()).toBeLessThan(40 * 1024 * 1024)
    road.breakAll()
    await until(() => channel.queuedBytes() === 0, 'what waited is given up')
  })

  test('gives the connection up and makes another', async () => {
    const channel = await opened({ query_timeout: 3000 })
    road.state.isHeld = true
    await expect(channel.send('"lost"')).rejects.toThrow()
    road.release()
    await until(isHeard('"back"'), 'it hears again')
    await channel.send('"found"')
    expect(road.state.made).toBeGreaterThanOrEqual(2)
    expect(channel.queuedBytes()).toBe(0)
    await until(() => road.open.size === 1, 'the other is closed')
  })
})

test('what cannot be read, and a listener that fails, are logged and hold up nothing', async () => {
  const logged: unknown[] = []
  const log = { warn: () => undefined, error: (what: unknown) => void logged.push(what) }
  const wire = createWire(db, log as unknown as Parameters<typeof createWire>[1])
  const kinds: string[] = []
  wire.hear(() => {
    throw new Error('a listener failed')
  })
  const hear: Parameters<Wire['hear']>[0] = (message) => void kinds.push(message.kind)
  wire.hear(hear)
  await wire.start()
  try {
    await other.send('{ no JSON')
    await other.send('{"kind":"entered","nimble":"a"}')
    await until(() => kinds.length > 0, 'the good one is heard')
    expect(kinds).toEqual(['entered'])
    expect(logged).toHaveLength(2)
  } finally {
    await wire.stop()
  }
})
