import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { type LinkSource, linkUnacknowledged, type NimbleMessage } from '@sightline/contract/edge'
import { decodeEvents, decodeMedia, frameKinds, readEventHeader } from '@sightline/contract/frame'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCameras } from './cameras.ts'
import { createClock } from './clock.ts'
import type { PortalLink, PortalSession } from './conversation.ts'
import { Journal } from './journal.ts'
import { clipFiles } from './live/clip.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { startSession } from './session.ts'
import { keepingLog, testRecords, until } from './testing/records.ts'

const folder = mkdtempSync(join(tmpdir(), 'session-'))
const log = keepingLog()
const media = await openMediaStore(join(folder, 'media'), pictureFiles, 1e7, () => undefined)
const clips = await openMediaStore(join(folder, 'clips'), clipFiles, 1e7, () => undefined)
const engine = createCameras({
  pictures: media,
  clips,
  analysisFile: join(folder, 'analysis.json'),
  modelFolder: join(folder, 'models'),
  allow: () => [],
  tell: () => undefined,
  onRecords: () => undefined,
  log,
})
const about = { engine_version: 'test', demo: false, capacity: 1 }
const clock = createClock(0, () => undefined)

let journal: Journal
let sessions: PortalSession[]
beforeEach(() => {
  journal = new Journal(join(folder, `journal-${performance.now()}.db`), { log })
  sessions = []
})
afterEach(() => {
  for (const session of sessions) session.closed()
  journal.close()
})
afterAll(async () => {
  await engine.stop()
  rmSync(folder, { recursive: true })
})

/** The portal's end: what it hears, and how full the network is. */
function begin() {
  const messages: NimbleMessage[] = []
  const bytes: Uint8Array[] = []
  const network = { unsent: 0 }
  const link: PortalLink = {
    send: (message) => messages.push(message),
    sendBytes: (sent) => bytes.push(sent),
    unsentBytes: () => network.unsent,
  }
  const session = startSession({ link, engine, journal, clock, log, about })
  sessions.push(session)
  const frames = () =>
    bytes
      .filter((sent) => sent[0] === frameKinds.events)
      .map((frame) => decodeEvents(frame, (body, maxOutputLength) => zstdDecompressSync(body, { maxOutputLength })))
  const answer = <T extends NimbleMessage['type']>(type: T) =>
    messages.find((message) => message.type === type) as Extract<NimbleMessage, { type: T }> | undefined
  return { session, messages, bytes, network, frames, answer }
}

describe('records', () => {
  test('go out only so many frames ahead of the acknowledgements, in order', () => {
    const records = testRecords(70_000)
    journal.append(records)
    journal.flush()
    const { session, frames, bytes } = begin()
    expect(bytes).toHaveLength(linkUnacknowledged)
    for (let answered = 0; answered < bytes.length; answered++) {
      expect(bytes.length - answered).toBeLessThanOrEqual(linkUnacknowledged)
      const { firstSeq, count } = readEventHeader(bytes[answered] as Uint8Array)
      session.message({ type: 'ack', seq: firstSeq + count - 1 })
    }
    expect(frames().flatMap((frame) => frame.records.map((one) => one.event_uuid))).toEqual(
      records.map((one) => one.event_uuid),
    )
  })

  test('that were not acknowledged go out again to the next portal', () => {
    const records = testRecords(10)
    journal.append(records)
    journal.flush()
    const first = begin()
    expect(first.frames()).toHaveLength(1)
    first.session.closed()
    expect(begin().frames()[0]?.records).toEqual(records)
  })

  test('go to the newest portal alone, whatever the connection before it still says, and also after that one ends', () => {
    const older = begin()
    const records = testRecords(3)
    journal.append(records)
    journal.flush()
    const newer = begin()
    older.session.message({ type: 'nack', seq: 1, reason: 'metric name' })
    older.session.closed()
    const more = testRecords(2)
    journal.append(more)
    journal.flush()
    expect(newer.frames().flatMap((frame) => frame.records)).toEqual([...records, ...more])
    expect(older.frames()).toHaveLength(1)
    expect(journal.lost).toBe(0)
  })

  test('that the portal cannot read are kept aside, and the others go on', async () => {
    journal.append(testRecords(5))
    journal.flush()
    const { session, frames } = begin()
    session.message({ type: 'nack', seq: 1, reason: 'metric name' })
    const good = testRecords(3)
    journal.append(good)
    journal.flush()
    expect(frames().at(-1)).toEqual({ firstSeq: 6, records: good })
    session.message({ type: 'ack', seq: 8 })
    journal.flush()
    expect(journal.waiting).toBe(0)
    expect(journal.lost).toBe(5)
  })

  test('wait while the network takes nothing', async () => {
    const { network, frames } = begin()
    network.unsent = 1e9
    journal.append(testRecords(5))
    journal.flush()
    expect(frames()).toEqual([])
    network.unsent = 0
    await until(() => frames().length === 1, 'the frame is sent')
  })
})

