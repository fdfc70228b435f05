import { describe, expect, it } from 'vitest'
import {
  type ChannelReport,
  cameraHealth,
  channelHealth,
  channelState,
  isOnline,
  type SourceReport,
  siteGrade,
  sourceHealth,
  streamToSee,
} from './health.ts'
import type { View } from './view.ts'

describe('health of a stream', () => {
  const gone = { lastFrameAt: 0, failedAt: 15_000 }
  it.each([
    [
      'an unreachable edge server says nothing about the camera',
      { state: 'offline', cause: 'cut', ...gone },
      false,
      'unknown',
      'nimble_unreachable',
    ],
    ['never reported is unknown', null, true, 'unknown', null],
    ['streaming is healthy', { state: 'streaming', cause: null }, true, 'healthy', null],
    ['a frozen picture needs attention', { state: 'streaming', cause: 'frozen' }, true, 'needs attention', 'frozen'],
    ['a first attempt is unknown', { state: 'connecting', cause: null }, true, 'unknown', null],
    [
      'attempts that fail need attention',
      { state: 'connecting', cause: 'stalled' },
      true,
      'needs attention',
      'stalled',
    ],
    [
      'no picture for 15 s and a connection that failed since is offline',
      { state: 'offline', cause: 'unreachable', ...gone },
      true,
      'offline',
      'unreachable',
    ],
    [
      'one that never brought a picture, and fails, is offline',
      { state: 'offline', cause: 'unreachable', lastFrameAt: null, failedAt: 1 },
      true,
      'offline',
      'unreachable',
    ],
    [
      'a stream that broke off is not offline: nobody tried again yet',
      { state: 'offline', cause: 'cut', lastFrameAt: 0, failedAt: null },
      true,
      'needs attention',
      'cut',
    ],
    [
      'a try that fails soon after the last picture is not enough',
      { state: 'offline', cause: 'unreachable', lastFrameAt: 0, failedAt: 14_999 },
      true,
      'needs attention',
      'unreachable',
    ],
    [
      'another codec needs attention',
      { state: 'refused', cause: 'not_h264:hevc' },
      true,
      'needs attention',
      'not_h264:hevc',
    ],
  ] as const)('%s', (_, report, reachable, health, cause) => {
    expect(sourceHealth(report && { lastFrameAt: null, failedAt: null, ...report }, reachable)).toEqual({
      health,
      cause,
    })
  })

  it('is the gravest of several streams', () => {
    expect(cameraHealth([])).toEqual({ health: 'unknown', cause: null })
    expect(
      cameraHealth([
        { health: 'unknown', cause: null },
        { health: 'offline', cause: 'cut' },
        { health: 'needs attention', cause: 'frozen' },
      ]),
    ).toEqual({ health: 'offline', cause: 'cut' })
  })

  it('is not offline while it sends pictures by one of them', () => {
    expect(
      cameraHealth([
        { health: 'healthy', cause: null },
        { health: 'offline', cause: 'no_stream' },
      ]),
    ).toEqual({ health: 'needs attention', cause: 'stream_offline' })
  })
})

it('a site needs attention while one of its analytics does, and is offline as its cameras are', () => {
  expect(siteGrade('healthy', 0)).toBe('healthy')
  expect(siteGrade('healthy', 1)).toBe('needs attention')
  expect(siteGrade('unknown', 1)).toBe('needs attention')
  expect(siteGrade('unknown', 0)).toBe('unknown')
  expect(siteGrade('offline', 1)).toBe('offline')
})

