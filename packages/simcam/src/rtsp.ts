/** RTSP server of one camera: one video track, sent to each client from its next key frame on. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { AccessUnit } from './annexb.ts'
import { type Authenticator, type AuthMethod, authenticator } from './auth.ts'
import { payloadsOf } from './payload.ts'
import { clockRate, RtpStream } from './rtp.ts'
import { formatReply, type Headers, RequestReader, type RtspRequest, type RtspStatus } from './rtsp-message.ts'
import { openTransport, type Transport, type TransportKind } from './rtsp-transport.ts'
import type { Clip } from './scene.ts'
import { describe, payloadTypes, trackPath } from './sdp.ts'

export type RtspOptions = {
  host: string
  /** 0 takes a free one. */
  port: number
  /** Of the stream, beginning with a slash. */
  path: string
  name: string
  /** null: the stream is open to everybody. */
  credentials: { username: string; password: string } | null
  authMethods: readonly AuthMethod[]
  transports: readonly TransportKind[]
  /** Asked at each DESCRIBE. */
  clip(): Clip
  /** Frames per second of the clock that `publish` counts in. */
  fps: number
  /** The frame of that clock at which the next key frame goes on air. */
  nextKeyTick(): number
}

export type RtspServer = {
  port: number
  /** How many clients get pictures at present. */
  viewers(): number
  /** Sends a picture to every client that plays. @param cut breaks every connection off in the middle of it */
  publish(clip: Clip, picture: AccessUnit, tick: number, cut: boolean): void
  /** Pictures are missing from here on: clients go on with the next key frame. */
  interrupt(): void
  /** From now on no credentials are right, or the right ones again; whoever is connected is thrown out. */
  refuseEverybody(refuse: boolean): void
  disconnect(): void
  close(): Promise<void>
}

/** Bytes that may wait for a slow client before it is disconnected: about a minute of the shipped scenes. */
const maxBacklogBytes = 1_000_000
const senderReportSeconds = 5
const sessionTimeoutSeconds = 60

