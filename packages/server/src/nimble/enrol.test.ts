/** An edge server behind NAT: real processes enrol with a real portal and dial it. */
import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { enrolPath, linkPath, linkSubprotocol } from '@sightline/contract/edge'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { openAsPortal, openingPipe } from '@sightline/contract/opening'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'

const program = fileURLToPath(new URL('../../../edge/src/main.ts', import.meta.url))
const openssl = spawnSync('openssl', ['version']).status === 0
if (!openssl) console.log('skipped: a portal behind TLS needs openssl')
const root = mkdtempSync(join(tmpdir(), 'sl-enrol-'))
const portal = await testApp()
const address = await portal.listen()
await portal.services.links.start()
let admin: Client
let children: ChildProcess[]
let count = 0

beforeEach(async () => {
  // Calls of one person are limited.
  admin = await portal.signIn('admin')
  children = []
})
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})
afterAll(async () => {
  await portal.close()
  rmSync(root, { recursive: true, maxRetries: 5 })
})

const newFolder = () => join(root, String(++count))
const { db } = portal.services

/** Starts the program as `npm run nimble` does; what it says is gathered in `text`. */
function run(folder: string, ...args: string[]) {
  const child = fork(program, args, {
    env: {
      PATH: process.env.PATH,
      NIMBLE_DATA_DIR: folder,
      ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
    },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  children.push(child)
  const said = { child, text: '' }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said.text += chunk))
  return said
}
async function ended(said: ReturnType<typeof run>): Promise<{ code: number | null; lines: string[] }> {
  await once(said.child, 'close')
  return { code: said.child.exitCode, lines: said.text.trim().split('\n') }
}

async function configured(): Promise<string> {
  const { uid } = await portal.make.nimble({ mode: 'enrolled', address: null, port: null })
  portal.services.links.reload()
  return uid
}
async function commandFor(uid: string): Promise<{ token: string; command: string }> {
  const { status, body } = await admin.call('nimble.enrol', { nimble_id: uid })
  expect(status).toBe(200)
  return body.response
}
async function enrolled(uid: string, folder = newFolder()): Promise<string> {
  const { token } = await commandFor(uid)
  expect((await ended(run(folder, 'enrol', address, token))).code).toBe(0)
  return folder
}
const statusOf = async (uid: string) => {
  await pause(200)
  return (await admin.call('nimble.status', { nimble_id: uid })).body.response
}
const isOnline = (uid: string) => async () => (await statusOf(uid)).state === 'online'
const row = (uid: string) =>
  db.owner((trx) => trx.selectFrom('nimble').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow())

