import type { MediaPart } from '@sightline/contract/frame'
import { afterEach, describe, expect, test, vi } from 'vitest'
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

describe('a call to an edge server that another portal may hold', () => {
  /** Portals that hear what the others say, at once; each with what it has of the edge server. */
  function portals(...has: (Link | 'away' | null)[]) {
    const listeners: Parameters<Wire['hear']>[0][] = []
    return has.map((own, i) => {
      const wire: Wire = {
        send: (message) => {
          for (const [j, listener] of listeners.entries()) if (j !== i) listener(message)
        },
        queuedBytes: () => 0,
        hear: (listener) => {
          listeners[i] = listener
        },
        start: async () => undefined,
        stop: async () => undefined,
      }
      return createRemote(
        wire,
        () => own,
        () => undefined,
      )
    })
  }
  /** How a call of the first portal ends, and after how many ms. */
  async function ending(...has: (Link | 'away' | null)[]) {
    vi.useFakeTimers()
    try {
      const [first] = portals(null, ...has)
      const begun = Date.now()
      const asked = first?.to(nimble).fetch({ type: 'snapshot', source_id: source })
      const end = asked?.then(
        ({ contentType }) => contentType,
        (refusal) => refusal.code,
      )
      await vi.runAllTimersAsync()
      return { end: await end, ms: Date.now() - begun }
    } finally {
      vi.useRealTimers()
    }
  }
  /** It takes a second. */
  const there = {
    fetch: () =>
      new Promise((resolve) =>
        setTimeout(() => resolve({ contentType: 'image/jpeg', bytes: Buffer.of(1), at: 0 }), 1000),
      ),
  } as unknown as Link

  test('is given up soon when the one that has its lease says that it is away, and else after two seconds', async () => {
    expect(await ending(null, 'away')).toEqual({ end: 'nimble_unreachable', ms: 500 })
    expect(await ending(null, null)).toEqual({ end: 'nimble_unreachable', ms: 2000 })
  })

  test('is answered by the one that it has just dialled, whatever the one that had the lease still thinks', async () => {
    expect(await ending('away', there)).toEqual({ end: 'image/jpeg', ms: 1000 })
    expect(await ending(there, 'away')).toEqual({ end: 'image/jpeg', ms: 1000 })
  })
})
