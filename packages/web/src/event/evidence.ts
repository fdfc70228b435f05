/** What proves events, as files to keep. */
import type { Evidence } from '@sightline/contract'
import { api } from '../app/client.ts'
import type { Entry } from '../ui/zip.ts'

type File = Evidence['files'][number]

/** The list of the files of an event with their hashes. */
export const manifestOf = ({ files, ...evidence }: Evidence): string =>
  `${JSON.stringify({ ...evidence, files: files.map(({ text, ...file }) => file) }, null, 2)}\n`
export const manifestName = (eventId: string): string => `event-${eventId}-manifest.json`

const hex = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Its bytes; null when they cannot be had, or are not those that the hash was taken of. */
async function bytesOf({ url, text, sha256 }: File): Promise<Uint8Array<ArrayBuffer> | null> {
  if (text !== null) return new TextEncoder().encode(text)
  if (url === null) return null
  const answer = await fetch(url, { credentials: 'include' })
  if (!answer.ok) return null
  const bytes = await answer.arrayBuffer()
  // Without HTTPS browsers do not hash; the manifest lets everybody do it later.
  const isSame = !crypto.subtle || hex(await crypto.subtle.digest('SHA-256', bytes)) === sha256
  return isSame ? new Uint8Array(bytes) : null
}

/**
 * Record, picture, clip and manifest of each event, in order. That they are taken is traced, event by event.
 * @param onDone hears how many events were read
 * @returns the files, and of how many events something is missing
 */
export async function collectAll(
  eventIds: readonly string[],
  onDone: (events: number) => void,
): Promise<{ entries: Entry[]; incomplete: number }> {
  const entries: Entry[] = []
  let incomplete = 0
  for (const [done, event_uuid] of eventIds.entries()) {
    onDone(done)
    const result = await api.event.evidence.call({ event_uuid })
    if (!result.status) {
      incomplete++
      continue
    }
    let isWhole = true
    for (const file of result.data.files) {
      const bytes = await bytesOf(file)
      if (bytes) entries.push({ name: file.name, bytes })
      else isWhole = false
    }
    if (!isWhole) incomplete++
    entries.push({ name: manifestName(event_uuid), bytes: new TextEncoder().encode(manifestOf(result.data)) })
  }
  return { entries, incomplete }
}
