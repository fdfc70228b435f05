/** Pictures and clips of events, which stay where they were taken until somebody looks at them. */
import { notFound, Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'

type Links = Pick<Services['links'], 'media'>

export type EdgeMedia = { contentType: string; body: Buffer }

/** A player asks for a clip piece by piece: it comes from the edge server once. */
const mostKeptBytes = 64 * 1024 * 1024

type Kept = { media: Promise<EdgeMedia>; bytes: number }
/** By id, the one that was asked for last at the end; per set of links, as a test has many. */
const recent = new WeakMap<Links, Map<string, Kept>>()

/**
 * Who may see it is the caller's to know.
 * @throws 404 when the edge server keeps it no longer, 409 while it is being written, 503 while the edge server is away
 */
export function readEdgeMedia(links: Links, nimbleUid: string, uid: string): Promise<EdgeMedia> {
  const known = recent.get(links) ?? new Map<string, Kept>()
  recent.set(links, known)
  const kept = known.get(uid) ?? { media: fetchMedia(links, nimbleUid, uid), bytes: 0 }
  known.delete(uid)
  known.set(uid, kept)
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
    () => known.delete(uid),
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
