import { describe, expect, test } from 'vitest'
import { keptConfig, linkConfig, type NimbleMessage, nimbleMessage, type PortalMessage, portalMessage } from './edge.ts'

const uuid = '01890000-0000-7000-8000-00000000000a'
const source = {
  source_id: uuid,
  state: 'streaming',
  cause: null,
  codec: 'h264',
  width: 640,
  height: 480,
  fps: 15,
  last_frame_at: 1_780_000_000_000,
  failed_at: null,
  reconnects: 0,
  drops: 2,
} as const
const channel = {
  channel_id: uuid,
  version: 3,
  state: 'running',
  detector_state: 'ok',
  cause: null,
  fps: 4.9,
  expected_fps: 5,
  drops: 0,
} as const

// A type that is missing here does not compile.
const fromPortal: { [T in PortalMessage['type']]: Extract<PortalMessage, { type: T }> } = {
  hello: { type: 'hello', protocol: 1, software: 'portal', id: uuid, nonce: 'AAAA', public_key: 'AAA=' },
  prove: { type: 'prove', signature: 'AA==' },
  welcome: { type: 'welcome', nimble_id: uuid, time: 1 },
  'config.put': {
    type: 'config.put',
    config: {
      version: 7,
      sources: [
        {
          source_id: uuid,
          device_id: uuid,
          version: 1,
          name: 'Entrée',
          address: 'rtsp://198.51.100.1/stream1',
          username: 'admin',
          password: 'p@ss:w/rd#1',
          proxy: null,
          rate: 25,
          role: 'both',
          endpoint_uuid: null,
          masks: [
            [
              [0, 0],
              [1, 0],
              [0, 1],
            ],
          ],
        },
      ],
      channels: [
        {
          channel_id: uuid,
          source_id: uuid,
          version: 3,
          name: 'Counting',
          usecase_key: 'pplcnt',
          pipeline_elements: { 'window.seconds': 5, 'detect.kind': 'hog', 'gate.on': true },
          zones: [
            {
              static_id: uuid,
              name: 'zone1',
              label: null,
              kind: 'zone',
              points: [
                [0, 0],
                [1, 0],
                [1, 1],
              ],
              direction: 'both',
              side_a: 'a',
              side_b: 'b',
              aspect_ratio: 1.77778,
              is_active: true,
              dwell_s: 7.5,
            },
          ],
          auto_recovery: true,
          refusal: 'faces_off',
          gallery: { sha256: 'ef'.repeat(32), size: 2064 },
        },
      ],
      models: [
        {
          model_id: uuid,
          sha256: 'ab'.repeat(32),
          size: 6_000_000,
          head: 'yolov8',
          input: { width: 640, height: 640, is_open: false },
          labels: { 0: 'person' },
        },
      ],
      media_days: 30,
      portal_ips: ['10.0.0.5', 'fd00::5'],
      embedders: [
        {
          ...{ model_id: uuid, sha256: 'cd'.repeat(32), size: 4_000_000, vector_length: 512 },
          ...{ input: { width: 112, height: 112 }, range: 'signed' },
        },
      ],
    },
  },
  ack: { type: 'ack', seq: 4096 },
  nack: { type: 'nack', seq: 1, reason: 'metric name' },
  ping: { type: 'ping', at: 1_780_000_000_000 },
  clock: { type: 'clock', offset_ms: -7_200_000.5, round_trip_ms: 3 },
  'discover.start': { type: 'discover.start', id: 1, seconds: 0.7, range: '192.168.1.0/24', interfaces: ['eth0'] },
  'discover.stop': { type: 'discover.stop', id: 1 },
  probe: { type: 'probe', id: 2, address: 'http://198.51.100.1/onvif/device_service', username: null, password: null },
  'channel.do': { type: 'channel.do', id: 3, channel_id: uuid, action: 'restart', force: false },
  'occupancy.set': { type: 'occupancy.set', id: 7, channel_id: uuid, occupancy: 12 },
  snapshot: { type: 'snapshot', id: 4, source_id: uuid },
  'media.get': { type: 'media.get', id: 5, media_id: uuid },
  'live.start': { type: 'live.start', id: 6, source_id: uuid, mode: 'fmp4' },
  'live.stop': { type: 'live.stop', id: 6 },
  'model.none': { type: 'model.none', stream: 1, cause: 'model_missing' },
}
const fromNimble: { [T in NimbleMessage['type']]: Extract<NimbleMessage, { type: T }> } = {
  hello: { type: 'hello', protocol: 1, software: 'nimble', id: null, nonce: 'AAAA', public_key: 'AAA=' },
  prove: { type: 'prove', signature: 'AA==' },
  state: {
    type: 'state',
    applied_version: null,
    sources: [source],
    channels: [channel],
    interfaces: [{ name: 'lo', address: '127.0.0.1/8' }],
    engine_version: '0.1.0',
    demo: true,
    capacity: 8,
    answers: ['occupancy.set'],
  },
  pong: { type: 'pong', at: 1, received: 2, sent: 3 },
  'config.applied': { type: 'config.applied', version: 7 },
  'source.state': { type: 'source.state', ...source },
  'channel.state': { type: 'channel.state', ...channel },
  stats: {
    type: 'stats',
    at: 1,
    cpu: 0.25,
    memory_bytes: 2 ** 34,
    disk_free_bytes: 2 ** 40,
    queue: 0,
    inference_ms: null,
    fps: 4.9,
    expected_fps: 5,
    drops: 0,
    reconnects: 0,
    clock_offset_ms: 0,
    journal_events: 12,
    lost_events: 0,
  },
  log: { type: 'log', level: 'warn', text: 'The camera does not answer', at: 1 },
  'discover.found': {
    type: 'discover.found',
    id: 1,
    found: {
      endpoint_uuid: null,
      xaddr: 'http://198.51.100.1/onvif/device_service',
      host: '198.51.100.1',
      port: 80,
      name: 'Camera',
      maker: null,
      model: null,
      interface: 'eth0',
      is_demo: false,
    },
  },
  'discover.done': {
    type: 'discover.done',
    id: 1,
    scanned: {
      ...{ interfaces: ['eth0'], range: null, ms: 702 },
      unusable: [{ host: '192.168.1.20', cause: 'camera_https_only' }],
    },
    error: null,
  },
  'probe.finding': {
    type: 'probe.finding',
    id: 2,
    finding: { level: 'good', code: 'stream_works', text_id: 'stream_works:640x480', args: { resolution: '640x480' } },
  },
  'probe.done': {
    type: 'probe.done',
    id: 2,
    probed: {
      profiles: [
        {
          name: 'main',
          codec: 'h264',
          resolution: '640x480',
          fps: 15,
          bitrate: null,
          stream_address: 'rtsp://198.51.100.1/stream1',
        },
      ],
      maker: null,
      model: null,
      firmware: null,
      endpoint_uuid: null,
      snapshot: null,
      findings: [{ level: 'good', code: 'stream_ok', text_id: 'stream_ok', args: { fps: 15 } }],
    },
    cause: null,
  },
  'channel.done': { type: 'channel.done', id: 3, ok: false, cause: 'channel_unknown' },
  'occupancy.done': { type: 'occupancy.done', id: 7, before: 37, cause: null },
  media: { type: 'media', id: 4, content_type: 'image/jpeg', size: 1234, at: 1, cause: null },
  'live.started': { type: 'live.started', id: 6, mime: 'video/mp4; codecs="avc1.4d401f"' },
  'live.ended': { type: 'live.ended', id: 6, cause: 'stalled' },
  'model.get': { type: 'model.get', stream: 1, model_id: uuid, from: 0 },
  'gallery.get': { type: 'gallery.get', stream: 2, channel_id: uuid, from: 0 },
  overlay: {
    type: 'overlay',
    source_id: uuid,
    pts_ms: 1000.5,
    at: 1,
    boxes: [{ box: [0.1, 0.2, 0.3, 0.4], label: 'person', score: 0.9, track_id: 4, violates: [uuid] }],
    levels: { [uuid]: { total: 1 } },
  },
}

