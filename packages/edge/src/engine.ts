import type {
  ChannelState,
  Finding,
  LinkConfig,
  LinkDiscovered,
  NimbleMessage,
  Probed,
  Scanned,
  SourceState,
} from '@sightline/contract/edge'
import type { LiveListener, LiveMode } from './live/live.ts'
import type { FetchPart } from './model/store.ts'

type Of<T extends NimbleMessage['type']> = Extract<NimbleMessage, { type: T }>

/** Something asked for cannot be done; the message is the cause, an id that both languages translate. */
export class Failed extends Error {}

/** What happens without being asked for; the link tells the portal, if there is one. */
export type EngineNews = Of<'source.state' | 'channel.state' | 'config.applied' | 'overlay'>

/** After `ended` nothing more comes; the cause says whether asking again later may help. */
export type LiveViewer = Omit<LiveListener, 'ended'> & { ended(cause: string): void }

/** What the nimble does with cameras, as the link sees it. */
export type Engine = {
  state(): { sources: SourceState[]; channels: ChannelState[]; interfaces: { name: string; address: string }[] }
  /** Brings about the desired state; asking for the same again changes nothing. */
  apply(config: LinkConfig): void
  appliedVersion(): number | null
  discover(
    options: { seconds: number; range?: string; interfaces?: string[] },
    onFound: (found: LinkDiscovered) => void,
    signal: AbortSignal,
  ): Promise<Scanned>
  probe(
    target: { address: string; username: string | null; password: string | null },
    onFinding: (finding: Finding) => void,
    signal: AbortSignal,
  ): Promise<Probed>
  /** @throws Failed */
  snapshot(sourceId: string): Promise<{ jpeg: Uint8Array; at: number }>
  /** @throws Failed */
  media(mediaId: string): Promise<{ contentType: string; bytes: Uint8Array; at: number }>
  /** Answers the function that ends it. @throws Failed */
  live(sourceId: string, mode: LiveMode, viewer: LiveViewer): () => void
  /** From whom to fetch models, while the link lasts. @param former null ends this one only: a newer link may have come */
  offerModels(fetch: FetchPart | null, former?: FetchPart): void
  /** Answers how many it counted until then; null while it could not count. @throws Failed */
  setOccupancy(channelId: string, occupancy: number): Promise<number | null>
  /** @throws Failed */
  channelDo(channelId: string, action: 'revive' | 'troubleshoot' | 'restart' | 'delete', force: boolean): Promise<void>
}
