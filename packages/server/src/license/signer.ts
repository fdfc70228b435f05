/** Whose licence keys count, and which stored ones do. */
import type { KeyObject } from 'node:crypto'
import type { SecretPlace } from '../secrets.ts'
import type { Services } from '../services.ts'
import { isSignedBy, readPublicKey } from './key.ts'

export const keyPlace = (uid: string): SecretPlace => ({ table: 'license', column: 'license_key', row: uid })

/** Whose signatures count: the vendor's alone where LICENSE_PUBLIC_KEY names one, else the instance's own. */
export async function publicKeys({ db, env }: Pick<Services, 'db' | 'env'>): Promise<KeyObject[]> {
  if (env.licensePublicKey !== null) return [readPublicKey(env.licensePublicKey) ?? []].flat()
  const instance = await db.instance((trx) => trx.selectFrom('instance').select('link_public_key').executeTakeFirst())
  return [(instance?.link_public_key && readPublicKey(instance.link_public_key)) || []].flat()
}

/**
 * Says of each stored licence anew whether its key counts: who signs may be another than when it was added. The one that
 * comes with the product has no key and always counts.
 */
export async function reviewLicenses(services: Pick<Services, 'db' | 'env' | 'secrets' | 'log'>): Promise<void> {
  const { db, secrets, log } = services
  const signers = await publicKeys(services)
  await db.instance(async (trx) => {
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
        is_foreign = !isSignedBy(secrets.open(license_key as string, keyPlace(uid)), signers)
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
      log.warn(
        { license: uid },
        `licence ${name} ${is_foreign ? 'no longer counts: its key is not signed by who counts here' : 'counts again'}`,
      )
    }
  })
}
