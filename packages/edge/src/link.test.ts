import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { linkPath, linkSubprotocol, type PortalMessage } from '@sightline/contract/edge'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { type OpeningSelf, openAsPortal, openingPipe } from '@sightline/contract/opening'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import type { PortalLink } from './conversation.ts'
import { openIdentity } from './identity.ts'
import { type Door, type DoorOptions, openDoor } from './link.ts'
import { keepingLog, until } from './testing/records.ts'

const nimbleId = '00000000-0000-7000-8000-000000000003'
const portalId = '00000000-0000-7000-8000-0000000000aa'

let folder: string
let doors: Door[]
let sockets: WebSocket[]
let heard: PortalMessage[]
let links: PortalLink[]
let closings: number
const log = keepingLog()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'door-'))
  doors = []
  sockets = []
  heard = []
  links = []
  closings = 0
  log.lines.length = 0
})
afterEach(async () => {
  for (const socket of sockets) socket.terminate()
  for (const door of doors) await door.close()
  rmSync(folder, { recursive: true })
})

async function open(change: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({
    host: '127.0.0.1',
    port: 0,
    software: 'test nimble',
    identity: await openIdentity(folder),
    awaitsEnrolment: false,
    log,
    onPortal(link) {
      links.push(link)
      return { message: (message) => heard.push(message), closed: () => closings++ }
    },
    ...change,
  })
  doors.push(door)
  return door
}

const portal = async (): Promise<OpeningSelf> => ({
  id: portalId,
  software: 'test portal',
  key: await openLinkKey(await createLinkKey()),
})

function dial(door: Door, options: ClientOptions = {}, scheme = 'ws', host = '127.0.0.1'): WebSocket {
  const socket = new WebSocket(`${scheme}://${host}:${door.port}${linkPath}`, linkSubprotocol, options)
  socket.on('error', () => undefined)
  sockets.push(socket)
  return socket
}

/** Comes in as the portal would. */
async function enter(door: Door, self: OpeningSelf) {
  const socket = dial(door)
  const pipe = openingPipe(socket, 10_000)
  await once(socket, 'open')
  const nimble = await openAsPortal(pipe, self, () => null)
  socket.send(JSON.stringify({ type: 'welcome', nimble_id: nimbleId, time: Date.now() }))
  return { socket, nimble }
}
const closing = async (socket: WebSocket): Promise<string> => {
  const [code, reason] = await once(socket, 'close')
  return `${code} ${reason}`
}

