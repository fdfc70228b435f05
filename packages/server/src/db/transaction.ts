import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type KyselyProps,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely'
import type pg from 'pg'
import type { Database } from './schema.ts'

export type Trx = Transaction<Database>
export type Work<T> = (trx: Trx) => Promise<T>

/** A connection inside one transaction. What is asked goes out at once, behind what was asked before. */
class Asking implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #begun: Promise<unknown>
  #isOver = false

  constructor(client: pg.PoolClient, begin: string) {
    this.#client = client
    this.#begun = client.query(begin)
    // It is told with the first answer, of which it is a part.
    this.#begun.catch(() => undefined)
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isOver) throw new Error('The transaction is over: what was asked before was not waited for.')
    const [, answer] = await Promise.all([this.#begun, this.#client.query(sql, [...parameters])])
    const { command, rowCount, rows } = answer
    const isChange = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command)
    return { rows: rows ?? [], ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  // biome-ignore lint/correctness/useYield: the interface wants one
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Rows are read page by page.')
  }

  async commit() {
    this.#isOver = true
    await this.#begun
    const { command } = await this.#client.query('commit')
    if (command === 'ROLLBACK') throw new Error('A statement of the transaction failed, so that nothing was stored.')
  }

  /** Gives the connection back; one that cannot even roll back is closed. */
  async rollback() {
    this.#isOver = true
    try {
      await this.#client.query('rollback')
      this.#client.release()
    } catch (error) {
      this.#client.release(error as Error)
    }
  }
}

/**
 * Transactions on connections of a pool, each under the same settings. Beginning one is not waited for: it goes out with
 * the first statement, in one message; so do statements that are asked together. The server runs them one after the
 * other all the same, and after one that failed no other.
 * @param settings statements that hold `local`ly, so that a pool never leaks them
 */
export function transactions(pool: pg.Pool, ...settings: string[]): <T>(work: Work<T>) => Promise<T> {
  const begin = ['begin', ...settings].join('; ')
  const dialect = new PostgresDialect({ pool })
  const props: Omit<KyselyProps, 'executor'> = { config: { dialect }, dialect, driver: dialect.createDriver() }
  const [compiler, adapter] = [new PostgresQueryCompiler(), new PostgresAdapter()]
  return async (work) => {
    const client = await pool.connect()
    const connection = new Asking(client, begin)
    const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: (use) => use(connection) })
    try {
      const result = await work(new Transaction<Database>({ ...props, executor }))
      await connection.commit()
      client.release()
      return result
    } catch (error) {
      await connection.rollback()
      throw error
    }
  }
}
