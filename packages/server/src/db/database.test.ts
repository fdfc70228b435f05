import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'

const started = performance.now()
const { db, close } = await testDatabase()
console.log('testDatabase', performance.now() - started)
const again = performance.now()
const second = await testDatabase()
console.log('testDatabase', performance.now() - again)
afterAll(async () => {
  await close()
  await second.close()
})

test('opens', async () => {
  const { rows } = await db.as({ tenantId: 1 }, (trx) => sql`select current_user as who`.execute(trx))
  expect(rows).toEqual([{ who: 'sl_app' }])
})
