import { expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { createFeed } from './feed.ts'
import type { LiveSink } from './link.ts'
import type { LiveListener } from './links.ts'

/** A viewer that writes down what it is shown. */
function viewer(): LiveListener & { shown: string[] } {
  const shown: string[] = []
  return {
    shown,
    started: (mime) => shown.push(`started ${mime}`),
    init: (bytes) => shown.push(`init ${bytes}`),
    fragment: (bytes, isKey) => shown.push(`${isKey ? 'key' : 'fragment'} ${bytes}`),
    jpeg: (bytes) => shown.push(`jpeg ${bytes}`),
    overlay: ({ pts_ms }) => shown.push(`overlay ${pts_ms}`),
    waiting: (cause) => shown.push(`waiting ${cause}`),
    ended: (cause) => shown.push(`ended ${cause}`),
  }
}

/** The nimble's end of the streams that were asked for, and whether the link is there. */
function edge() {
  const streams: (LiveSink & { isStopped: boolean })[] = []
  const state = { isThere: true }
  const link = {
    live(_source: string, _mode: string, sink: LiveSink) {
      const stream = { ...sink, isStopped: false }
      streams.push(stream)
      return () => {
        stream.isStopped = true
      }
    },
  }
  return { streams, state, link: () => (state.isThere ? link : null) }
}
const bytes = (text: string) => Buffer.from(text)

test('viewers share one stream, and who joins sees the picture under way at once', () => {
  const { streams, link } = edge()
  let isEmpty = false
  const feed = createFeed(link, 'source', 'fmp4', () => {
    isEmpty = true
  })
  const [first, second] = [viewer(), viewer()]
  const leaveFirst = feed.join(first)
  const [stream] = streams
  stream?.started('video/mp4')
  stream?.part('init', bytes('i'))
  for (const [part, text] of [
    ['key', 'a'],
    ['fragment', 'b'],
    ['key', 'c'],
    ['fragment', 'd'],
  ] as const)
    stream?.part(part, bytes(text))
  const leaveSecond = feed.join(second)
  expect(second.shown).toEqual(['started video/mp4', 'init i', 'key c', 'fragment d'])
  stream?.part('fragment', bytes('e'))
  expect(first.shown.at(-1)).toBe('fragment e')
  expect(second.shown.at(-1)).toBe('fragment e')
  expect(streams).toHaveLength(1)
  leaveFirst()
  expect([stream?.isStopped, isEmpty]).toEqual([false, false])
  leaveSecond()
  expect([stream?.isStopped, isEmpty]).toEqual([true, true])
})

test('a stream that ends is taken up again, and the reason is told once', async () => {
  const { streams, link } = edge()
  const feed = createFeed(link, 'source', 'fmp4', () => undefined)
  const one = viewer()
  const leave = feed.join(one)
  streams[0]?.ended('stalled')
  await until(() => streams.length === 2, 'the stream is asked for again')
  streams[1]?.ended('stalled')
  await until(() => streams.length === 3, 'and again')
  streams[2]?.started('video/mp4')
  streams[2]?.part('init', bytes('i'))
  expect(one.shown).toEqual(['waiting stalled', 'started video/mp4', 'init i'])
  leave()
})

test('without a link viewers wait for it, and go on by themselves', async () => {
  const { streams, state, link } = edge()
  state.isThere = false
  const feed = createFeed(link, 'source', 'mjpeg', () => undefined)
  const one = viewer()
  const leave = feed.join(one)
  expect(one.shown).toEqual(['waiting nimble_unreachable'])
  state.isThere = true
  await until(() => streams.length === 1, 'the stream is asked for')
  streams[0]?.started('image/jpeg')
  streams[0]?.part('jpeg', bytes('1'))
  const late = viewer()
  feed.join(late)()
  expect(late.shown).toEqual(['started image/jpeg', 'jpeg 1'])
  feed.end('nimble_removed')
  expect(one.shown.at(-1)).toBe('ended nimble_removed')
  leave()
})
