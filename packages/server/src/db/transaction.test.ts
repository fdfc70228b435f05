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

test('what only reads is refused to write, and leaves its connection clean for the next', async () => {
  await expect(transact.read((trx) => note(7).execute(trx))).rejects.toMatchObject({ code: '25006' })
  const { rows } = await transact.read((trx) => sql<{ n: number }>`select n from noted order by n`.execute(trx))
  expect(rows).toEqual([{ n: 1 }, { n: 2 }])
  const thrown = transact.read(async (trx) => {
    await sql`select n from noted`.execute(trx)
    throw new Error('not found')
  })
  await expect(thrown).rejects.toThrow('not found')
  await transact((trx) => note(8).execute(trx))
  expect(await noted()).toEqual([1, 2, 8])
})

test('one statement that reads takes its end along, after which none is answered', async () => {
  const read = (work: Parameters<typeof transact.read>[0]) => transact.read(work, { statements: 1 })
  const settings = transactions(pool, "set local app.tenant = '5'")
  const told = await settings.read(
    (trx) => sql<{ at: string }>`select current_setting('app.tenant') as at`.execute(trx),
    { statements: 1 },
  )
  expect(told.rows).toEqual([{ at: '5' }])
  // What held in it holds in no other.
  expect((await pool.query(`select current_setting('app.tenant', true) as at`)).rows).toEqual([{ at: '' }])
  await expect(read((trx) => note(9).execute(trx))).rejects.toMatchObject({ code: '25006' })
  const second = read(async (trx) => {
    await sql`select 1`.execute(trx)
    await note(9).execute(trx)
  })
  await expect(second).rejects.toThrow('The transaction is over')
  await expect(read((trx) => sql`select 1 / 0`.execute(trx))).rejects.toMatchObject({ code: '22012' })
  expect(await noted()).toEqual([1, 2, 8])
})
