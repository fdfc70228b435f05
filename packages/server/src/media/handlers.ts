import { type FileAnswer, type Handlers, unauthorized } from '../mount.ts'
import { notFound, Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { findMedia, openMedia } from './store.ts'

/** What is under an id never changes; a browser may keep it, a proxy may not. */
const headers = {
  'cache-control': 'private, max-age=86400, immutable',
  'x-content-type-options': 'nosniff',
  // Opened on its own, a file runs nothing and loads nothing.
  'content-security-policy': "default-src 'none'; sandbox",
}

export const media: Handlers<'media'> = {
  async get({ id }, { app, scope }): Promise<FileAnswer> {
    const row = await (scope
      ? app.db.as(scope, (trx) => findMedia(trx, scope, id))
      : app.db.instance((trx) => findMedia(trx, null, id)))
    if (!row) throw scope ? notFound() : unauthorized('sign in first')
    if (row.path !== null) {
      const file = await openMedia(app.env, row.path)
      if (!file) throw notFound()
      return {
        contentType: row.content_type,
        body: file.body,
        headers: { ...headers, 'content-length': String(file.size) },
      }
    }
    // Pictures of events stay where they were taken until somebody looks at them.
    if (row.nimble_uid === null) throw notFound()
    const { contentType, body } = await fromEdge(app, row.nimble_uid, id)
    if (!isPicture(contentType)) throw notFound()
    return { contentType, body, headers }
  },
}

/** @throws 404 when the edge server keeps it no longer, 503 while it is away */
async function fromEdge({ links }: Services, nimbleUid: string, mediaUid: string) {
  try {
    return await links.media(nimbleUid, mediaUid)
  } catch (error) {
    throw error instanceof Refusal && error.code === 'media_gone' ? notFound() : error
  }
}

/** An edge server is not trusted to name a type that a browser would run. */
const isPicture = (contentType: string) => ['image/jpeg', 'video/mp4'].includes(contentType)
