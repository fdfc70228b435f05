/**
 * The live picture of a channel or a camera: fragments over one WebSocket into Media Source Extensions, or JPEGs where
 * the browser has no MSE for the stream. Reconnects by itself; what it shows and why not is its state.
 */
import { type LiveMessage, liveMessage } from '@sightline/contract'
import type { OverlayBox } from '@sightline/contract/edge'
import { portalNow } from '../../app/clock.ts'
import { reconnectWait } from '../../live.ts'
import { createStore, type Store } from '../../store.ts'
import { PictureRate } from './picture-rate.ts'

/** A picture this far behind the newest one jumps to `jumpToSeconds` before it. */
const capSeconds = 0.3
/** Streams with B-frames arrive in bursts: where the picture had to jump this often in `restlessMs`, the cap is doubled. */
const restlessJumps = 4
const restlessMs = 3000
const greatestCapSeconds = 1.2
const jumpToSeconds = 0.05
/** Old pictures are dropped once this much is buffered. */
const keepSeconds = 20
const dropOlderThanSeconds = 10
const overlayKeepMs = 5000

export type LiveOverlay = {
  at: number
  pts_ms: number
  boxes: OverlayBox[]
  /** Why there are none, as an id. */
  boxes_cause?: string | undefined
  /** Channel id → its live numbers. */
  levels: Record<string, Record<string, number>>
}

export type LiveState = {
  phase: 'connecting' | 'playing' | 'waiting' | 'ended'
  transport: 'fmp4' | 'mjpeg'
  /** Why pictures come instead of video; null while video does. */
  instead: 'unplayable' | 'privacy_masks' | 'role_blurred' | null
  /** It comes from another stream of the camera than the one meant for looking at, which gives none. */
  isFallback: boolean
  /** Why there is no picture, as a cause id; null while there is one. */
  cause: string | null
  since: string | null
  /** What belongs to the picture on screen. */
  overlay: LiveOverlay | null
  /** How far the picture is behind the newest one received, in seconds; null without MSE. */
  behind: number | null
  /** Pictures shown per second; null until they were counted for long enough. */
  fps: number | null
  /** The last JPEG as an object URL, in JPEG mode. */
  jpeg: string | null
}

const initial: LiveState = {
  phase: 'connecting',
  transport: 'fmp4',
  instead: null,
  isFallback: false,
  cause: null,
  since: null,
  overlay: null,
  behind: null,
  fps: null,
  jpeg: null,
}

const kinds = { init: 1, fragment: 2, jpeg: 3 } as const

/** Opens at once; `close` ends it for good. */
export class LivePlayer {
  readonly state: Store<LiveState> = createStore(initial)
  readonly #address: (mode: LiveState['transport']) => string
  readonly #video: HTMLVideoElement
  #socket: WebSocket | null = null
  #feed: Feed | null = null
  #overlays: LiveOverlay[] = []
  #attempt = 0
  #rate = new PictureRate()
  #jpegs = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #frame = 0
  #closed = false

  constructor(video: HTMLVideoElement, address: (mode: LiveState['transport']) => string) {
    this.#video = video
    this.#address = address
    if (!('MediaSource' in window)) this.#change({ transport: 'mjpeg', instead: 'unplayable' })
    this.#connect()
    this.#follow()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    cancelAnimationFrame(this.#frame)
    this.#socket?.close()
    this.#reset()
  }

