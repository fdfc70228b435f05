import { hash } from 'node:crypto'
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { ensurePartitions } from '../event/partitions.ts'
import type { Scope } from '../scope.ts'
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './embedded.ts'
import { type DatabaseRole, ensureRoles, raiseFences } from './fence.ts'
import { migrate } from './migrate.ts'
import { type Channel, openChannel } from './notify.ts'
import { refusalOf } from './refusal.ts'
import type { Database } from './schema.ts'
import { type SeedOptions, seed } from './seed.ts'
import { type Reading, type Transactions, transactions, type Work } from './transaction.ts'
import { DatabaseTrouble } from './trouble.ts'

export type { Database } from './schema.ts'
export type { Trx } from './transaction.ts'

// bigint as number: our counts stay below 2^53. Once, for the whole process.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

// Lists hold hundreds of times. Connections say them in UTC, which but for a letter is how the language reads them, in
// less than half the time the driver takes. Years before 1000 and after 9999, and infinity, are left to the driver.
const { TIMESTAMPTZ } = pg.types.builtins
const readTime = pg.types.getTypeParser(TIMESTAMPTZ, 'text')
pg.types.setTypeParser(TIMESTAMPTZ, (text) =>
  text[4] === '-' && text.endsWith('+00') ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : readTime(text),
)

/**
 * The database. Each of the six runs `work` as one transaction; what it throws rolls back. Trouble of the database
 * itself comes out as a `Refusal` (503, 507), a broken unique rule as the field error.
 */
export type Db = {
  /** A request of a signed-in person: sees the tenant of the scope, or all of them for a super role without a tenant. */
  as<T>(scope: Pick<Scope, 'tenantId'>, work: Work<T>): Promise<T>
  /** As `as`, and with `dry_run` leaves nothing behind: the answer says what would have been. */
  try<T>(scope: Pick<Scope, 'tenantId'>, input: { dry_run: boolean }, work: Work<T>): Promise<T>
  /** Before anyone is known (sign-in, sessions, set-up, public pages) and for tables of the instance: every tenant. */
  instance<T>(work: Work<T>): Promise<T>
  /** As `as`, or as `instance` without a scope, for what only reads: held to that, and quicker. */
  read<T>(scope: Pick<Scope, 'tenantId'> | null, work: Work<T>, reading?: Reading): Promise<T>
  /** The event writer, the link to edge servers, roll-ups: every tenant, connections of its own. */
  ingest<T>(work: Work<T>): Promise<T>
  /** Migrations, partitions, seeds: owner of everything, without a time limit. */
  owner<T>(work: Work<T>): Promise<T>
  info(): Promise<DatabaseInfo>
  /** To and from the other portals on this database. */
  channel(hear: (text: string, from: string) => void, told: (trouble: Error | null) => void): Promise<Channel>
  close(): Promise<void>
}

export type DatabaseInfo = {
  version: string
  size_bytes: number
  /** False: the database user may not make roles, so tenants are kept apart by the queries alone. */
  row_security: boolean
  /** The built-in server; false with DATABASE_URL. */
  embedded: boolean
}

export type DatabaseOptions = {
  /** A PostgreSQL server, version 15 or later. Without: the built-in one under `dataDir`. */
  url?: string
  dataDir: string
  /** What the first start puts in. */
  seed?: SeedOptions
  log?: (sentence: string) => void
} & Pick<EmbeddedOptions, 'binaries'>

/**
 * Opens the database: starts the built-in server when no URL is given, brings the schema up to date, and seeds it.
 * @throws DatabaseTrouble with one sentence that says what to do
 */
export async function openDatabase(options: DatabaseOptions): Promise<Db> {
  if (options.url) return connect({ connectionString: options.url }, options, null)
  const server = await startEmbedded(options)
  try {
    return await connect(server.connection, options, server)
  } catch (error) {
    await server.stop()
    throw error
  }
}

const requestSeconds = 15
/**
 * Queries join in the order in which they are written, from the rows that are asked for outwards; beyond so many joins
 * PostgreSQL does not look for a better one. Planning ten joins took 57 ms with its default of 8, and 1.2 ms so.
 */
