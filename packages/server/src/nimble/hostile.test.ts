/** A nimble that proved its key and then does whatever it likes: the portal goes on, and no other tenant is touched. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { NimbleMessage, PortalMessage } from '@sightline/contract/edge'
import { encodeEvents, encodeMedia } from '@sightline/contract/frame'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { openAsNimble, openingPipe } from '@sightline/contract/opening'
import sharp from 'sharp'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createServer as createApp } from '../app.ts'
import { createBus } from '../bus.ts'
import { readEnv } from '../env.ts'
import { createEventWriter } from '../event/ingest.ts'
import { openSecrets } from '../secrets.ts'
import { testDatabase } from '../testing/database.ts'
import { eventRecord } from '../testing/events.ts'
import { factories } from '../testing/factories.ts'
import { until } from '../testing/until.ts'
import { createLinks, type Links } from './links.ts'

const { db, close } = await testDatabase()
const make = factories(db)
const folder = mkdtempSync(join(tmpdir(), 'sl-hostile-'))
const key = await openLinkKey(await createLinkKey())

const server = createServer()
const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false })
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo

const bus = createBus()
const env = { ...readEnv({}), dataDir: folder, localNimblePort: port }
const { log } = createApp(env, { level: process.env.TEST_LOG ?? 'silent' })
const events = createEventWriter({ db, bus })
const secrets = openSecrets(join(folder, 'instance.key'))
const row = await make.nimble({ port, wait_between_retry: 1 })
const channel = await make.channel({}, await make.device({}, await make.site(), row))

let links: Links
let socket: WebSocket
let heard: PortalMessage[]

beforeEach(async () => {
  links = createLinks({ env, db, bus, events, secrets, log })
  const came = once(sockets, 'connection')
  await links.start()
  ;[socket] = await came
  heard = await comeIn(socket)
  say(state)
  await until(() => links.status(row.uid)?.state === 'online', 'the link is up')
})
afterEach(() => links.stop())
afterAll(async () => {
  for (const client of sockets.clients) client.terminate()
  await new Promise((resolve) => server.close(resolve))
  await events.stop()
  await close()
  rmSync(folder, { recursive: true })
})

async function comeIn(ws: WebSocket): Promise<PortalMessage[]> {
  ws.on('error', () => undefined)
  const pipe = openingPipe(ws, 5000)
  await openAsNimble(pipe, { id: null, software: 'hostile 6.6.6', key }, () => null)
  const messages: PortalMessage[] = []
  pipe.release((data) => messages.push(JSON.parse(String(data))))
  return messages
}
const state: NimbleMessage = {
  type: 'state',
  applied_version: 1,
  sources: [],
  channels: [],
  interfaces: [],
  engine_version: '6.6.6',
  demo: false,
  capacity: 1,
  answers: [],
}
const say = (message: NimbleMessage) => socket.send(JSON.stringify(message))
const answers = (type: PortalMessage['type']) => heard.filter((message) => message.type === type)
const countEvents = async () =>
  (
    await db.owner((trx) =>
      trx.selectFrom('event').select(trx.fn.countAll<number>().as('events')).executeTakeFirstOrThrow(),
    )
  ).events
const recordOf = (channel_id: string) => eventRecord({ channel_id, observed_at: Date.now(), metrics: { total: 1 } })
const frameOf = (seq: number) => encodeEvents([recordOf(channel.uid)], seq).frame

test('frames that cannot be read are refused one by one, and good ones between them are stored', async () => {
  const before = await countEvents()
  const broken = frameOf(2).slice(0, 30)
  const bomb = frameOf(3).slice(0, 16)
  bomb[2] = 1
  socket.send(frameOf(1))
  socket.send(broken)
  socket.send(Buffer.concat([bomb, zstdCompressSync(Buffer.alloc(50_000_000))]))
  socket.send(frameOf(4))
  await until(() => answers('ack').length === 2 && answers('nack').length === 2, 'all four are answered')
  expect(answers('ack')).toEqual([
    { type: 'ack', seq: 1 },
    { type: 'ack', seq: 4 },
  ])
  expect(answers('nack')).toMatchObject([{ seq: 2 }, { seq: 3 }])
  expect(await countEvents()).toBe(before + 2)
})

test('records for what is not its own are kept apart, never stored', async () => {
  const foreign = await make.channel(
    {},
    await make.device({}, await make.site({}, await make.customer({}, await make.organization()))),
  )
  const neighbour = await make.channel()
  const before = await countEvents()
  const list = [foreign, neighbour].map(({ uid }) => recordOf(uid))
  socket.send(encodeEvents(list, 1).frame)
  await until(() => answers('ack').length === 1, 'the frame is answered')
  expect(await countEvents()).toBe(before)
  const rejected = await db.owner((trx) => trx.selectFrom('event_rejected').selectAll().execute())
  expect(rejected.length).toBe(2)
})

test('states of what is not its own change nothing', async () => {
  const other = await make.channel()
  say({
    type: 'channel.state',
    channel_id: other.uid,
    version: 99,
    state: 'running',
    detector_state: 'ok',
    cause: null,
    fps: 1,
    expected_fps: 1,
    drops: 0,
  })
  say({
    type: 'channel.state',
    channel_id: channel.uid,
    version: channel.version,
    state: 'running',
    detector_state: 'ok',
    cause: null,
    fps: 1,
    expected_fps: 1,
    drops: 0,
  })
  const states = () => db.owner((trx) => trx.selectFrom('channel_state').selectAll().execute())
  await until(async () => (await states()).some((one) => one.channel_id === channel.id), 'its own state is stored')
  expect((await states()).filter((one) => one.channel_id === other.id)).toEqual([])
})

test.each([
  [
    'text that is no message',
    () => {
      for (const text of ['', '{', '[]', 'null', '{"type":"reboot"}', '{"type":"ack","seq":1}']) socket.send(text)
    },
  ],
  ['answers nobody asked for', () => say({ type: 'media', id: 77, content_type: 'x', size: 5, at: 0, cause: null })],
  ['pictures nobody asked for', () => socket.send(encodeMedia(77, 'jpeg', randomBytes(1000)))],
  ['bytes without sense', () => socket.send(Buffer.concat([Buffer.of(9), randomBytes(100)]))],
  ['impossible times', () => say({ type: 'pong', at: 0, received: 9e15, sent: -9e15 })],
  ['wild figures', () => socket.send('{"type":"stats","at":1,"cpu":1e308,"memory_bytes":1e300}')],
  ['log lines with control characters', () => say({ type: 'log', level: 'error', text: '\u001b[2J\r\nfake', at: 0 })],
])('%s are passed over', async (_, misbehave) => {
  misbehave()
  socket.send(frameOf(1))
  await until(() => answers('ack').length === 1, 'the portal still stores')
  expect(links.status(row.uid)?.state).toBe('online')
})

test.each([
  ['an event frame without a number', () => socket.send(Buffer.of(1, 1, 0))],
  ['more frames at once than agreed', () => Array.from({ length: 200 }, (_, seq) => socket.send(frameOf(seq + 1)))],
  ['a message beyond all measure', () => socket.send(Buffer.alloc(5_000_000))],
])('%s ends the link, and the next one is as good as ever', async (_, misbehave) => {
  const came = once(sockets, 'connection')
  misbehave()
  await once(socket, 'close')
  ;[socket] = await came
  heard = await comeIn(socket)
  say(state)
  socket.send(frameOf(1))
  await until(() => answers('ack').length === 1, 'the portal stores again')
})

test('a picture that never ends is cut, one that never comes is given up', async () => {
  const asked = links.snapshot(row.uid, channel.uid)
  const failed = expect(asked).rejects.toMatchObject({ status: 502, code: 'media_too_large' })
  await until(() => answers('snapshot').length === 1, 'the question has come')
  const { id } = answers('snapshot')[0] as Extract<PortalMessage, { type: 'snapshot' }>
  say({ type: 'media', id, content_type: 'image/jpeg', size: 2 ** 40, at: 0, cause: null })
  await failed
  const never = links.channelDo(row.uid, channel.uid, 'restart', false)
  await expect(never).rejects.toMatchObject({ status: 504, code: 'nimble_timeout' })
})

test.each([
  ['a drawing', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['another format', () => sharp(grey).png().toBuffer()],
  ['a picture whose header claims more than a camera has', async () => claiming(16_383, 16_383)],
  ['the beginning of a picture', async () => (await claiming(8, 8)).subarray(0, 20)],
])('%s is no still, and is not opened', async (_, make) => {
  const picture = await make()
  const asked = links.snapshot(row.uid, channel.uid)
  const failed = expect(asked).rejects.toMatchObject({ status: 502, code: 'bad_stream' })
  await answerSnapshot(picture)
  await failed
})

test('the picture of a camera is one', async () => {
  const picture = await claiming(640, 360)
  const asked = links.snapshot(row.uid, channel.uid)
  await answerSnapshot(picture)
  expect((await asked).jpeg).toEqual(picture)
})

/** A small file whose header says this size. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const jpeg = await sharp(grey).jpeg({ progressive: true }).toBuffer()
  // Start of a progressive frame: marker, length, bits of a sample, then the size (ITU-T T.81, B.2.2).
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc2))
  jpeg.writeUInt16BE(height, frame + 5)
  jpeg.writeUInt16BE(width, frame + 7)
  return jpeg
}
const grey = { create: { width: 8, height: 8, channels: 3 as const, background: '#777' } }

async function answerSnapshot(picture: Buffer): Promise<void> {
  await until(() => answers('snapshot').length === 1, 'the question has come')
  const { id } = answers('snapshot')[0] as Extract<PortalMessage, { type: 'snapshot' }>
  say({ type: 'media', id, content_type: 'image/jpeg', size: picture.length, at: 0, cause: null })
  socket.send(encodeMedia(id, 'bytes', picture))
}

test('what it does not say that it can do is not asked of it', async () => {
  const asked = links.setOccupancy(row.uid, channel.uid, 12)
  await expect(asked).rejects.toMatchObject({ status: 409, code: 'nimble_too_old' })
  const { answers: _, ...ofOldVersion } = state
  socket.send(JSON.stringify(ofOldVersion))
  socket.send(frameOf(1))
  await until(() => answers('ack').length === 1, 'it is heard as before')
  await expect(links.setOccupancy(row.uid, channel.uid, 12)).rejects.toMatchObject({ code: 'nimble_too_old' })
  expect(answers('occupancy.set')).toEqual([])
})

test('questions under way end with the link', async () => {
  const asked = links.snapshot(row.uid, channel.uid)
  const failed = expect(asked).rejects.toMatchObject({ status: 503, code: 'nimble_unreachable' })
  await until(() => answers('snapshot').length === 1, 'the question has come')
  socket.terminate()
  await failed
})
