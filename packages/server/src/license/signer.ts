/** Whose licence keys count, and which stored ones do. */
import { changed } from '../bus.ts'
import type { SecretPlace } from '../secrets.ts'
import type { Services } from '../services.ts'
import { newUid } from '../uid.ts'
import { isSignedBy, readPublicKey, type Signers } from './key.ts'

export const keyPlace = (uid: string): SecretPlace => ({ table: 'license', column: 'license_key', row: uid })

/** Whose signatures count here: the vendor's alone where LICENSE_PUBLIC_KEY names one, else the instance's own. */
export async function readSigners({ db, env }: Pick<Services, 'db' | 'env'>): Promise<Signers> {
  const { uid, link_public_key } = await db.instance((trx) =>
    trx.selectFrom('instance').select(['uid', 'link_public_key']).executeTakeFirstOrThrow(),
  )
  const text = env.licensePublicKey ?? link_public_key
  const publicKey = text === null ? null : readPublicKey(text)
  return { publicKeys: publicKey ? [publicKey] : [], instance: uid }
}

/**
 * Says of each stored licence anew whether its key counts: who signs may be another than when it was added. The one that
 * comes with the product has no key and always counts. A change is traced and told: portals on one database that name
 * different signers change it for each other.
 */
export async function reviewLicenses(
  services: Pick<Services, 'db' | 'bus' | 'env' | 'secrets' | 'log'>,
): Promise<void> {
  const { db, bus, secrets, log } = services
  const { publicKeys } = await readSigners(services)
  const others = await db.instance(async (trx) => {
    const reviewed: { tenant_id: number; uid: string }[] = []
    const rows = await trx
      .selectFrom('license')
      .select(['tenant_id', 'id', 'uid', 'name', 'license_key', 'is_foreign'])
      .where('license_key', 'is not', null)
      .orderBy('tenant_id')
      .orderBy('id')
      .forUpdate()
      .execute()
    for (const { tenant_id, id, uid, name, license_key, is_foreign: was } of rows) {
      let is_foreign = true
      try {
        is_foreign = !isSignedBy(secrets.open(license_key as string, keyPlace(uid)), publicKeys)
      } catch (error) {
        log.warn({ err: error, license: uid }, `the key of licence ${name} cannot be read: it does not count`)
      }
      if (is_foreign === was) continue
      await trx
        .updateTable('license')
        .set({ is_foreign })
        .where('tenant_id', '=', tenant_id)
        .where('id', '=', id)
        .execute()
      await trx
        .insertInto('trace')
        .values({
          ...{ tenant_id, uid: newUid(), code: 'license.reviewed', result: 'ok', response_code: 200 },
          ...{ object_kind: 'license', object_uid: uid, object_name: name },
          ...{ before: JSON.stringify({ is_foreign: was }), after: JSON.stringify({ is_foreign }) },
        })
        .execute()
      reviewed.push({ tenant_id, uid })
      log.warn(
        { license: uid },
        `licence ${name} ${is_foreign ? 'no longer counts: its key is not signed by who counts here' : 'counts again'}`,
      )
    }
    return reviewed
  })
  for (const row of others) bus.publish(changed(row, 'license', row.uid))
}