  #change(part: Partial<LiveState>): void {
    this.state.set((now) => ({ ...now, ...part }))
  }

  #reset(): void {
    this.#feed?.close()
    this.#feed = null
    this.#overlays = []
    const { jpeg } = this.state.get()
    if (jpeg) URL.revokeObjectURL(jpeg)
    this.#rate = new PictureRate()
    this.#change({ jpeg: null, overlay: null, behind: null, fps: null })
  }

  #connect(): void {
    const socket = new WebSocket(this.#address(this.state.get().transport))
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.#bytes(new Uint8Array(data))
      else this.#said(liveMessage.parse(JSON.parse(String(data))))
    }
    socket.onclose = ({ code, reason }) => {
      if (this.#closed || this.#socket !== socket) return
      this.#reset()
      // 44xx repeats an HTTP status: without permission or camera, asking again changes nothing.
      if (code >= 4400 && code < 4500) {
        this.#change({ phase: 'ended', cause: reason || 'not_found' })
        return
      }
      const { phase, cause, since } = this.state.get()
      if (phase !== 'waiting')
        this.#change({
          phase: 'waiting',
          cause: cause ?? 'connection_lost',
          since: since ?? new Date(portalNow()).toISOString(),
        })
      this.#timer = setTimeout(() => this.#connect(), reconnectWait(this.#attempt++, Math.random()))
    }
  }

  #said(message: LiveMessage): void {
    switch (message.type) {
      case 'started':
        this.#reset()
        this.#change({ isFallback: message.is_fallback })
        if (message.mode === 'fmp4' && !MediaSource.isTypeSupported(message.mime)) this.#fallBack('unplayable')
        else if (message.mode === 'fmp4')
          this.#feed = new Feed(this.#video, message.mime, () => this.#fallBack('unplayable'))
        break
      case 'overlay':
        this.#overlays.push(message)
        while ((this.#overlays[0]?.pts_ms ?? 0) < message.pts_ms - overlayKeepMs) this.#overlays.shift()
        if (this.state.get().transport === 'mjpeg') this.#change({ overlay: message })
        break
      case 'waiting':
        if (message.cause === 'privacy_masks' || message.cause === 'role_blurred') this.#fallBack(message.cause)
        else this.#change({ phase: 'waiting', cause: message.cause, since: message.since, overlay: null })
        break
      case 'ended':
        this.#change({ phase: 'ended', cause: message.cause, overlay: null })
        break
    }
  }

  /** Where masks kept video away: whether it is to be had again, asked beside the pictures, which go on until it is. */
  retryVideo(): void {
    if (this.state.get().instead !== 'privacy_masks') return
    const trial = new WebSocket(this.#address('fmp4'))
    trial.binaryType = 'arraybuffer'
    trial.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) return
      trial.close()
      const { type } = liveMessage.parse(JSON.parse(String(data)))
      if (type !== 'started' || this.#closed || this.state.get().instead !== 'privacy_masks') return
      this.#begin({ transport: 'fmp4', instead: null })
    }
  }

  /** The browser cannot play the stream, or it is not to be seen: JPEGs instead. */
  #fallBack(instead: NonNullable<LiveState['instead']>): void {
    if (this.state.get().transport === 'mjpeg') return
    this.#begin({ transport: 'mjpeg', instead })
  }

  #begin(how: Pick<LiveState, 'transport' | 'instead'>): void {
    this.#reset()
    this.#change({ ...how, phase: 'connecting', cause: null, since: null })
    const old = this.#socket
    this.#connect()
    old?.close()
  }

  #bytes(bytes: Uint8Array<ArrayBuffer>): void {
    const payload = bytes.subarray(1)
    if (bytes[0] === kinds.jpeg) {
      const { jpeg } = this.state.get()
      if (jpeg) URL.revokeObjectURL(jpeg)
      this.#jpegs++
      this.#playing({ jpeg: URL.createObjectURL(new Blob([payload], { type: 'image/jpeg' })) })
    } else if (this.#feed) {
      this.#feed.append(payload, bytes[0] === kinds.init)
      if (bytes[0] === kinds.fragment) this.#playing({})
    }
  }

  #playing(part: Partial<LiveState>): void {
    this.#attempt = 0
    if (this.state.get().phase === 'playing' && part.jpeg === undefined) return
    this.#change({ phase: 'playing', cause: null, since: null, ...part })
  }

  /** Keeps the picture near the newest one, and the boxes on the picture they belong to. */
  #follow(): void {
    this.#frame = requestAnimationFrame(() => this.#follow())
    this.#count(performance.now())
    if (!this.#feed) return
    const behind = this.#feed.follow()
    const shown = this.#video.currentTime * 1000
    // Boxes are a fraction of a second apart: the newest that is not ahead of the picture.
    const overlay = this.#overlays.findLast(({ pts_ms }) => pts_ms <= shown + 20) ?? null
    const now = this.state.get()
    const rounded = behind === null ? null : Math.round(behind * 10) / 10
    if (overlay !== now.overlay || rounded !== now.behind) this.#change({ overlay, behind: rounded })
  }

  #count(now: number): void {
    const pictures = this.#feed ? this.#video.getVideoPlaybackQuality().totalVideoFrames : this.#jpegs
    const { phase, fps } = this.state.get()
    const counted = this.#rate.count(now, pictures)
    if (counted !== null && counted !== fps && phase === 'playing') this.#change({ fps: counted })
  }
}