const joinsPlanned = 4
/**
 * What helpers for one query count as, in the planner's units: 50 times its default. Starting them takes longer than most
 * of our queries, 77 ms where the query alone takes 2, and the other cores have requests of their own.
 */
const parallelSetup = 50_000
const idleInTransactionSeconds = 30

/**
 * Statements that begin with a comment are prepared once a connection, under the comment as their name: planning them
 * takes longer than running them. Those that begin with `select` and a comment have several texts: the hash is part of
 * their name. They are few, as each is kept by each connection, and name their columns: `*` means others once another
 * portal has migrated the schema, and a prepared statement may not answer those.
 */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads cannot be restated
  override query(...args: any[]): any {
    const [text, values] = args
    const found =
      typeof text === 'string' && Array.isArray(values) ? /^\s*(select )?\/\* ([\w.]+) \*\//.exec(text) : null
    const name = found?.[1] ? `${found[2]} ${hash('sha1', text).slice(0, 16)}` : found?.[2]
    const query = name ? { name, text, values } : text
    // What is asked before anybody waits goes out in one message.
    const { stream } = this.connection
    stream.cork()
    process.nextTick(() => stream.uncork())
    // The driver's own promise would cost more than it looks: it sets a function as a property, `callback`, which V8 takes
    // for one that lasts. Only its rare collections of everything find such functions, and until then all rows that were
    // answered hang on them.
    return new Promise((resolve, reject) => {
      super.query(query, values, (error: Error | null, answer: pg.QueryResult) =>
        error ? reject(error) : resolve(answer),
      )
    }).catch((error: Error) => {
      // As the driver does: who asked stands there, and not the socket.
      Error.captureStackTrace(error)
      throw error
    })
  }
}

function makePool(
  config: pg.PoolConfig,
  name: string,
  max: number,
  timeoutSeconds: number,
  settings: { role?: DatabaseRole } = {},
): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    Client: PreparingClient,
    pipeline: true,
    max,
    application_name: `sightline ${name}`,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    idle_in_transaction_session_timeout: idleInTransactionSeconds * 1000,
    ...(timeoutSeconds > 0 && { statement_timeout: timeoutSeconds * 1000 }),
    options: Object.entries({
      ...{ timezone: 'UTC', join_collapse_limit: joinsPlanned, parallel_setup_cost: parallelSetup },
      ...settings,
    })
      .map(([setting, value]) => `-c ${setting}=${value}`)
      .join(' '),
    ...(settings.role !== undefined && {
      verify: (client, done) => void isRole(client, settings.role).then(done, done),
    }),
  })
  // A connection that breaks while idle only leaves the pool; the next query gets a new one or its own error. While it
  // is lent out, between two statements, the pool does not listen: without a listener that would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return pool
}

/** A pooler between us and the server may drop what a connection begins with, and so the second fence. */
async function isRole(client: pg.PoolClient, role: DatabaseRole | undefined): Promise<Error | undefined> {
  const { rows } = await client.query<{ user: string }>('select current_user as user')
  if (rows[0]?.user === role) return undefined
  return new DatabaseTrouble(
    'A connection to the database does not begin as it was asked to. Let the pooler in DATABASE_URL hand on `options`, or name the server itself.',
  )
}

