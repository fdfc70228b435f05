import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { transactions } from './transaction.ts'

const { url, close } = await testDatabase()
const pool = new pg.Pool({ connectionString: url, pipeline: true, max: 1 })
const transact = transactions(pool)
beforeAll(() => pool.query('create table noted (n int primary key)'))
afterAll(async () => {
  await pool.end()
  await close()
})

const note = (n: number) => sql`insert into noted values (${n})`
const noted = async () => (await pool.query('select n from noted order by n')).rows.map(({ n }) => n)

test('statements asked together run in the order in which they were asked', async () => {
  const [, { rows }] = await transact((trx) =>
    Promise.all([note(1).execute(trx), sql<{ n: number }>`select n from noted`.execute(trx), note(2).execute(trx)]),
  )
  expect(rows).toEqual([{ n: 1 }])
  expect(await noted()).toEqual([1, 2])
})

test('after one that failed none is stored, and what failed is told, not what followed from it', async () => {
  await expect(
    transact((trx) => Promise.all([note(3).execute(trx), note(1).execute(trx), note(4).execute(trx)])),
  ).rejects.toMatchObject({ code: '23505' })
  const swallowed = transact(async (trx) => {
    await note(1)
      .execute(trx)
      .catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('nothing was stored')
  expect(await noted()).toEqual([1, 2])
})

test('without the role that it begins with nothing is stored and nothing answered', async () => {
  const asNobody = transactions(pool, 'set local role nobody_of_this_name')
  await expect(asNobody((trx) => note(5).execute(trx))).rejects.toThrow('nobody_of_this_name')
  await expect(asNobody((trx) => sql`select n from noted`.execute(trx))).rejects.toThrow('nobody_of_this_name')
  expect(await noted()).toEqual([1, 2])
})

test('what is asked after its end is refused, and does not run on a connection that others have', async () => {
  const late = await transact(async (trx) => () => note(6).execute(trx))
  await expect(late()).rejects.toThrow('The transaction is over')
  expect(await noted()).toEqual([1, 2])
})
