import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type FileAnswer, type Handlers, unauthorized } from '../mount.ts'
import { forbidden, notFound } from '../refusal.ts'
import type { Principal } from '../scope.ts'
import type { Services } from '../services.ts'
import { blur, fromCamera, isBlurred } from './blur.ts'
import { wantedPart } from './part.ts'
import { findMedia, type MediaRow, openMedia, readEdgeMedia } from './store.ts'

/** What is under an id never changes; a browser may keep it, a proxy may not. */
const headers = {
  'cache-control': 'private, max-age=86400, immutable',
  'x-content-type-options': 'nosniff',
  // Opened on its own, a file runs nothing and loads nothing.
  'content-security-policy': "default-src 'none'; sandbox",
}

/** What is blurred for somebody now may be clear for them in a minute, under the same id, and the other way round. */
const momentary = { ...headers, 'cache-control': 'no-store' }
/** Of people: kept, but asked for each time, as the next person at the same browser may not see it so. */
const ofPeople = { ...headers, 'cache-control': 'private, no-cache' }

export const media: Handlers<'media'> = {
  async get({ id }, { app, scope, principal, request }): Promise<FileAnswer> {
    const row = await (scope
      ? app.db.as(scope, (trx) => findMedia(trx, scope, id))
      : app.db.instance((trx) => findMedia(trx, null, id)))
    if (!row) throw scope ? notFound() : unauthorized('sign in first')
    const { range } = request.headers
    if (isBlurred(row, principal)) {
      // Blurring a video would mean encoding it anew for each who looks.
      if (row.content_type !== 'image/jpeg') throw forbidden('role_blurred')
      const whole = await wholeOf(app, row)
      return { contentType: 'image/jpeg', body: await blur(whole), headers: momentary }
    }
    const etag = `"${id}"`
    const cache = cacheOf(row, principal, etag)
    if ('etag' in cache && request.headers['if-none-match'] === etag)
      return { contentType: row.content_type, body: Buffer.alloc(0), headers: cache, status: 304 }
    if (row.path !== null) {
      const file = await openMedia(app.env, row.path)
      if (!file) throw notFound()
      return partOf(row.content_type, range, file.size, file.read, cache)
    }
    if (row.nimble_uid === null) throw notFound()
    const { contentType, body } = await readEdgeMedia(app.links, row.nimble_uid, id)
    return partOf(contentType, range, body.length, (first, last) => body.subarray(first, last + 1), cache)
  },
}

function cacheOf(row: Pick<MediaRow, 'kind'>, principal: Principal | null, etag: string): Record<string, string> {
  if (fromCamera(row) && !principal?.privileges.includes('picture.clear')) return momentary
  return fromCamera(row) || row.kind === 'face' ? { ...ofPeople, etag } : headers
}

/** The bytes of a picture, wherever it is kept. @throws 404 */
async function wholeOf(app: Services, row: NonNullable<Awaited<ReturnType<typeof findMedia>>>): Promise<Buffer> {
  if (row.path === null) {
    if (row.nimble_uid === null) throw notFound()
    return (await readEdgeMedia(app.links, row.nimble_uid, row.uid)).body
  }
  const file = await openMedia(app.env, row.path)
  if (!file) throw notFound()
  return buffer(file.read(0, file.size - 1))
}

/** All of a file, or the part that was asked for: players of clips go to and fro in them. */
function partOf(
  contentType: string,
  range: string | undefined,
  size: number,
  read: (first: number, last: number) => Buffer | Readable,
  cache: Record<string, string>,
): FileAnswer {
  const part = wantedPart(range, size)
  const { first, last } = part ?? { first: 0, last: size - 1 }
  return {
    contentType,
    body: read(first, last),
    headers: {
      ...cache,
      'accept-ranges': 'bytes',
      'content-length': String(last - first + 1),
      ...(part && { 'content-range': `bytes ${first}-${last}/${size}` }),
    },
    ...(part && { status: 206 }),
  }
}
