import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
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
    expect(JSON.parse(String(message))).toMatchObject({ type: 'hello' })
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
