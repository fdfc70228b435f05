import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import type { Caller } from './scope.ts'
import { watchSockets } from './sockets.ts'
import { type Client, type TestApp, testApp } from './testing/app.ts'

let t: TestApp
let url: string
beforeAll(async () => {
  t = await testApp()
  url = `${(await t.listen()).replace('http', 'ws')}/api/v1/stream`
})
afterAll(() => t.close())

const open: WebSocket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) {
    // One that was refused was never open: ending it is an error to the library.
    if (socket.readyState === WebSocket.CONNECTING) socket.once('error', () => undefined)
    socket.terminate()
  }
})

/** Opens as a page of ours would, unless `headers` say otherwise. */
function connect(client: Client, headers: Record<string, string> = {}): WebSocket {
  const socket = new WebSocket(url, {
    headers: { cookie: client.cookie ?? '', origin: new URL(url.replace('ws', 'http')).origin, ...headers },
  })
  open.push(socket)
  return socket
}
async function refusal(socket: WebSocket): Promise<number> {
  const [, response] = await once(socket, 'unexpected-response')
  return response.statusCode
}
async function closing(socket: WebSocket, withinMs: number): Promise<number> {
  const [code] = await once(socket, 'close', { signal: AbortSignal.timeout(withinMs) })
  return code
}

describe('a socket opens', () => {
  test('for somebody signed in, and greets', async () => {
    const socket = connect(await t.signIn('viewer'))
    const [message] = await once(socket, 'message')
    expect(JSON.parse(String(message))).toMatchObject({ messages: [{ type: 'hello', resumed: false }] })
  })

  test('for nobody else: 401 before any upgrade', async () => {
    expect(await refusal(connect(t.stranger()))).toBe(401)
    expect(await refusal(connect(t.stranger(), { cookie: 'sightline=forged' }))).toBe(401)
  })

  test('for no page of another site, whose browser sends the cookie along: 403', async () => {
    const client = await t.signIn('viewer')
    expect(await refusal(connect(client, { origin: 'http://evil.example' }))).toBe(403)
    expect(await refusal(connect(client, { origin: 'null' }))).toBe(403)
  })

  test('not by a plain request: 426', async () => {
    const client = await t.signIn('viewer')
    expect((await client.send({ url: '/api/v1/stream' })).status).toBe(426)
  })
})

describe('a socket is closed with 4401 within five seconds', () => {
  const ends: [string, (client: Client) => Promise<unknown>][] = [
    ['after signing out', (client) => client.call('auth.logout')],
    [
      'after the account was disabled',
      async (client) =>
        (await t.signIn('super_admin')).call('user.update', { user_id: client.user?.uid, status: 'disabled' }),
    ],
    [
      'after the session was ended elsewhere',
      async (client) => {
        const admin = await t.signIn('super_admin')
        const { body } = await admin.call('user.sessions', { user_id: client.user?.uid })
        return admin.call('user.sessionRevoke', { session_id: body.response[0].session_id })
      },
    ],
    [
      'after the session ran out',
      (client) =>
        t.services.db.owner((trx) =>
          sql`update session set expires_at = now() where user_id = ${client.user?.id}`.execute(trx),
        ),
    ],
  ]
  test.each(ends)('%s', async (_, end) => {
    const [client, other] = [await t.signIn('viewer'), await t.signIn('viewer')]
    const [socket, remains] = [connect(client), connect(other)]
    await Promise.all([once(socket, 'message'), once(remains, 'message')])
    await end(client)
    expect(await closing(socket, 5000)).toBe(4401)
    expect(remains.readyState).toBe(WebSocket.OPEN)
  })
})

