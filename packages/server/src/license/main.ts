/**
 * `npm run license -- --customer NAME --channels N [--bundles KEY,KEY] [--instance ID] [--from YYYY-MM-DD] [--until
 * YYYY-MM-DD]`: prints a licence key that this instance takes, or the one named alone, where this one's key is its vendor's.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { embeddedConnection } from '../db/embedded.ts'
import { readEnv } from '../env.ts'
import { openSecrets } from '../secrets.ts'
import { issueLicense, OrderFault, readOrder } from './issue.ts'

try {
  const text = { type: 'string' } as const
  const options = {
    customer: text,
    channels: text,
    bundles: text,
    instance: text,
    from: text,
    until: text,
    expires: text,
  }
  const { expires, ...values } = parseArgs({ options }).values
  const until = values.until ?? expires
  const order = readOrder({ ...values, ...(until === undefined ? {} : { until }) }, new Date())
  const env = readEnv(process.env)
  if (env.licensePublicKey !== null)
    throw new OrderFault('LICENSE_PUBLIC_KEY is set: only keys signed by that vendor count here.')
  const dataDir = resolve(env.dataDir)
  const keyFile = join(dataDir, 'instance.key')
  if (!existsSync(keyFile))
    throw new OrderFault(`There is no instance in ${dataDir}: start the portal once, or set DATA_DIR to its folder.`)
  const connection = env.databaseUrl ? { connectionString: env.databaseUrl } : embeddedConnection(dataDir)
  console.log(await issueLicense(connection, openSecrets(keyFile), order))
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  const isAway = code === 'ENOENT' || code === 'ECONNREFUSED'
  console.error(isAway ? 'The database does not run: start the portal, then try again.' : message)
  process.exitCode = 1
}
