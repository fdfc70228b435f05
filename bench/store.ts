/** What a measured portal finds in its database: a person, a site, cameras, channels. */
import type { UsecaseKey } from '@sightline/domain'
import type { Selectable } from 'kysely'
import { openSession } from '../packages/server/src/auth/store.ts'
import { type Database, type Db, openDatabase } from '../packages/server/src/db/database.ts'
import { type Factories, factories } from '../packages/server/src/testing/factories.ts'

export type StoredChannel = Selectable<Database['channel']> & { usecase_key: UsecaseKey }
export type Store = {
  tenantId: number
  /** Number of the edge server beside the portal. */
  nimbleId: number
  /** Of super administrators' sessions, as a browser sends them: more than one, as each may call so often a minute. */
  cookies: string[]
  customerId: string
  /** In the order asked for. */
  devices: { device_id: string; source_id: string; channels: StoredChannel[] }[]
}
export type StoredCamera = { name: string; address: string; usecases: readonly UsecaseKey[] }

/** Each may make only so many calls a minute. */
const people = 20

export async function signIn(db: Db, user: Selectable<Database['app_user']>): Promise<string> {
  const who = { tenantId: user.tenant_id, userId: user.id }
  const from = { ip: '127.0.0.1', userAgent: 'bench', method: 'form' } as const
  const { token } = await db.instance((trx) => openSession(trx, who, from))
  return `sightline=${token}`
}

/** Creates the database of `dataDir` and fills it; the database is stopped again when it is done. */
export async function seedStore(options: {
  dataDir: string
  nimblePort: number
  cameras: readonly StoredCamera[]
  /** More to put in while the database is open. */
  more?: (db: Db, store: Store & { make: Factories }) => Promise<void>
}): Promise<Store> {
  const { dataDir, nimblePort, cameras } = options
  const db = await openDatabase({ dataDir, seed: { nimble: { host: '127.0.0.1', port: nimblePort } } })
  try {
    const make = factories(db)
    const cookies: string[] = []
    for (let i = 0; i < people; i++) cookies.push(await signIn(db, await make.user('super_admin')))
    const nimble = await db.owner((trx) =>
      trx.selectFrom('nimble').selectAll().where('is_local', '=', true).executeTakeFirstOrThrow(),
    )
    await db.owner((trx) => trx.updateTable('instance').set({ onboarded_at: new Date() }).execute())
    const customer = await make.customer({ name: 'Bench' })
    const site = await make.site({ name: 'Hall' }, customer)
    const store: Store = {
      tenantId: nimble.tenant_id,
      nimbleId: nimble.id,
      cookies,
      customerId: customer.uid,
      devices: [],
    }
    for (const { name, address, usecases } of cameras) {
      const device = await make.device({ name, stream_address: address, username: null, password: null }, site, nimble)
      const channels: StoredChannel[] = []
      for (const [number, usecase_key] of usecases.entries())
        channels.push({ ...(await make.channel({ usecase_key, name: `${name} ${number + 1}` }, device)), usecase_key })
      const source = await make.sourceOf(device)
      store.devices.push({ device_id: device.uid, source_id: source?.uid ?? '', channels })
    }
    await options.more?.(db, { ...store, make })
    return store
  } finally {
    await db.close()
  }
}

/** Address of the database that runs for `dataDir`. */
export const connectionOf = (dataDir: string): string =>
  `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(`${dataDir}/postgres/run`)}`

/** More connections to the database that a portal runs in `dataDir`, for looking into it. */
export const lookInto = (dataDir: string): Promise<Db> => openDatabase({ dataDir: '', url: connectionOf(dataDir) })