describe('an enrolled edge server', () => {
  test('exchanges keys by the pasted command, dials the portal, and is back after the portal closed the link', async () => {
    const uid = await configured()
    expect(await statusOf(uid)).toMatchObject({ lost_events: null, rejected_events: null, applied_version: null })
    const { command, token } = await commandFor(uid)
    expect(command).toBe(`npm run nimble -- enrol ${address} ${token}`)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const stored = await db.owner((trx) =>
      trx.selectFrom('one_time_token').select('token_hash').where('purpose', '=', 'enrol').execute(),
    )
    expect(stored.map(({ token_hash }) => token_hash.toString('base64url'))).not.toContain(token)

    const folder = newFolder()
    const { code, lines } = await ended(run(folder, ...command.split(' ').slice(4)))
    expect([code, lines]).toEqual([0, [expect.stringContaining(`of ${address} from now on`)]])
    const ownKey = readFileSync(join(folder, 'key.pub'), 'utf8').trim()
    expect(await row(uid)).toMatchObject({ mode: 'enrolled', key_state: 'pinned', public_key: ownKey, address: null })

    const edge = run(folder)
    await until(isOnline(uid), 'it has dialled')
    await until(async () => (await statusOf(uid)).sync === 'in_sync', 'what it should run is applied')
    // Everything is asked over it as over any link.
    const { links } = portal.services
    const scanned = await links.discover(uid, { seconds: 0.3 }, () => undefined, new AbortController().signal)
    expect(scanned.interfaces.length).toBeGreaterThan(0)
    expect(await db.owner((trx) => trx.selectFrom('lease').select('name').execute())).toContainEqual({
      name: `nimble.link ${uid}`,
    })
    const { since } = await statusOf(uid)
    links.reload()
    await db.owner((trx) => trx.updateTable('nimble').set({ wait_between_retry: 11 }).where('uid', '=', uid).execute())
    links.reload()
    await until(async () => (await statusOf(uid)).since > since && (await isOnline(uid)()), 'it is back')
    edge.child.kill('SIGTERM')
    await once(edge.child, 'exit')
    expect(edge.child.exitCode).toBe(0)
    await until(async () => (await statusOf(uid)).cause === 'connection_lost', 'the loss is shown')
  })

  test('may be one that was dialled before; it keeps its identity', async () => {
    const { uid } = await portal.make.nimble({ port: 9, retry_times: 1 })
    const folder = await enrolled(uid)
    run(folder)
    await until(isOnline(uid), 'it has dialled')
    expect((await admin.call('nimble.get', { nimble_id: uid })).body.response).toMatchObject({
      mode: 'enrolled',
      address: null,
      port: null,
    })
    const back = await admin.call('nimble.update', { nimble_id: uid, mode: 'dial' })
    expect([back.status, back.body.errors]).toEqual([400, { address: ['required'], port: ['required'] }])
  })

  test('only the newest token counts, once, for an hour', async () => {
    const uid = await configured()
    const [older, newer] = [await commandFor(uid), await commandFor(uid)]
    const tries = async (token: string) => ended(run(newFolder(), 'enrol', address, token))
    const refusal = (text: string) => ({ code: 1, lines: [expect.stringContaining(text)] })
    expect(await tries(older.token)).toEqual(refusal('does not know this token'))
    // Two machines at once: one of them.
    const both = await Promise.all([tries(newer.token), tries(newer.token)])
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(both.find(({ code }) => code === 1)).toEqual(refusal('has been used already'))
    const late = await commandFor(uid)
    await db.owner((trx) =>
      sql`update one_time_token set expires_at = now() - interval '1 s' where purpose = 'enrol'`.execute(trx),
    )
    expect(await tries(late.token)).toEqual(refusal('has expired'))
  })

  test.each([
    ['http://192.168.7.1', [], 'everyone on this network can read along'],
    ['http://203.0.113.7', ['--allow-http'], 'use https'],
    ['ftp://portal.example.org', [], 'is not the address of a portal'],
    ['https://127.0.0.1:64999', [], 'Nothing listens at'],
    ['https://no-such-host.invalid', [], 'is not known here'],
  ])('%s %j is refused in one sentence', async (url, flags, words) => {
    const { code, lines } = await ended(run(newFolder(), 'enrol', url, 'x'.repeat(43), ...flags))
    expect([code, lines]).toEqual([1, [expect.stringContaining(words)]])
  })

  test('a web server that is no portal is told apart', async () => {
    const web = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1')
    await once(web, 'listening')
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    const { code, lines } = await ended(run(newFolder(), 'enrol', url, 'x'))
    expect([code, lines]).toEqual([1, [expect.stringContaining('is not a portal of Sightline')]])
    web.close()
  })
})

describe('two portals', () => {
  test('the one that is dialled has the link; the one that had it lets go at once, and still reaches the edge server', async () => {
    const shared = { DATABASE_URL: 'postgres://shared/database' }
    const one = await testApp(shared)
    const two = await testApp(shared, { beside: one })
    const [first, second] = [await one.listen(), await two.listen()]
    const someone = await one.signIn('admin')
    await one.services.links.start()
    await two.services.links.start()
    const { uid } = await one.make.nimble({ mode: 'enrolled', address: null, port: null })
    const { body } = await someone.call('nimble.enrol', { nimble_id: uid })
    const folder = newFolder()
    // The token is good at any of them.
    expect((await ended(run(folder, 'enrol', second, body.response.token))).code).toBe(0)
    const isUp = (portal: TestApp) => () => portal.services.links.status(uid)?.state === 'online'
    const edge = run(folder)
    await until(isUp(two), 'it is at the second')
    expect(isUp(one)()).toBe(false)
    // As pages read it, at both portals.
    const readers = [someone, await two.signIn(someone.user as NonNullable<Client['user']>)]
    const seen = new Set<string>()
    const look = async () => {
      for (const reader of readers) {
        const { state } = (await reader.call('nimble.status', { nimble_id: uid })).body.response
        seen.add(state)
        if (state !== 'online') return false
      }
      return true
    }
    expect(await look()).toBe(true)
    edge.child.kill('SIGKILL')
    await once(edge.child, 'exit')
    pointTo(folder, first)
    run(folder)
    await until(async () => (await look()) && isUp(one)(), 'it is at the first')
    await until(() => two.services.links.status(uid) === null, 'the second has let go', 10_000)
    expect(await look()).toBe(true)
    // That it changed portals is no loss of it: neither of these is shown in the banner.
    expect([...seen].filter((state) => state !== 'online' && state !== 'connecting')).toEqual([])
    const scanned = await two.services.links.discover(uid, { seconds: 0.3 }, () => undefined, AbortSignal.timeout(9000))
    expect(scanned.interfaces.length).toBeGreaterThan(0)
    await two.close()
    expect(isUp(one)()).toBe(true)
    await one.close()
  })
})