/** @throws the error of `listen`, EADDRINUSE for a taken port */
export async function startRtspServer(options: RtspOptions): Promise<RtspServer> {
  const connections = new Set<Connection>()
  let refuse = false
  const server = createServer((socket) => {
    const connection = new Connection(socket, options, () => refuse)
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const disconnect = () => {
    for (const connection of connections) connection.close()
  }
  return {
    port: (server.address() as AddressInfo).port,
    viewers: () => [...connections].filter((connection) => connection.isWatching).length,
    publish(clip, picture, tick, cut) {
      const playing = [...connections].filter((connection) => connection.isPlaying)
      if (playing.length === 0) return
      const payloads = payloadsOf(clip.codec, picture.units)
      const sent = cut ? payloads.slice(0, Math.ceil(payloads.length / 2)) : payloads
      for (const connection of playing) {
        connection.send(clip, picture.isKey, sent, tick, cut)
        if (cut) connection.close()
      }
    },
    interrupt() {
      for (const connection of connections) connection.awaitKey()
    },
    refuseEverybody(value) {
      refuse = value
      if (refuse) disconnect()
    },
    disconnect,
    async close() {
      const closed = once(server, 'close')
      server.close()
      disconnect()
      await closed
    },
  }
}

/** `after` happens once the answer is on its way. */
type Reply = { status: RtspStatus; headers?: Headers; body?: string; after?: () => void }

/** A client's connection with its one session: set up, playing, paused. */
class Connection {
  readonly #socket: Socket
  readonly #options: RtspOptions
  readonly #refused: () => boolean
  readonly #auth: Authenticator | null
  readonly #sessionId = randomBytes(6).toString('hex')
  readonly #session = { Session: `${this.#sessionId};timeout=${sessionTimeoutSeconds}` }
  readonly #rtp = new RtpStream()
  #transport: Transport | null = null
  #awaitsKey = true
  #lastReportTick: number | null = null
  isPlaying = false

  constructor(socket: Socket, options: RtspOptions, refused: () => boolean) {
    this.#socket = socket
    this.#options = options
    this.#refused = refused
    const { credentials, authMethods } = options
    this.#auth = credentials && authenticator(credentials.username, credentials.password, authMethods)
    const reader = new RequestReader()
    // SETUP waits for sockets: answers keep the order of the requests.
    let answered = Promise.resolve()
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    socket.on('data', (chunk) => {
      try {
        for (const request of reader.read(chunk)) answered = answered.then(() => this.#serve(request))
        answered = answered.catch(() => this.close())
      } catch {
        // Not RTSP: a camera hangs up without a word.
        this.close()
      }
    })
    // `close` follows each error and is what counts here.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#transport?.close())
  }

  /** It plays, and has had a key frame to begin with. */
  get isWatching(): boolean {
    return this.isPlaying && !this.#awaitsKey
  }

  close(): void {
    this.isPlaying = false
    this.#socket.destroy()
  }

  awaitKey(): void {
    this.#awaitsKey = true
  }

  /** @param incomplete the payloads break off before the picture's end */
  send(clip: Clip, isKey: boolean, payloads: readonly Uint8Array[], tick: number, incomplete: boolean): void {
    const transport = this.#transport
    if (!transport || (this.#awaitsKey && !isKey)) return
    if (this.#socket.writableLength > maxBacklogBytes) {
      this.close()
      return
    }
    this.#awaitsKey = false
    const clockTicks = this.#clockTicks(tick)
    this.#socket.cork()
    if (this.#lastReportTick === null || tick - this.#lastReportTick >= senderReportSeconds * this.#options.fps) {
      this.#lastReportTick = tick
      transport.sendRtcp(this.#rtp.senderReport(Date.now(), clockTicks))
    }
    payloads.forEach((payload, i) => {
      const isLast = i === payloads.length - 1 && !incomplete
      transport.sendRtp(this.#rtp.packet(payload, payloadTypes[clip.codec], clockTicks, isLast))
    })
    this.#socket.uncork()
  }

  #clockTicks(tick: number): number {
    return Math.round((tick * clockRate) / this.#options.fps)
  }

  async #serve(request: RtspRequest): Promise<void> {
    const { status, headers, body, after } = await this.#answer(request)
    if (!this.#socket.writable) return
    this.#socket.write(formatReply(status, request.headers.cseq ?? '0', headers ?? {}, body))
    after?.()
  }

  async #answer(request: RtspRequest): Promise<Reply> {
    const { method, headers } = request
    if (headers.cseq === undefined) return { status: 400 }
    if (method === 'OPTIONS')
      return { status: 200, headers: { Public: 'OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, GET_PARAMETER, TEARDOWN' } }
    if (this.#auth && (this.#refused() || !this.#auth.accepts(headers.authorization, method)))
      return { status: 401, headers: { 'WWW-Authenticate': this.#auth.challenges } }
    const base = this.#streamAddress(request.uri)
    if (base === null) return { status: 404 }
    if (method === 'DESCRIBE')
      return {
        status: 200,
        headers: { 'Content-Type': 'application/sdp', 'Content-Base': `${base}/` },
        body: describe(this.#options.clip(), this.#options.name),
      }
    if (method === 'SETUP') return this.#setUp(headers.transport ?? '')
    if (this.#transport === null) return { status: 455 }
    if (headers.session?.split(';')[0]?.trim() !== this.#sessionId) return { status: 454 }
    return this.#control(method, base)
  }

  async #setUp(wanted: string): Promise<Reply> {
    const transport = await openTransport(wanted, this.#options.transports, this.#socket)
    if (!transport) return { status: 461 }
    // The client may have gone while the ports were opened; then nobody else closes them.
    if (this.#socket.destroyed) {
      transport.close()
      return { status: 454 }
    }
    this.#transport?.close()
    this.#transport = transport
    return {
      status: 200,
      headers: { ...this.#session, Transport: `${transport.header};ssrc=${this.#rtp.ssrc.toString('hex')}` },
    }
  }

  #control(method: string, base: string): Reply {
    const reply: Reply = { status: 200, headers: this.#session }
    switch (method) {
      case 'PLAY': {
        const time = this.#rtp.timestamp(this.#clockTicks(this.#options.nextKeyTick()))
        const info = `url=${base}/${trackPath};seq=${this.#rtp.nextSequence};rtptime=${time}`
        return {
          status: 200,
          headers: { ...this.#session, Range: 'npt=now-', 'RTP-Info': info },
          after: () => this.#play(),
        }
      }
      case 'PAUSE':
        this.isPlaying = false
        return reply
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        return reply
      case 'TEARDOWN':
        this.isPlaying = false
        return { ...reply, after: () => this.#socket.end() }
      default:
        return { status: 501 }
    }
  }

  #play(): void {
    if (!this.isPlaying) this.awaitKey()
    this.isPlaying = true
  }

  /** The stream's address as the client spells it, without track and slash; null when it means another stream. */
  #streamAddress(uri: string): string | null {
    const url = URL.parse(uri)
    const path = url?.pathname.replace(new RegExp(`/${trackPath}$`), '').replace(/\/$/, '')
    if (!url || path !== this.#options.path) return null
    return `${url.protocol}//${url.host}${path}`
  }
}