describe('messages', () => {
  test.each(Object.values(fromPortal).map((message) => [message.type, message]))(
    '%s of the portal arrives as it was sent',
    (_, message) => {
      expect(portalMessage.parse(JSON.parse(JSON.stringify(message)))).toEqual(message)
    },
  )

  test.each(Object.values(fromNimble).map((message) => [message.type, message]))(
    '%s of the nimble arrives as it was sent',
    (_, message) => {
      expect(nimbleMessage.parse(JSON.parse(JSON.stringify(message)))).toEqual(message)
    },
  )

  test('a zone goes between versions: what an older portal does not send is null, what an older edge server does not know is left out', () => {
    const message = fromPortal['config.put']
    const [channel] = message.config.channels
    const [zone] = channel?.zones ?? []
    const arrived = (sent: object) => {
      const channels = [{ ...channel, zones: [sent] }]
      const text = JSON.stringify({ ...message, config: { ...message.config, channels } })
      const read = portalMessage.parse(JSON.parse(text))
      return read.type === 'config.put' ? read.config.channels[0]?.zones[0] : null
    }
    expect(arrived({ ...zone, dwell_s: undefined })).toEqual({ ...zone, dwell_s: null })
    expect(arrived({ ...zone, of_a_later_version: 5 })).toEqual(zone)
  })

  test('who cannot be used is told by known causes, each once and at most 64, whatever else is said', () => {
    const message = fromNimble['discover.done']
    const arrived = (scanned: object) => {
      const read = nimbleMessage.parse({ ...message, scanned: { ...message.scanned, ...scanned } })
      return read.type === 'discover.done' ? read.scanned.unusable : null
    }
    const hosts = Array.from({ length: 65 }, (_, i) => ({ host: `192.168.1.${i}`, cause: 'camera_https_only' }))
    const other = { host: '192.168.1.0', cause: 'camera_address_refused' }
    expect(arrived({ unusable: hosts })).toEqual(hosts.slice(0, 64))
    const odd = [{ ...other, cause: 'of_a_later_version' }, { host: '192.168.1.9' }, 'anything']
    expect(arrived({ unusable: [...odd, other, hosts[0], other] })).toEqual([other, hosts[0]])
    for (const unusable of [null, 'none', {}]) expect(arrived({ unusable })).toEqual([])
    const { unusable: _, ...without } = message.scanned
    const read = nimbleMessage.parse({ ...message, scanned: without })
    expect(read).toMatchObject({ scanned: { unusable: [] } })
  })

  test('what is said of a found camera is a few words', () => {
    const message = fromNimble['discover.found']
    for (const field of ['endpoint_uuid', 'name', 'maker', 'model', 'interface'])
      for (const [length, success] of [
        [2000, true],
        [2001, false],
      ] as const)
        expect(
          nimbleMessage.safeParse({ ...message, found: { ...message.found, [field]: 'x'.repeat(length) } }).success,
        ).toBe(success)
  })

  test('what does not fit the database does not pass', () => {
    const { stats, state } = fromNimble
    expect(nimbleMessage.safeParse({ ...stats, drops: 2 ** 31 }).success).toBe(false)
    expect(nimbleMessage.safeParse({ ...stats, queue: 0.5 }).success).toBe(false)
    expect(nimbleMessage.safeParse({ ...state, capacity: 1e12 }).success).toBe(false)
    expect(nimbleMessage.safeParse({ ...state, sources: Array(1001).fill(source) }).success).toBe(false)
  })
})