describe('through TLS', () => {
  test.skipIf(!openssl)(
    'to a portal whose certificate this machine trusts, and to no other',
    async () => {
      const folder = newFolder()
      mkdirSync(folder)
      const [keyFile, certFile] = [join(folder, 'tls.key'), join(folder, 'tls.pem')]
      const subject = [
        '-subj',
        '/CN=portal',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        keyFile,
        '-out',
        certFile,
      ]
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject], {
        stdio: 'ignore',
      })
      const { hostname, port } = new URL(address)
      const proxy = createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (near) => {
        const far = connect(Number(port), hostname)
        near.pipe(far).pipe(near)
        near.on('error', () => far.destroy())
        far.on('error', () => near.destroy())
      }).listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      const url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`

      const uid = await configured()
      const { token } = await commandFor(uid)
      const refused = await ended(run(folder, 'enrol', url, token))
      expect([refused.code, refused.lines]).toEqual([1, [expect.stringContaining('is not trusted on this machine')]])
      // Nothing was sent: the token is still good.
      process.env.NODE_EXTRA_CA_CERTS = certFile
      onTestFinished(() => void delete process.env.NODE_EXTRA_CA_CERTS)
      expect((await ended(run(folder, 'enrol', url, token))).code).toBe(0)
      const edge = run(folder)
      await until(isOnline(uid), 'it has dialled')
      edge.child.kill('SIGTERM')
      await once(edge.child, 'exit')

      delete process.env.NODE_EXTRA_CA_CERTS
      const other = run(folder)
      await until(() => other.text.includes('is not trusted on this machine'), 'the edge server says it')
      proxy.close()
    },
    60_000,
  )
})

describe('words on both sides', () => {
  test('for a key that was replaced, and for a configuration that was deleted', async () => {
    const uid = await configured()
    const first = run(await enrolled(uid))
    await until(isOnline(uid), 'the first has dialled')
    await enrolled(uid)
    await until(() => first.text.includes('The portal trusts another key'), 'the first is told')
    await until(async () => (await statusOf(uid)).cause === 'key_changed', 'the portal shows it')
    expect(await statusOf(uid)).toMatchObject({ state: 'refused' })

    const other = await configured()
    const second = run(await enrolled(other))
    await until(isOnline(other), 'the second has dialled')
    expect((await admin.call('nimble.delete', { nimble_id: other })).status).toBe(200)
    await until(() => second.text.includes('its configuration was deleted'), 'the second is told')
  })

  test('for two edge servers with one identity: the newer one is served, the older stands back', async () => {
    const uid = await configured()
    const folder = await enrolled(uid)
    const copy = newFolder()
    cpSync(folder, copy, { recursive: true })
    const first = run(folder)
    await until(isOnline(uid), 'the first has dialled')
    run(copy)
    await until(() => first.text.includes('Another edge server with the same identity'), 'the first is told')
    await until(async () => (await statusOf(uid)).cause === 'identity_twice', 'the portal shows it')
    expect(await statusOf(uid)).toMatchObject({ state: 'online', health: 'needs attention' })
  })

  test('for another protocol, from either side', async () => {
    const uid = await configured()
    const folder = await enrolled(uid)
    const ws = new WebSocket(address.replace('http', 'ws') + linkPath, linkSubprotocol)
    await once(ws, 'open')
    ws.send(JSON.stringify({ type: 'hello', protocol: 2, id: uid }))
    const [code, reason] = await once(ws, 'close')
    expect(`${code} ${reason}`).toBe('4426 protocol_mismatch:1')
    await until(async () => (await statusOf(uid)).cause === 'protocol_mismatch:2', 'the portal shows it')

    const future = createServer().listen(0, '127.0.0.1')
    await once(future, 'listening')
    const sockets = new WebSocketServer({ server: future, handleProtocols: () => linkSubprotocol })
    sockets.on('connection', (socket) => socket.send(JSON.stringify({ type: 'hello', protocol: 2 })))
    pointTo(folder, `http://127.0.0.1:${(future.address() as AddressInfo).port}`)
    const edge = run(folder)
    await until(() => edge.text.includes('speaks protocol 2, this edge server protocol 1'), 'the edge server says it')
    for (const socket of sockets.clients) socket.terminate()
    future.close()
  })

  test('for another portal at the same address', async () => {
    const uid = await configured()
    const folder = await enrolled(uid)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const sockets = new WebSocketServer({ server: other, handleProtocols: () => linkSubprotocol })
    const key = await openLinkKey(await createLinkKey())
    sockets.on('connection', (socket) => {
      const self = { id: '00000000-0000-7000-8000-0000000000aa', software: 'another portal', key }
      openAsPortal(openingPipe(socket, 5000), self, () => null).catch(() => socket.close())
    })
    pointTo(folder, `http://127.0.0.1:${(other.address() as AddressInfo).port}`)
    const edge = run(folder)
    await until(() => edge.text.includes('Another portal answers'), 'the edge server says it')
    for (const socket of sockets.clients) socket.terminate()
    other.close()
  })
})

