import { createHash } from 'node:crypto'
import type { EventEntity, Evidence } from '@sightline/contract'
import { findMedia, isBlurred, readEdgeMedia } from '../media/store.ts'
import { forbidden, notFound, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'

type File = Evidence['files'][number]

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

/** The record itself, its picture and its clip, each with the hash of its bytes; one that cannot be had says why. */
export async function collectEvidence(app: Services, scope: Scope, event: EventEntity): Promise<File[]> {
  const text = `${JSON.stringify(event, null, 2)}\n`
  const name = `event-${event.event_uuid}`
  const record: File = {
    name: `${name}.json`,
    content_type: 'application/json',
    size: Buffer.byteLength(text),
    sha256: sha256(text),
    url: null,
    text,
    cause: null,
  }
  const media = [
    { url: event.snapshot_url, name: `${name}.jpg`, content_type: 'image/jpeg' },
    { url: event.clip_url, name: `${name}.mp4`, content_type: 'video/mp4' },
  ]
  const files = [record]
  for (const { url, ...file } of media)
    if (url) files.push({ ...file, ...(await fetched(app, scope, url)), text: null })
  return files
}

async function fetched(
  app: Services,
  scope: Scope,
  url: string,
): Promise<Pick<File, 'url' | 'size' | 'sha256' | 'cause'>> {
  try {
    const uid = url.slice(url.lastIndexOf('/') + 1)
    const row = await app.db.as(scope, (trx) => findMedia(trx, scope, uid))
    if (!row?.nimble_uid) throw notFound()
    if (isBlurred(row, scope.principal)) throw forbidden('role_blurred')
    const { body } = await readEdgeMedia(app.links, row.nimble_uid, uid)
    return { url, size: body.length, sha256: sha256(body), cause: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { url: null, size: null, sha256: null, cause: error.code ?? 'not_found' }
  }
}