describe('wishes', () => {
  test('a ping is answered with both times, and the clock that follows is used', () => {
    const { session, answer } = begin()
    session.message({ type: 'ping', at: 5 })
    expect(answer('pong')).toMatchObject({ at: 5 })
    session.message({ type: 'clock', offset_ms: 3_600_000, round_trip_ms: 4 })
    expect(clock.offsetMs()).toBe(3_600_000)
    session.message({ type: 'clock', offset_ms: 0, round_trip_ms: 4 })
  })

  test('a stored picture comes in parts, and one that is gone is said to be', async () => {
    const id = '01890000-0000-7000-8000-0000000000d1'
    const picture = new Uint8Array(200_000).map((_, at) => at % 251)
    await media.save(id, picture)
    const { session, bytes, answer, messages } = begin()
    session.message({ type: 'media.get', id: 9, media_id: id })
    await until(() => answer('media') && bytes.length === 4, 'the picture has come')
    expect(answer('media')).toMatchObject({ id: 9, content_type: 'image/jpeg', size: picture.length, cause: null })
    const parts = bytes.map((frame) => decodeMedia(frame))
    expect(parts.every(({ stream, part }) => stream === 9 && part === 'bytes')).toBe(true)
    expect(Buffer.concat(parts.map(({ payload }) => payload))).toEqual(Buffer.from(picture))
    messages.length = 0
    session.message({ type: 'media.get', id: 10, media_id: '01890000-0000-7000-8000-0000000000d2' })
    await until(() => answer('media'), 'the answer has come')
    expect(answer('media')).toMatchObject({ id: 10, size: 0, cause: 'media_gone' })
  })

  test('what is not there is refused with its cause', async () => {
    const source_id = '01890000-0000-7000-8000-0000000000e1'
    const { session, messages } = begin()
    session.message({ type: 'snapshot', id: 1, source_id })
    session.message({ type: 'live.start', id: 2, source_id, mode: 'fmp4' })
    session.message({ type: 'discover.start', id: 3, seconds: 1, range: '8.8.8.0/24' })
    const causes = () =>
      messages.flatMap((message) => ('cause' in message ? [message.cause] : 'error' in message ? [message.error] : []))
    await until(() => causes().length === 3, 'all are answered')
    expect(causes().sort()).toEqual(['range_not_private', 'source_missing', 'source_missing'])
  })
})

test('a camera at an address of the portal is refused without a connection, until the portal has others', async () => {
  const source_id = '01890000-0000-7000-8000-0000000000e2'
  const source: LinkSource = {
    ...{ source_id, device_id: source_id, version: 1, name: 'Camera', address: 'rtsp://198.51.100.9/', masks: [] },
    ...{ username: null, password: null, proxy: null, rate: 25, role: 'both', endpoint_uuid: null },
  }
  const apply = (version: number, sources: LinkSource[], portal_ips: string[]) =>
    engine.apply({ version, sources, portal_ips, channels: [], models: [], embedders: [], media_days: 7 })
  const state = () => engine.state().sources[0]
  apply(1, [source], ['10.0.0.5', '198.51.100.9'])
  await until(() => state()?.state === 'refused', 'it is refused')
  expect(state()?.cause).toBe('address_refused')
  apply(2, [source], ['10.0.0.5'])
  await until(() => state()?.state !== 'refused', 'it is tried')
  apply(3, [], [])
})
