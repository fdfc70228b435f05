import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { joinAsWritten } from '../page.ts'
import { testDatabase } from '../testing/database.ts'
import { once } from './once.ts'
import { transactions } from './transaction.ts'

const { url, close } = await testDatabase()
const pool = new pg.Pool({ connectionString: url, pipeline: true, max: 1 })
const { read } = transactions(pool)
afterAll(async () => {
  await pool.end()
  await close()
})

let builds = 0
const usecases = once((trx, { keys, most }: { keys: readonly string[] | null; most: number }) => {
  builds++
  return trx
    .selectFrom('usecase')
    .select('key')
    .where(keys === null ? sql<boolean>`true` : sql<boolean>`key = any(${keys}::text[])`)
    .where('id', '>', 0)
    .orderBy('key')
    .limit(most)
})
const keysOf = async (keys: readonly string[] | null, most = 2) =>
  (await read((trx) => usecases(trx, { keys, most }))).map(({ key }) => key)

test('a query that is built once answers each call for its own values', async () => {
  expect(await keysOf(['pplcnt', 'pplocc'])).toEqual(['pplcnt', 'pplocc'])
  expect(await keysOf(['intrdtec'])).toEqual(['intrdtec'])
  expect(await keysOf([])).toEqual([])
  expect(builds).toBe(1)
})

test('null is another text, and so is what a transaction makes of it', async () => {
  expect(await keysOf(null)).toEqual(['coldtec', 'emptyframecheck'])
  expect(await keysOf(['pplcnt'])).toEqual(['pplcnt'])
  expect(builds).toBe(2)
  const asWritten = await read((trx) => usecases(joinAsWritten(trx), { keys: ['frdtec'], most: 1 }))
  expect(asWritten).toEqual([{ key: 'frdtec' }])
  expect(await keysOf(['pplcnt'])).toEqual(['pplcnt'])
  expect(builds).toBe(3)
})