describe('strangers', () => {
  test('prove nothing: without a configuration, without its key, and pages of browsers are refused', async () => {
    const uid = await configured()
    await enrolled(uid)
    const key = await openLinkKey(await createLinkKey())
    const comeAs = async (id: string | null) => {
      const ws = new WebSocket(address.replace('http', 'ws') + linkPath, linkSubprotocol)
      await once(ws, 'open')
      ws.send(
        JSON.stringify({ type: 'hello', protocol: 1, software: 'x', id, nonce: 'AAAA', public_key: key.publicKey }),
      )
      const [code, reason] = await once(ws, 'close')
      return `${code} ${reason}`
    }
    expect(await comeAs(null)).toBe('4401 not_enrolled')
    expect(await comeAs('00000000-0000-7000-8000-00000000dead')).toBe('4401 not_enrolled')
    expect(await comeAs(uid)).toBe('4401 key_changed')
    const page = new WebSocket(address.replace('http', 'ws') + linkPath, linkSubprotocol, { origin: address })
    page.on('error', () => undefined)
    const [, response] = await once(page, 'unexpected-response')
    expect(response.statusCode).toBe(404)
    const posted = await fetch(address + enrolPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: address },
      body: '{}',
    })
    expect(posted.status).toBe(403)
  })

  test('connections that prove nothing are few at a time', async () => {
    const idle = Array.from(
      { length: 8 },
      () => new WebSocket(address.replace('http', 'ws') + linkPath, linkSubprotocol),
    )
    await Promise.all(idle.map((ws) => once(ws, 'open')))
    const ninth = new WebSocket(address.replace('http', 'ws') + linkPath, linkSubprotocol)
    ninth.on('error', () => undefined)
    const [, response] = await once(ninth, 'unexpected-response')
    expect(response.statusCode).toBe(503)
    for (const ws of idle) ws.terminate()
  })

  test('behind a trusted proxy each counts for itself, and nobody can pass for another', async () => {
    const behind = await testApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
    const url = (await behind.listen()).replace('http', 'ws') + linkPath
    await behind.services.links.start()
    const from = (forwarded: string) =>
      new WebSocket(url, linkSubprotocol, { headers: { 'x-forwarded-for': forwarded } }).on('error', () => undefined)
    const idle = Array.from({ length: 8 }, () => from('203.0.113.1'))
    await Promise.all(idle.map((ws) => once(ws, 'open')))
    const [, response] = await once(from('198.51.100.9, 203.0.113.1'), 'unexpected-response')
    expect(response.statusCode).toBe(503)
    const other = from('203.0.113.1, 203.0.113.2')
    await once(other, 'open')
    for (const ws of [...idle, other]) ws.terminate()
    await behind.close()
  })

  test('the edge server beside the portal is not enrolled by hand', async () => {
    const { uid } = await portal.make.nimble({ is_local: true })
    const { status, body } = await admin.call('nimble.enrol', { nimble_id: uid })
    expect([status, body.errors]).toEqual([400, { nimble_id: ['nimble_is_local'] }])
  })
})

/** As if the portal's address led elsewhere now. */
function pointTo(folder: string, url: string): void {
  const file = join(folder, 'enrolment.json')
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...kept, portal_url: url }))
}
