import type { LiveMessage, NimbleStatus } from '@sightline/contract'
import type { LinkDiscovered, Overlay, Probed } from '@sightline/contract/edge'

/** What the link itself knows of a nimble; the rest of `NimbleStatus` comes from the stored configuration. */
export type LinkStatus = Pick<
  NimbleStatus,
  | 'state'
  | 'since'
  | 'last_contact_at'
  | 'cause'
  | 'clock_offset_ms'
  | 'engine_version'
  | 'protocol'
  | 'interfaces'
  | 'capacity'
  | 'journal_events'
  | 'applied_version'
>

export type LiveMode = Extract<LiveMessage, { type: 'started' }>['mode']

/** One viewer of a source. After `ended` nothing more comes; after `waiting` the feed goes on by itself. */
export type LiveListener = {
  started(mime: string): void
  init(segment: Buffer): void
  /** `isKey`: decoding may start here. */
  fragment(fragment: Buffer, isKey: boolean): void
  jpeg(picture: Buffer): void
  overlay(overlay: Overlay): void
  /** No picture now, with the reason. */
  waiting(cause: string | null): void
  ended(cause: string | null): void
}
export type LiveFeed = { stop(): void }

export type DiscoverOptions = { seconds: number; range?: string; interfaces?: string[] }
export type ProbeOptions = { address: string; username: string | null; password: string | null }
export type ChannelAction = 'revive' | 'troubleshoot' | 'restart' | 'delete'
export type LinkTest = {
  ok: boolean
  cause: string | null
  engine_version: string | null
  key_fingerprint: string | null
  ms: number
}

/**
 * Every nimble that this portal talks to. Calls that need a nimble reject with `unreachable()` while it is not
 * connected, and with a `Refusal` of 504 when it does not answer in time.
 */
export type Links = {
  start(): Promise<void>
  stop(): Promise<void>
  status(nimbleUid: string): LinkStatus | null
  /** The desired state of this nimble changed: compute it again and send it. */
  reconfigure(nimbleUid: string): void
  /** Nimbles were added, changed or removed. */
  reload(): void
  discover(
    nimbleUid: string,
    options: DiscoverOptions,
    onFound: (found: LinkDiscovered) => void,
    signal: AbortSignal,
  ): Promise<{ interfaces: string[]; range: string | null; ms: number }>
  probe(nimbleUid: string, options: ProbeOptions): Promise<Probed>
  snapshot(nimbleUid: string, sourceUid: string): Promise<{ jpeg: Buffer; at: Date }>
  media(nimbleUid: string, mediaUid: string): Promise<{ contentType: string; body: Buffer }>
  /** Viewers of the same source and mode share one stream from the nimble. */
  live(nimbleUid: string, sourceUid: string, mode: LiveMode, listener: LiveListener): LiveFeed
  channelDo(nimbleUid: string, channelUid: string, action: ChannelAction, force: boolean): Promise<void>
  test(address: string, port: number): Promise<LinkTest>
}
