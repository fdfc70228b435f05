import { once } from 'node:events'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Db, openDatabase } from '../db/database.ts'
import { databaseUrl, templateName } from './setup.ts'
import { until } from './until.ts'

export type TestDatabase = {
  db: Db
  /** For connections of the test's own, as owner. */
  url: string
  /** Closes and drops it; call it in `afterAll`. */
  close(): Promise<void>
}

let count = 0

/** A database of its own for a test file: migrated, seeded, on the server that the whole run shares. */
export async function testDatabase(): Promise<TestDatabase> {
  const admin = await askForServer()
  const name = `test_${process.pid}_${++count}`
  const url = databaseUrl(admin, name)
  await asAdmin(admin, `create database ${name} template ${templateName}`)
  const db = await openDatabase({ url, dataDir: '' })
  return {
    db,
    url,
    async close() {
      await db.close()
      await asAdmin(admin, `drop database ${name} with (force)`)
    },
  }
}

async function askForServer(): Promise<string> {
  const socket = net.connect(inject('databaseSocket'))
  await once(socket, 'connect')
  const answer = await text(socket)
  if (answer.startsWith('error:')) throw new Error(answer)
  return answer
}

async function asAdmin(admin: string, statement: string) {
  const client = new pg.Client(admin)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Waits until somebody on this database waits for a row, or another lock, that the test holds. */
export const waitingForLock = (db: Pick<Db, 'owner'>): Promise<void> =>
  until(async () => {
    const { rows } = await db.owner((trx) =>
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(trx),
    )
    return rows.length > 0
  }, 'somebody waits for a lock')
