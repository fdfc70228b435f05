import type { LiveMessage } from '@sightline/contract'
import type { OverlayBox } from '@sightline/contract/edge'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { blur } from '../media/store.ts'
import { blurring, viewer, viewerBacklogBytes } from './viewer.ts'

/** A connection that takes what it is told to take. */
function connection() {
  const sent: (LiveMessage | string)[] = []
  const names = ['', 'init', 'fragment', 'jpeg']
  const state = { buffered: 0, closed: null as number | null }
  return {
    sent,
    state,
    socket: {
      send: (message: LiveMessage) => void sent.push(message),
      sendBytes: (bytes: Uint8Array) => void sent.push(`${names[bytes[0] as number]} ${bytes.subarray(1).join(' ')}`),
      bufferedBytes: () => state.buffered,
      close: (code: number) => {
        state.closed = code
      },
    },
  }
}
const part = (n: number) => Buffer.of(n)

describe('a viewer of the live picture', () => {
  it('begins with a picture that stands alone', () => {
    const { socket, sent } = connection()
    const view = viewer(socket, 'fmp4')
    view.started('video/mp4')
    view.init(part(0))
    view.fragment(part(1), false)
    view.fragment(part(2), true)
    view.fragment(part(3), false)
    expect(sent).toEqual([
      { type: 'started', mode: 'fmp4', mime: 'video/mp4', is_fallback: false },
      ...['init 0', 'fragment 2', 'fragment 3'],
    ])
  })

  it('skips to the next key frame when it is behind', () => {
    const { socket, sent, state } = connection()
    const view = viewer(socket, 'fmp4')
    view.init(part(0))
    view.fragment(part(1), true)
    state.buffered = viewerBacklogBytes + 1
    view.fragment(part(2), false)
    view.fragment(part(3), true)
    state.buffered = 0
    view.fragment(part(4), false)
    view.fragment(part(5), true)
    view.fragment(part(6), false)
    expect(sent).toEqual(['init 0', 'fragment 1', 'fragment 5', 'fragment 6'])
  })

  it('loses whole pictures and boxes rather than queueing them', () => {
    const { socket, sent, state } = connection()
    const view = viewer(socket, 'mjpeg')
    state.buffered = viewerBacklogBytes + 1
    view.jpeg(part(1))
    view.overlay({ source_id: 's', pts_ms: 1, at: 1, boxes: [], levels: {} })
    state.buffered = 0
    view.jpeg(part(2))
    expect(sent).toEqual(['jpeg 2'])
  })

  it('of somebody who may not see every channel shows their numbers, and no boxes, which are of no channel', () => {
    const box: OverlayBox = { box: [0, 0, 1, 1], label: 'person', score: 1, track_id: 1, violates: [] }
    const overlay = { source_id: 's', pts_ms: 1, at: 1, boxes: [box], levels: { a: { total: 1 }, b: { total: 2 } } }
    const shown = (channels: ReadonlySet<string> | null) => {
      const { socket, sent } = connection()
      viewer(socket, 'fmp4', channels).overlay(overlay)
      return sent
    }
    expect(shown(new Set('a'))).toMatchObject([{ boxes: [], levels: { a: { total: 1 } } }])
    expect(shown(new Set('a'))[0]).not.toHaveProperty('levels.b')
    expect(shown(null)).toMatchObject([{ boxes: [box], levels: overlay.levels }])
  })

  it('is told why there are no boxes, where there would be some', () => {
    const overlay = { source_id: 's', pts_ms: 1, at: 1, boxes: [], boxes_cause: 'other_shape', levels: {} }
    const shown = (channels: ReadonlySet<string> | null) => {
      const { socket, sent } = connection()
      viewer(socket, 'fmp4', channels).overlay(overlay)
      return sent[0]
    }
    expect(shown(null)).toMatchObject({ boxes: [], boxes_cause: 'other_shape' })
    expect(shown(new Set('a'))).not.toHaveProperty('boxes_cause')
  })

  it('says since when it waits, until a picture comes', () => {
    const { socket, sent } = connection()
    let time = 0
    const view = viewer(
      ...([socket, 'fmp4', null] as const),
      () => false,
      () => new Date(++time),
    )
    view.waiting('stalled')
    view.waiting('unreachable')
    view.fragment(part(1), true)
    view.waiting('cut')
    expect(sent).toEqual([
      { type: 'waiting', cause: 'stalled', since: new Date(1).toISOString() },
      { type: 'waiting', cause: 'unreachable', since: new Date(1).toISOString() },
      'fragment 1',
      { type: 'waiting', cause: 'cut', since: new Date(2).toISOString() },
    ])
  })

  it('closes after the end', () => {
    const { socket, sent, state } = connection()
    viewer(socket, 'fmp4').ended('source_missing')
    expect(sent).toEqual([{ type: 'ended', cause: 'source_missing' }])
    expect(state.closed).toBe(1000)
  })
})

const clear = await sharp({ create: { width: 320, height: 180, channels: 3, background: '#fff' } })
  .jpeg()
  .toBuffer()

it('who sees pictures blurred gets no video, and each picture blurred, from the moment that it is so', async () => {
  const { promise: blurred, resolve } = Promise.withResolvers<Buffer>()
  const sent: string[] = []
  const seen = {
    started: () => undefined,
    init: () => sent.push('init'),
    fragment: () => sent.push('fragment'),
    jpeg: (picture: Buffer) => (picture === clear ? sent.push('clear') : resolve(picture)),
    overlay: () => undefined,
    waiting: (cause: string | null) => sent.push(`waiting ${cause}`),
    ended: () => undefined,
  }
  let isBlurred = false
  const listener = blurring(seen as never, () => isBlurred)
  listener.init(Buffer.of(1))
  listener.fragment(Buffer.of(1), true)
  listener.jpeg(clear)
  isBlurred = true
  listener.init(Buffer.of(1))
  listener.fragment(Buffer.of(1), true)
  listener.jpeg(clear)
  expect((await sharp(await blurred).metadata()).width).toBe(480)
  expect(sent).toEqual(['init', 'fragment', 'clear', 'waiting role_blurred', 'waiting role_blurred'])
})

it('a picture is blurred once for all who look, and left out, not told as broken, where too many wait', async () => {
  const look = () => {
    const sent: unknown[] = []
    const seen = { jpeg: (picture: Buffer) => sent.push(picture), waiting: (cause: string | null) => sent.push(cause) }
    return { listener: blurring(seen as never, () => true), sent }
  }
  const [one, two, other] = [look(), look(), look()]
  const picture = Buffer.from(clear)
  const rush = Array.from({ length: 202 }, () => blur(Buffer.from(clear)))
  one.listener.jpeg(picture)
  await Promise.all(rush)
  expect(one.sent).toEqual([])
  for (const { listener } of [one, two]) listener.jpeg(picture)
  other.listener.jpeg(Buffer.of(1))
  await expect.poll(() => [one.sent.length, two.sent.length, other.sent]).toEqual([1, 1, ['bad_stream']])
  expect(one.sent[0]).toBe(two.sent[0])
})