describe('a channel', () => {
  const running: ChannelReport = { version: 3, state: 'running', detectorState: 'ok', cause: null }
  const good = { health: 'healthy', cause: null } as const

  it.each([
    ['not reported, edge server away', null, 3, false, 'saved'],
    ['not reported, edge server there', null, 3, true, 'sent'],
    ['an older version is applied', running, 4, true, 'sent'],
    ['the wanted version runs', running, 3, true, 'running'],
    ['nobody could read which version is refused', { ...running, version: null, state: 'refused' }, 3, true, 'refused'],
  ] as const)('stands where it stands: %s', (_, report, desired, reachable, state) => {
    expect(channelState(report, desired, reachable)).toBe(state)
  })

  it('is online only while running, reachable and with fresh records', () => {
    expect(isOnline(running, true, 5_000, 30_000)).toBe(true)
    expect(isOnline(running, true, 30_001, 30_000)).toBe(false)
    expect(isOnline(running, true, null, 30_000)).toBe(false)
    expect(isOnline(running, false, 5_000, 30_000)).toBe(false)
    expect(isOnline({ ...running, state: 'applied' }, true, 5_000, 30_000)).toBe(false)
  })

  it.each([
    ['edge server away', running, good, false, true, 'unknown', 'nimble_unreachable'],
    ['refused', { ...running, state: 'refused', cause: 'no_zone' }, good, true, false, 'needs attention', 'no_zone'],
    ['camera offline', running, { health: 'offline', cause: 'cut' }, true, false, 'offline', 'cut'],
    ['starting', { ...running, state: 'applied' }, good, true, false, 'unknown', null],
    ['no model', { ...running, detectorState: 'needs_model' }, good, true, false, 'needs attention', 'needs_model'],
    [
      'no model, and so not begun',
      { ...running, state: 'applied', detectorState: 'needs_model' },
      good,
      true,
      false,
      'needs attention',
      'needs_model',
    ],
    [
      'held back by the portal',
      { ...running, state: 'applied', cause: 'faces_off' },
      good,
      true,
      false,
      'needs attention',
      'faces_off',
    ],
    [
      'degraded',
      { ...running, detectorState: 'degraded', cause: 'degraded:rate' },
      good,
      true,
      true,
      'needs attention',
      'degraded:rate',
    ],
    ['silent', running, good, true, false, 'needs attention', 'no_records'],
    ['well', running, good, true, true, 'healthy', null],
  ] as const)('tells why it is not well: %s', (_, report, source, reachable, online, health, cause) => {
    expect(channelHealth(report, source, reachable, online, false, null)).toEqual({ health, cause })
  })

  it('tells that its camera was turned, over what else is lesser, and not while it does not run', () => {
    const seen = (report: ChannelReport, view: View) => channelHealth(report, good, true, true, false, view).cause
    const rough: ChannelReport = { ...running, detectorState: 'degraded', cause: 'degraded:motion_only' }
    expect([running, rough].map((report) => seen(report, 'moved'))).toEqual(['camera_moved', 'camera_moved'])
    expect(seen(running, 'different')).toBe('view_different')
    expect(seen(running, 'same')).toBeNull()
    expect(seen({ ...running, state: 'stopped' }, 'moved')).toBe('stopped')
  })

  it('calls nothing wrong before the first record can have come', () => {
    expect(channelHealth(running, good, true, false, true, null)).toEqual({ health: 'unknown', cause: null })
    expect(channelHealth(running, good, true, true, true, null)).toEqual({ health: 'healthy', cause: null })
  })
})

describe('the stream to look at', () => {
  const report = (state: SourceReport['state'], more: Partial<SourceReport> = {}): SourceReport => ({
    ...{ state, cause: null, lastFrameAt: null, failedAt: null },
    ...more,
  })
  const streaming = report('streaming', { lastFrameAt: 1000 })
  const gone = report('offline', { lastFrameAt: 1000, failedAt: 60_000 })
  const main = (now: SourceReport | null) => ({ role: 'analytics' as const, report: now })
  const small = (now: SourceReport | null) => ({ role: 'live' as const, report: now })
  const seen = (streams: Parameters<typeof streamToSee>[0], heard = true) => {
    const found = streamToSee(streams, heard)
    return found && [found.stream.role, found.isFallback]
  }

  it('is the one meant for it, else the default', () => {
    expect(seen([])).toBeNull()
    expect(seen([main(streaming), small(streaming)])).toEqual(['live', false])
    expect(seen([main(streaming)])).toEqual(['analytics', false])
  })

  it.each([
    ['is gone', gone, true],
    ['is refused', report('refused', { cause: 'address_refused' }), true],
    ['merely broke off', report('offline', { lastFrameAt: 1000 }), false],
    ['is being opened', report('connecting'), false],
    ['was never heard of', null, false],
  ] as const)('is another where that one %s', (_, now, isFallback) => {
    expect(seen([main(streaming), small(now)])).toEqual([isFallback ? 'analytics' : 'live', isFallback])
  })

  it('is no other that gives no picture either, nor one that is only remembered', () => {
    expect(seen([main(gone), small(gone)])).toEqual(['live', false])
    expect(seen([main(report('connecting')), small(gone)])).toEqual(['live', false])
    expect(seen([main(streaming), small(gone)], false)).toEqual(['live', false])
  })
})
