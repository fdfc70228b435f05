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
  /** How many statements may come; the last of them takes the end along. */
  #left: number
  #isOver = false
  #hasLeft = false

  constructor(client: pg.PoolClient, begin: string, statements = Number.POSITIVE_INFINITY) {
    this.#client = client
    this.#left = statements
    this.#begun = client.query(begin)
    // It is told with the first answer, of which it is a part.
    this.#begun.catch(() => undefined)
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isOver) throw new Error('The transaction is over: what was asked before was not waited for.')
    const asked = this.#client.query(sql, [...parameters])
    if (--this.#left === 0) this.leave()
    const [, answer] = await Promise.all([this.#begun, asked])
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
    this.#client.release()
  }

  /** The end of one that only read: what it was asked for is there, so it goes out and nobody waits for it. */
  leave() {
    if (this.#isOver) return
    this.#isOver = true
    this.#hasLeft = true
    this.#endWith('commit')
  }

  /** After a failure, or where nothing is to be left behind. */
  async rollback() {
    this.#isOver = true
    if (!this.#hasLeft) await this.#endWith('rollback')
  }

  /** Gives the connection back once it has ended; one that cannot even end is closed. */
  #endWith(end: 'commit' | 'rollback'): Promise<void> {
    return this.#client.query(end).then(
      () => this.#client.release(),
      (error: Error) => this.#client.release(error),
    )
  }
}

export type Reading = {
  /** How many statements it asks, where that is known: the end then goes out with the last of them. */
  statements?: number
}
export type Transactions = {
  /** @param undo rolls back at the end all the same: the answer says what would have been */
  <T>(work: Work<T>, undo?: boolean): Promise<T>
  /** Of work that only reads. PostgreSQL refuses whatever writes, so that the end need not be waited for. */
  read<T>(work: Work<T>, reading?: Reading): Promise<T>
}

/**
 * Transactions on connections of a pool, each under the same settings. Beginning one is not waited for: it goes out with
 * the first statement, in one message; so do statements that are asked together. The server runs them one after the
 * other all the same, and after one that failed no other.
 * @param settings statements that hold `local`ly, so that a pool never leaks them
 */
export function transactions(pool: pg.Pool, ...settings: string[]): Transactions {
  const begin = ['begin', ...settings].join('; ')
  const beginReading = ['begin read only', ...settings].join('; ')
  const dialect = new PostgresDialect({ pool })
  const props: Omit<KyselyProps, 'executor'> = { config: { dialect }, dialect, driver: dialect.createDriver() }
  const [compiler, adapter] = [new PostgresQueryCompiler(), new PostgresAdapter()]
  const run = async <T>(connection: Asking, work: Work<T>, end: () => unknown): Promise<T> => {
    const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: (use) => use(connection) })
    try {
      const result = await work(new Transaction<Database>({ ...props, executor }))
      await end()
      return result
    } catch (error) {
      await connection.rollback()
      throw error
    }
  }
  const transact = async <T>(work: Work<T>, undo = false): Promise<T> => {
    const connection = new Asking(await pool.connect(), begin)
    return run(connection, work, () => (undo ? connection.rollback() : connection.commit()))
  }
  const read = async <T>(work: Work<T>, { statements }: Reading = {}): Promise<T> => {
    const connection = new Asking(await pool.connect(), beginReading, statements)
    return run(connection, work, () => connection.leave())
  }
  return Object.assign(transact, { read })
}
