import type { MediaPart } from '@sightline/contract/frame'
import { afterEach, describe, expect, test } from 'vitest'
import type { Wire } from '../wire.ts'
import type { Link, LiveSink } from './link.ts'
import { createRemote, type LinkCall, liveBacklogBytes } from './remote.ts'

const source = 'source'
const nimble = 'nimble'
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** The end that serves, on a wire that keeps what is said; `live` is what the edge server does. */
function serving(live: (sink: LiveSink) => () => void) {
  const said: LinkCall[] = []
  const state = { queued: 0 }
  let hear: Parameters<Wire['hear']>[0] = () => undefined
  const wire: Wire = {
    send: (message) => void said.push(message as LinkCall),
    queuedBytes: () => state.queued,
    hear: (listener) => {
      hear = listener
    },
    start: async () => undefined,
    stop: async () => undefined,
  }
  const link = { live: (_source: string, _mode: string, sink: LiveSink) => live(sink) } as unknown as Link
  const remote = createRemote(
    wire,
    () => link,
    () => undefined,
  )
  stops.push(remote.stop)
  hear({ kind: 'link', id: 'call', step: 'live', nimble, source, mode: 'fmp4' })
  return { said, state, remote }
}

describe('a live picture for another portal', () => {
  test('is left out while too much waits, up to the next key frame, and so is what is drawn over it', () => {
    let sink = {} as LiveSink
    const { said, state, remote } = serving((given) => {
      sink = given
      return () => undefined
    })
    const send = (part: MediaPart, n: number) => sink.part(part, Buffer.of(n))
    const overlay = (at: number) => remote.overlay(nimble, { source_id: source, pts_ms: at, at, boxes: [], levels: {} })
    send('init', 0)
    send('key', 1)
    send('fragment', 2)
    overlay(3)
    state.queued = liveBacklogBytes + 1
    send('fragment', 4)
    send('key', 5)
    overlay(6)
    state.queued = 0
    send('fragment', 7)
    send('key', 8)
    send('fragment', 9)
    const heard = said.flatMap((call) =>
      call.step === 'part' ? Buffer.from(call.bytes, 'base64')[0] : call.step === 'overlay' ? call.overlay.at : [],
    )
    expect(heard).toEqual([0, 1, 2, 3, 8, 9])
  })

  test('that the edge server refuses at once ends, and nothing of it is left', () => {
    let stopped = 0
    const { said, remote } = serving((sink) => {
      sink.ended('nimble_unreachable')
      return () => void stopped++
    })
    expect(said.map((call) => call.step)).toEqual(['taken', 'ended'])
    remote.stop()
    expect(stopped).toBe(0)
  })
})