/** One `MediaSource` and its buffer; fragments queue while the buffer is busy. */
class Feed {
  readonly #video: HTMLVideoElement
  readonly #source = new MediaSource()
  readonly #url = URL.createObjectURL(this.#source)
  #buffer: SourceBuffer | null = null
  #queue: Uint8Array<ArrayBuffer>[] = []
  #closed = false
  #cap = capSeconds
  #jumps: number[] = []

  constructor(video: HTMLVideoElement, mime: string, onUnplayable: () => void) {
    this.#video = video
    video.src = this.#url
    this.#source.addEventListener('sourceopen', () => {
      if (this.#closed) return
      this.#buffer = this.#source.addSourceBuffer(mime)
      this.#buffer.addEventListener('updateend', () => this.#pump())
      this.#pump()
    })
    video.onerror = () => {
      if (!this.#closed) onUnplayable()
    }
  }

  append(bytes: Uint8Array<ArrayBuffer>, isInit: boolean): void {
    // A new init segment begins the stream anew: what waits before it belongs to the old one.
    if (isInit) this.#queue = []
    this.#queue.push(bytes)
    this.#pump()
  }

  #pump(): void {
    const buffer = this.#buffer
    if (!buffer || buffer.updating || this.#closed || this.#source.readyState !== 'open') return
    const { buffered } = buffer
    const end = buffered.length ? buffered.end(buffered.length - 1) : 0
    if (buffered.length && end - buffered.start(0) > keepSeconds) buffer.remove(0, end - dropOlderThanSeconds)
    else {
      const next = this.#queue.shift()
      if (next) buffer.appendBuffer(next)
    }
  }

  /** Jumps when the picture lags; answers how far it is behind, null while nothing is buffered. */
  follow(): number | null {
    const video = this.#video
    const { buffered } = video
    if (!buffered.length) return null
    const end = buffered.end(buffered.length - 1)
    const behind = end - video.currentTime
    if (behind > this.#cap || behind < 0) {
      video.currentTime = Math.max(buffered.start(buffered.length - 1), end - jumpToSeconds)
      this.#jumped(performance.now())
    }
    // A paused background tab, or autoplay that had to wait for data: the browser may refuse until the page is shown.
    if (video.paused)
      video.play().catch((error: Error) => console.debug(`The live picture does not play yet: ${error.message}`))
    return Math.max(0, end - video.currentTime)
  }

  #jumped(now: number): void {
    this.#jumps = [...this.#jumps.filter((at) => now - at < restlessMs), now]
    if (this.#jumps.length < restlessJumps) return
    this.#cap = Math.min(greatestCapSeconds, this.#cap * 2)
    this.#jumps = []
  }

  close(): void {
    this.#closed = true
    this.#video.onerror = null
    this.#video.removeAttribute('src')
    this.#video.load()
    URL.revokeObjectURL(this.#url)
  }
}