/** First in a `select`: it is prepared, as `PreparingClient` says. @param name letters, digits, dots */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* ${name} */`)

async function connect(config: pg.PoolConfig, options: DatabaseOptions, server: EmbeddedServer | null): Promise<Db> {
  const jobs = makePool(config, 'jobs', 3, 0)
  let rowSecurity: boolean
  try {
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: jobs }) })
    await checkServer(db, options)
    rowSecurity = await prepare(db, options)
  } catch (error) {
    await jobs.end()
    throw error
  }

  // Outside a transaction a connection is nobody, so that what went out behind a `begin` that failed reads no row and
  // writes none.
  const nobody = rowSecurity ? ({ role: 'sl_app' } as const) : {}
  const requests = makePool(config, 'requests', 10, requestSeconds, nobody)
  const ingest = makePool(config, 'ingest', 4, 60, nobody)
  try {
    ;(await requests.connect()).release()
  } catch (error) {
    await Promise.all([jobs, requests, ingest].map((pool) => pool.end()))
    throw error
  }
  // That of requests is `sl_app` from the beginning.
  const role = (name: Exclude<DatabaseRole, 'sl_app'>) => (rowSecurity ? [`set local role ${name}`] : [])
  const owner = transactions(jobs)
  const everyTenant = transactions(requests, ...role('sl_super'))
  const writer = transactions(ingest, ...role('sl_ingest'))
  const tenants = new Map<number, Transactions>()
  const tenant = (id: number) => {
    // The number goes into SQL text: it comes from the session, never from a request, and is checked all the same.
    if (!Number.isSafeInteger(id)) throw new TypeError('a tenant is a whole number')
    const known = tenants.get(id) ?? transactions(requests, `set local app.tenant = '${id}'`)
    tenants.set(id, known)
    return known
  }
  const of = ({ tenantId }: Pick<Scope, 'tenantId'>) => (tenantId === null ? everyTenant : tenant(tenantId))
  const told = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw refusalOf(error)
    }
  }
  const run = <T>(transact: Transactions, work: Work<T>): Promise<T> => told(transact(work))

  return {
    as: (scope, work) => run(of(scope), work),
    try: (scope, { dry_run }, work) => told(of(scope)(work, dry_run)),
    read: (scope, work, reading) => told((scope === null ? everyTenant : of(scope)).read(work, reading)),
    instance: (work) => run(everyTenant, work),
    ingest: (work) => run(writer, work),
    owner: (work) => run(owner, work),
    info: () =>
      run(owner, async (trx) => {
        const { rows } = await sql<{ version: string; size_bytes: number }>`
          select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes`.execute(
          trx,
        )
        return { ...rows[0]!, row_security: rowSecurity, embedded: server !== null }
      }),
    channel: (hear, told) => openChannel(config, hear, told),
    async close() {
      await Promise.all([jobs, requests, ingest].map((pool) => pool.end()))
      await server?.stop()
    },
  }
}

async function checkServer(db: Kysely<Database>, options: DatabaseOptions) {
  try {
    const { rows } = await sql<{ number: number; encoding: string }>`
      select current_setting('server_version_num')::int as number, current_setting('server_encoding') as encoding`.execute(
      db,
    )
    const { number, encoding } = rows[0]!
    if (number < 150_000)
      throw new DatabaseTrouble(
        `The database server is of version ${Math.floor(number / 10_000)}; 15 or later is needed.`,
      )
    if (encoding !== 'UTF8') throw new DatabaseTrouble(`The database has encoding ${encoding}; UTF8 is needed.`)
  } catch (error) {
    if (error instanceof DatabaseTrouble || !options.url) throw error
    const url = URL.parse(options.url)
    const where = url ? `${url.hostname || 'localhost'}:${url.port || 5432}${url.pathname}` : 'DATABASE_URL'
    throw new DatabaseTrouble(
      `The database ${where} cannot be reached: ${error instanceof Error ? error.message : String(error)}. Check DATABASE_URL.`,
      { cause: error },
    )
  }
}

/** Everything that happens before the first request, by one portal at a time. */
async function prepare(db: Kysely<Database>, options: DatabaseOptions): Promise<boolean> {
  return db.connection().execute(async (session) => {
    await sql`select pg_advisory_lock(hashtext('sightline.prepare'))`.execute(session)
    try {
      const rowSecurity = await session.transaction().execute(ensureRoles)
      const migrated = await migrate(session)
      await session.transaction().execute(async (trx) => {
        if (rowSecurity) await raiseFences(trx, migrated.length > 0)
        await seed(trx, options.seed ?? {})
        await ensurePartitions(trx, Date.now())
      })
      return rowSecurity
    } finally {
      await sql`select pg_advisory_unlock(hashtext('sightline.prepare'))`.execute(session)
    }
  })
}
