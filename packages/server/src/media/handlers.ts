import type { Readable } from 'node:stream'
import { type FileAnswer, type Handlers, unauthorized } from '../mount.ts'
import { notFound } from '../refusal.ts'
import { wantedPart } from './part.ts'
import { findMedia, openMedia, readEdgeMedia } from './store.ts'

/** What is under an id never changes; a browser may keep it, a proxy may not. */
const headers = {
  'cache-control': 'private, max-age=86400, immutable',
  'x-content-type-options': 'nosniff',
  // Opened on its own, a file runs nothing and loads nothing.
  'content-security-policy': "default-src 'none'; sandbox",
}

export const media: Handlers<'media'> = {
  async get({ id }, { app, scope, request }): Promise<FileAnswer> {
    const row = await (scope
      ? app.db.as(scope, (trx) => findMedia(trx, scope, id))
      : app.db.instance((trx) => findMedia(trx, null, id)))
    if (!row) throw scope ? notFound() : unauthorized('sign in first')
    const { range } = request.headers
    if (row.path !== null) {
      const file = await openMedia(app.env, row.path)
      if (!file) throw notFound()
      return partOf(row.content_type, range, file.size, file.read)
    }
    if (row.nimble_uid === null) throw notFound()
    const { contentType, body } = await readEdgeMedia(app.links, row.nimble_uid, id)
    return partOf(contentType, range, body.length, (first, last) => body.subarray(first, last + 1))
  },
}

/** All of a file, or the part that was asked for: players of clips go to and fro in them. */
function partOf(
  contentType: string,
  range: string | undefined,
  size: number,
  read: (first: number, last: number) => Buffer | Readable,
): FileAnswer {
  const part = wantedPart(range, size)
  const { first, last } = part ?? { first: 0, last: size - 1 }
  return {
    contentType,
    body: read(first, last),
    headers: {
      ...headers,
      'accept-ranges': 'bytes',
      'content-length': String(last - first + 1),
      ...(part && { 'content-range': `bytes ${first}-${last}/${size}` }),
    },
    ...(part && { status: 206 }),
  }
}