describe('the door', () => {
  test('lets the first portal in, and from then on no other', async () => {
    const door = await open()
    const mine = await portal()
    const { nimble } = await enter(door, mine)
    await until(() => links.length === 1, 'the portal is in')
    expect(nimble).toMatchObject({ id: null, public_key: readFileSync(join(folder, 'key.pub'), 'utf8').trim() })
    await expect(enter(door, await portal())).rejects.toThrow('enrolled_elsewhere')
    expect((await enter(door, mine)).nimble.id).toBe(nimbleId)
  })

  test('waits for the enrolment that the start command writes, and obeys it', async () => {
    const identity = await openIdentity(folder)
    const door = await open({ awaitsEnrolment: true, identity })
    const mine = await portal()
    await expect(enter(door, mine)).rejects.toThrow('enrolled_elsewhere')
    identity.enrol({ nimble_id: nimbleId, instance_id: portalId, portal_key: mine.key.publicKey })
    await enter(door, mine)
    await until(() => links.length === 1, 'the portal is in')
  })

  test('takes messages that came right after the welcome', async () => {
    const door = await open()
    const { socket } = await enter(door, await portal())
    for (let at = 0; at < 20; at++) socket.send(JSON.stringify({ type: 'ping', at }))
    await until(() => heard.length === 20, 'all pings are heard')
    expect(heard.map((message) => 'at' in message && message.at)).toEqual(Array.from({ length: 20 }, (_, at) => at))
  })

  test('a newer portal replaces the older one, and only after it has proven itself', async () => {
    const door = await open()
    const mine = await portal()
    const first = await enter(door, mine)
    await until(() => links.length === 1, 'the first is in')
    const left = closing(first.socket)
    const idle = dial(door)
    await once(idle, 'open')
    expect(first.socket.readyState).toBe(WebSocket.OPEN)
    await enter(door, mine)
    expect(await left).toMatch(/^4409/)
    await until(() => links.length === 2 && closings === 1, 'the second is in')
  })

  test('another protocol is told which one this is', async () => {
    const door = await open()
    const socket = dial(door)
    await once(socket, 'open')
    socket.send('{"type":"hello","protocol":2}')
    expect(await closing(socket)).toBe('4426 protocol_mismatch:1')
    expect(log.lines.at(-1)?.text).toContain('it speaks protocol 2')
  })

  test('who holds the right key but cannot prove it is refused', async () => {
    const door = await open()
    const [mine, stranger] = [await portal(), await portal()]
    await expect(
      enter(door, { ...mine, key: { publicKey: mine.key.publicKey, sign: stranger.key.sign } }),
    ).rejects.toThrow('key_unproven')
    expect(links).toEqual([])
  })

  test.each([
    ['silence', () => undefined],
    ['garbage', (socket: WebSocket) => socket.send('garbage')],
    ['bytes', (socket: WebSocket) => socket.send(Buffer.alloc(1000))],
    ['a torrent', (socket: WebSocket) => Array.from({ length: 500 }, () => socket.send('{}'))],
    ['a flood', (socket: WebSocket) => socket.send(Buffer.alloc(5 * 1024 * 1024))],
  ])('%s ends soon and harms nobody', async (_, misbehave) => {
    const door = await open({ openingMs: 3000 })
    const socket = dial(door)
    await once(socket, 'open')
    const ended = closing(socket)
    misbehave(socket)
    await ended
    await enter(door, await portal())
    await until(() => links.length === 1, 'the portal still gets in')
  })

  test('connections that prove nothing do not keep the portal out for long', async () => {
    const door = await open({ openingMs: 3000 })
    const idle = Array.from({ length: 8 }, () => dial(door))
    const ended = idle.map(closing)
    await Promise.all(idle.map((socket) => once(socket, 'open')))
    const ninth = dial(door)
    const [, response] = await once(ninth, 'unexpected-response')
    expect(response.statusCode).toBe(503)
    await Promise.all(ended)
    await enter(door, await portal())
    await until(() => links.length === 1, 'the portal gets in')
  })

  test('a web page is not let in, and a browser is told what this is', async () => {
    const door = await open()
    const [, response] = await once(dial(door, { origin: 'http://127.0.0.1:8080' }), 'unexpected-response')
    expect(response.statusCode).toBe(404)
    const asked = request({ port: door.port, path: '/' }).end()
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).toBe(404)
    const [text] = await once(answer, 'data')
    expect(String(text)).toContain('edge server of Sightline')
  })

  test('messages that are not understood are logged, not answered, and change nothing', async () => {
    const door = await open()
    const { socket } = await enter(door, await portal())
    for (const text of [
      '[]',
      '{"type":"format.disk"}',
      '{"type":"ack"}',
      '\u0000',
      '{"type":"config.put","config":{}}',
    ])
      socket.send(text)
    socket.send(Buffer.from([1, 2, 3]))
    socket.send('{"type":"ping","at":7}')
    await until(() => heard.length > 0, 'the ping is heard')
    expect(heard).toEqual([{ type: 'ping', at: 7 }])
    expect(log.lines.filter((line) => line.text.includes('not understood'))).toHaveLength(6)
  })

  test('beyond loopback it speaks TLS 1.3 with its own key', async () => {
    const door = await open({ host: '0.0.0.0' })
    const socket = dial(door, { rejectUnauthorized: false }, 'wss')
    const [response] = await once(socket, 'upgrade')
    expect(response.socket).toBeInstanceOf(TLSSocket)
    const tls = response.socket as TLSSocket
    expect(tls.getProtocol()).toBe('TLSv1.3')
    const key = tls.getPeerX509Certificate()?.publicKey.export({ format: 'jwk' })
    expect(Buffer.from(key?.x as string, 'base64url').toString('base64')).toBe(
      readFileSync(join(folder, 'key.pub'), 'utf8').trim(),
    )
    // Plain text is not served there.
    const plain = connect(door.port, '127.0.0.1').on('error', () => undefined)
    const answer: Buffer[] = []
    plain.on('data', (bytes) => answer.push(bytes))
    plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(plain, 'close')
    expect(Buffer.concat(answer).toString('latin1')).not.toContain('HTTP/1.1')
  })

  test('closing says that it goes, and ends also who does not listen', async () => {
    const door = await open()
    const { socket } = await enter(door, await portal())
    await until(() => links.length === 1, 'the portal is in')
    const silent = connect(door.port, '127.0.0.1')
    await once(silent, 'connect')
    const ended = closing(socket)
    const begun = performance.now()
    doors = []
    await door.close()
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(await ended).toMatch(/^1001/)
    silent.destroy()
  })
})

describe('identity', () => {
  test('the private key is for its owner alone, and stays the same', async () => {
    const first = await openIdentity(folder)
    expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
    expect((await openIdentity(folder)).key.publicKey).toBe(first.key.publicKey)
  })
})