describe('of open sockets', () => {
  test('a person has forty; the next is closed with words, and others open theirs', async () => {
    const [client, other] = [await t.signIn('viewer'), await t.signIn('viewer')]
    const first = Array.from({ length: 40 }, () => connect(client))
    await Promise.all(first.map((socket) => once(socket, 'message')))
    const [code, reason] = await once(connect(client), 'close')
    expect([code, String(reason)]).toEqual([4429, 'too_many_sockets'])
    await once(connect(other), 'message')
    first[0]?.close()
    await once(first[0] as WebSocket, 'close')
    await once(connect(client), 'message')
  })

  test('frames that are none, and a connection that tears, are no errors of the portal', async () => {
    const lines: { level: number; msg: string }[] = []
    const log = { level: 'info', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } }
    const noisy = await testApp({}, {}, log)
    try {
      const client = await noisy.signIn('viewer')
      const origin = await noisy.listen()
      const headers = { cookie: client.cookie ?? '', origin }
      const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/v1/stream`, { headers })
      socket.on('error', () => undefined)
      await once(socket, 'message')
      // The connection below: bytes that are no frame.
      ;(socket as unknown as { _socket: Socket })._socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
      await once(socket, 'close')
      await expect.poll(() => lines.filter(({ msg }) => msg.startsWith('a live connection broke'))).toHaveLength(1)
      expect(lines.filter(({ level }) => level >= 40)).toEqual([])
    } finally {
      await noisy.close()
    }
  })
})

describe('a session that nobody uses runs out', () => {
  const idle = (client: Client) =>
    t.services.db.owner((trx) =>
      sql`update session set last_seen_at = now() - interval '29 min' where user_id = ${client.user?.id}`.execute(trx),
    )
  const seenSecondsAgo = async (client: Client): Promise<number> => {
    const { rows } = await t.services.db.owner((trx) =>
      sql<{ s: number }>`select extract(epoch from now() - last_seen_at)::int as s from session
        where user_id = ${client.user?.id}`.execute(trx),
    )
    return rows[0]?.s ?? -1
  }

  test('although its socket is open, is taken up again, and the page reads by itself', async () => {
    const client = await t.signIn('viewer')
    await idle(client)
    await once(connect(client), 'message')
    const away = { headers: { 'x-away': '1' } }
    expect((await client.call('site.list', {}, away)).status).toBe(200)
    expect((await client.call('usecase.list', {}, away)).status).toBe(200)
    expect(await seenSecondsAgo(client)).toBeGreaterThan(1700)
  })

  test('but not under the hands of a person: what they look at and change counts', async () => {
    const reader = await t.signIn('viewer')
    await idle(reader)
    await reader.call('site.list')
    expect(await seenSecondsAgo(reader)).toBeLessThan(60)
    const writer = await t.signIn('viewer')
    await idle(writer)
    await writer.call('user.configUpdate', { ui_config: { dark: true } }, { headers: { 'x-away': '1' } })
    expect(await seenSecondsAgo(writer)).toBeLessThan(60)
  })
})

test('one whose reach cannot be asked keeps no other from being closed, nor from its ping', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let time = 0
  const caller = (sessionUid: string) => ({ principal: { sessionUid, userUid: sessionUid }, scope: {} }) as Caller
  const lives = new Set(['broken', 'good', 'ended'])
  const sockets = watchSockets(
    async (uids) => new Map(uids.filter((uid) => lives.has(uid)).map((uid) => [uid, caller(uid)])),
    t.app.log,
    () => time,
  )
  const join = async (uid: string) => {
    const opened = once(server, 'connection')
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    open.push(client)
    const [ws] = await opened
    return { client, socket: sockets.add(ws, caller(uid), '127.0.0.1') }
  }
  const [broken, good, ended] = [await join('broken'), await join('good'), await join('ended')]
  broken.socket.recheck(() => Promise.reject(new Error('the database is away')))
  good.socket.recheck(() => false)
  lives.delete('ended')
  time = 61_000
  const pinged = once(broken.client, 'ping')
  const closed = [closing(good.client, 5000), closing(ended.client, 5000)]
  await sockets.check()
  expect(await Promise.all(closed)).toEqual([4404, 4401])
  await pinged
  expect(broken.client.readyState).toBe(WebSocket.OPEN)
  await sockets.close()
  server.close()
})

test('one that is asked for at once and again is looked at once after the other, and after the last asking', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const caller = { principal: { sessionUid: 'one', userUid: 'one' }, scope: {} } as Caller
  const sockets = watchSockets(async () => new Map([['one', caller]]), t.app.log)
  const opened = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  open.push(client)
  const [ws] = await opened
  const socket = sockets.add(ws, caller, '127.0.0.1')
  /** What is to be found; the first look reads it and takes its time to end. */
  let truth = 0
  let shown: number | null = null
  const looks: { end(): void }[] = []
  const look = socket.recheck(async () => {
    const found = truth
    const { promise, resolve } = Promise.withResolvers<void>()
    looks.push({ end: resolve })
    if (looks.length === 1) await promise
    shown = found
    return true
  })
  look()
  await expect.poll(() => looks).toHaveLength(1)
  truth = 1
  for (let i = 0; i < 5; i++) look()
  const round = sockets.check()
  // A second look, had it begun, would be through by the time that its session was asked for.
  await new Promise(setImmediate)
  expect([looks.length, shown]).toEqual([1, null])
  looks[0]?.end()
  await round
  expect([looks.length, shown]).toEqual([2, 1])
  await sockets.close()
  server.close()
})

test('what a page sends too much of closes its socket', async () => {
  const socket = connect(await t.signIn('viewer'))
  await once(socket, 'message')
  socket.send('x'.repeat(5000))
  expect(await closing(socket, 5000)).toBe(1009)
})

test('a portal that stops says so with 1001', async () => {
  const other = await testApp()
  const client = await other.signIn('viewer')
  const origin = await other.listen()
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/v1/stream`, {
    headers: { cookie: client.cookie ?? '', origin },
  })
  await once(socket, 'message')
  const [code] = await Promise.all([closing(socket, 5000), other.close()])
  expect(code).toBe(1001)
})
