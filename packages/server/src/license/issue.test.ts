import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPortalIdentity } from '../nimble/identity.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { issueLicense, readOrder } from './issue.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
const run = promisify(execFile)

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

test('a key that the instance signs for itself is taken, with its terms; two are never the same', async () => {
  const { db, url, close } = await testDatabase()
  try {
    const { secrets } = t.services
    const order = readOrder(
      { customer: 'Café Noir', channels: '24', bundles: 'people, safety', until: '2099-12-31' },
      new Date(),
    )
    await expect(issueLicense({ connectionString: url }, secrets, order)).rejects.toThrow(/no key yet/)
    await openPortalIdentity(db, secrets)
    const keys = [1, 2].map(() => issueLicense({ connectionString: url }, secrets, order))
    const [first, second] = await Promise.all(keys)
    expect(first).not.toBe(second)
    const portal = await testApp({}, { beside: { ...t, services: { ...t.services, db } } })
    try {
      const admin = await portal.signIn('super_admin')
      const { status, body } = await admin.call('license.create', { license_name: 'Issued', license_key: first })
      expect([status, body.response]).toMatchObject([
        201,
        {
          channel_limit: 24,
          expires_at: '2099-12-31T23:59:59.000Z',
          state: 'valid',
          customer: 'Café Noir',
          bundles: ['people', 'safety'],
          key_tail: first?.slice(-4),
        },
      ])
      const named = async (instance: string) => {
        const given = readOrder({ customer: 'Café Noir', channels: '4', instance }, new Date())
        const license_key = await issueLicense({ connectionString: url }, secrets, given)
        return (await admin.call('license.create', { license_name: 'Named', license_key })).body
      }
      const { instance_id } = (await admin.call('instance.info')).body.response
      expect((await named(crypto.randomUUID())).errors).toEqual({ license_key: ['license_key_for_other_instance'] })
      expect((await named(instance_id)).response).toMatchObject({ state: 'valid', channel_limit: 4 })
      const altered = first?.replace(/\.[^.]+$/, `.${second?.split('.')[2]}`)
      expect((await admin.call('license.create', { license_name: 'Altered', license_key: altered })).status).toBe(400)
    } finally {
      await portal.close()
    }
  } finally {
    await close()
  }
})

test.each([
  ['without a customer', { channels: '5' }, '--customer is missing'],
  ['channels that are no number', { customer: 'A', channels: 'many' }, '--channels must be a whole number'],
  ['no channels', { customer: 'A', channels: '0' }, '--channels must be a whole number'],
  ['a day that there is not', { customer: 'A', channels: '5', until: '2030-02-30' }, '--until must be a day'],
  ['a day that is over', { customer: 'A', channels: '5', until: '2001-01-01' }, 'is over'],
  ['an end before its begin', { customer: 'A', channels: '5', from: '2031-01-01', until: '2030-12-31' }, '--from must'],
  ['an instance that is none', { customer: 'A', channels: '5', instance: 'mine' }, '--instance must be'],
  ['a bundle that there is not', { customer: 'A', channels: '5', bundles: 'people,cats' }, '--bundles must name'],
])('%s is refused in one sentence', (_, values, sentence) => {
  expect(() => readOrder(values, new Date('2030-01-01T00:00:00Z'))).toThrow(sentence)
})

test('on the command line, a folder without an instance is named, and nothing is made there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sl-license-'))
  const args = [program, '--customer', 'A', '--channels', '5']
  const failed = await run(process.execPath, args, { env: { PATH: process.env.PATH, DATA_DIR: folder } }).catch(
    (error: { code: number; stderr: string }) => error,
  )
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is no instance in ${folder}`) })
})
