/** The portal's key for its edge servers, and the files by which the edge server beside it is enrolled without a person. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import type { OpeningSelf } from '@sightline/contract/opening'
import { localNimbleId } from '@sightline/domain'
import type { Db } from '../db/database.ts'
import type { Secrets } from '../secrets.ts'

/** Who this portal is on a link. Its key is made at the first start and kept sealed in the database. */
export async function openPortalIdentity(db: Db, secrets: Secrets): Promise<OpeningSelf & { id: string }> {
  return db.instance(async (trx) => {
    const instance = await trx
      .selectFrom('instance')
      .select(['uid', 'link_private_key'])
      .forUpdate()
      .executeTakeFirstOrThrow()
    const place = { table: 'instance', column: 'link_private_key', row: instance.uid }
    const kept = instance.link_private_key
    const privateKey = kept === null ? await createLinkKey() : secrets.open(kept, place)
    const key = await openLinkKey(privateKey)
    if (kept === null)
      await trx
        .updateTable('instance')
        .set({ link_private_key: secrets.seal(privateKey, place), link_public_key: key.publicKey })
        .execute()
    return { id: instance.uid, software: 'sightline portal', key }
  })
}

/** Tells the edge server beside this portal whom it belongs to. It reads the file when the portal comes in. */
export function enrolLocalNimble(folder: string, portal: OpeningSelf): void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'enrolment.json')
  const enrolment = { nimble_id: localNimbleId, instance_id: portal.id, portal_key: portal.key.publicKey }
  writeFileSync(`${file}.new`, JSON.stringify(enrolment), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The key of the edge server beside this portal; null while it has not started yet. */
export function localNimbleKey(folder: string): string | null {
  try {
    return readFileSync(join(folder, 'key.pub'), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
