/** Pictures and clips of events, which stay where they were taken until somebody looks at them. */
import { notFound, Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { createSharedTurns, type Turns } from '../turns.ts'

type Links = Pick<Services['links'], 'media'>

export type EdgeMedia = { contentType: string; body: Buffer }

/** A player asks for a clip piece by piece: it comes from the edge server once. */
const mostKeptBytes = 64 * 1024 * 1024

/** Each is in memory as a whole while it comes, and comes over the one line of its edge server. */
const mostFetched = { atOnce: 16, waiting: 500 }
const mostFetchedOfOne = { atOnce: 4, waiting: 100 }

type Kept = { media: Promise<EdgeMedia>; bytes: number }
type Fetching = { known: Map<string, Kept>; turnsOf: (nimbleUid: string) => Turns }
/** What is known by edge server and id, the one that was asked for last at the end; per set of links, as a test has many. */
const recent = new WeakMap<Links, Fetching>()

/**
 * Who may see it is the caller's to know.
 * @throws 404 when the edge server keeps it no longer, 409 while it is being written, 503 while the edge server is away or
 *   too much is being fetched
 */
export function readEdgeMedia(links: Links, nimbleUid: string, uid: string): Promise<EdgeMedia> {
  const here: Fetching = recent.get(links) ?? {
    known: new Map(),
    // An edge server on a slow line holds up its own only.
    turnsOf: createSharedTurns(mostFetched, mostFetchedOfOne),
  }
  recent.set(links, here)
  const { known, turnsOf } = here
  // An id is unique within an organization only.
  const key = `${nimbleUid} ${uid}`
  const kept = known.get(key) ?? {
    media: turnsOf(nimbleUid).take(() => fetchMedia(links, nimbleUid, uid)),
    bytes: 0,
  }
  known.delete(key)
  known.set(key, kept)
  kept.media.then(
    ({ body }) => {
      kept.bytes = body.length
      let bytes = [...known.values()].reduce((sum, one) => sum + one.bytes, 0)
      for (const [oldest, one] of known) {
        if (bytes <= mostKeptBytes) break
        known.delete(oldest)
        bytes -= one.bytes
      }
    },
    () => known.delete(key),
  )
  return kept.media
}

async function fetchMedia(links: Links, nimbleUid: string, uid: string): Promise<EdgeMedia> {
  try {
    const { contentType, body } = await links.media(nimbleUid, uid)
    // An edge server is not trusted to name a type that a browser would run.
    if (!['image/jpeg', 'video/mp4'].includes(contentType)) throw notFound()
    return { contentType, body }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'media_gone') throw notFound()
    if (error.code === 'clip_writing')
      throw new Refusal(409, 'The clip is still being written.', { code: error.code, headers: { 'retry-after': '2' } })
    throw error
  }
}