test('of a configuration with pieces that cannot be read those alone go aside, by their names', () => {
  const { config } = fromPortal['config.put']
  const [camera, counting] = [config.sources[0], config.channels[0]]
  const other = '01890000-0000-7000-8000-00000000000b'
  const given = {
    ...config,
    sources: [{ ...camera, source_id: other, role: 'spherical', version: 9 }, camera],
    channels: [counting, { ...counting, channel_id: other, usecase_key: 'dogcnt' }],
  }
  const read = linkConfig.parse(given)
  expect(read).toEqual({
    ...linkConfig.parse(config),
    unread: [
      { kind: 'sources', id: other, version: 9 },
      { kind: 'channels', id: other, version: counting?.version },
    ],
  })
  // It is kept over a restart, and comes from nobody else.
  expect(keptConfig.parse(JSON.parse(JSON.stringify(read)))).toEqual(read)
  const { unread, ...known } = read
  const sent = portalMessage.parse({ type: 'config.put', config: JSON.parse(JSON.stringify(read)) })
  expect(sent).toEqual({ type: 'config.put', config: known })
  expect(portalMessage.parse({ type: 'config.put', config: { ...given, unread: 'anything' } })).toMatchObject({
    config: { unread },
  })
  expect(linkConfig.safeParse({ ...given, sources: [{ role: 'spherical' }] }).success).toBe(false)
})
