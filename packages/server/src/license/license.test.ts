import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { communityChannels, communityLicenseId } from '@sightline/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { signLicense } from './key.ts'

let t: TestApp
let superAdmin: Client
const vendor = generateKeyPairSync('ed25519')
beforeAll(async () => {
  const raw = vendor.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  t = await testApp({ LICENSE_PUBLIC_KEY: raw.toString('base64') })
  superAdmin = await t.signIn('super_admin')
})
afterAll(() => t.close())

let count = 0
const keyFor = (channels: number, more: object = {}, signer: KeyObject = vendor.privateKey) =>
  signLicense(signer, { channels, serial: `serial-${++count}`, ...more })
const create = (license_key: string, more: object = {}) =>
  superAdmin.call('license.create', { license_name: `Licence ${++count}`, license_key, ...more })

test('the licence that comes with the product is there from the start', async () => {
  const viewer = await t.signIn('viewer')
  const { status, body } = await viewer.call('license.list')
  expect(status).toBe(200)
  expect(body.response).toContainEqual(
    expect.objectContaining({
      license_id: communityLicenseId,
      channel_limit: communityChannels,
      license_key: '',
      is_builtin: true,
      state: 'valid',
      expires_at: null,
    }),
  )
})

describe('adding a licence', () => {
  test('its terms come from the signed key, which is never shown again', async () => {
    const key = keyFor(64, { until: '2099-01-01T00:00:00Z' })
    const { status, body, text } = await create(key)
    expect(status).toBe(201)
    expect(body.response).toMatchObject({
      channel_limit: 64,
      channels_used: 0,
      license_key: '****',
      expires_at: '2099-01-01T00:00:00.000Z',
      state: 'valid',
      is_builtin: false,
      nimble_ids: [],
    })
    expect(text).not.toContain(key)
    const stored = await t.services.db.owner((trx) =>
      trx.selectFrom('license').select('license_key').where('uid', '=', body.response.license_id).executeTakeFirst(),
    )
    expect(stored?.license_key).not.toContain(key)
  })

  test('the instance’s own signature counts too', async () => {
    const pkcs8 = await createLinkKey()
    const { publicKey } = await openLinkKey(pkcs8)
    await t.services.db.owner((trx) => trx.updateTable('instance').set({ link_public_key: publicKey }).execute())
    const own = createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' })
    expect((await create(keyFor(8, {}, own))).status).toBe(201)
  })

  test('a key that ends within thirty days says so', async () => {
    const until = new Date(Date.now() + 20 * 86_400_000).toISOString()
    expect((await create(keyFor(4, { until }))).body.response.state).toBe('expiring')
  })

  test('one key counts once on an instance', async () => {
    const key = keyFor(4)
    expect((await create(key)).status).toBe(201)
    expect(await create(key)).toMatchObject({ status: 400, body: { errors: { license_key: ['license_key_used'] } } })
  })

  test.each([
    ['too short', 'abc', 'min_length_6'],
    ['not a key', 'hello world', 'license_key_malformed'],
    ['signed by somebody else', keyFor(9999, {}, generateKeyPairSync('ed25519').privateKey), 'license_key_signature'],
    ['over', keyFor(4, { until: '2020-01-01T00:00:00Z' }), 'license_expired'],
  ])('a key that is %s is refused', async (_, key, id) => {
    expect(await create(key)).toMatchObject({ status: 400, body: { errors: { license_key: [id] } } })
  })

  test('it may be for another organization', async () => {
    const { uid } = await t.make.organization()
    const { body } = await create(keyFor(4), { organization_id: uid })
    expect(body.response.organization_id).toBe(uid)
  })

  test('only a super admin adds, changes and removes', async () => {
    const admin = await t.signIn('admin')
    expect((await admin.call('license.create', { license_name: 'Mine', license_key: keyFor(4) })).status).toBe(403)
  })
})

describe('changing a licence', () => {
  test('a new key brings new terms, the mask keeps the old', async () => {
    const { license_id, version } = (await create(keyFor(4))).body.response
    const renamed = await superAdmin.call('license.update', {
      license_id,
      license_name: 'Renamed',
      license_key: '****',
    })
    expect(renamed.body.response).toMatchObject({ license_name: 'Renamed', channel_limit: 4 })
    const grown = await superAdmin.call('license.update', { license_id, license_key: keyFor(40) })
    expect(grown.body.response).toMatchObject({ channel_limit: 40 })
    expect((await superAdmin.call('license.update', { license_id, license_name: 'Late', version })).status).toBe(412)
  })

  test('fewer channels than exist is shown as exceeded, and nothing is stopped', async () => {
    const organization = await t.make.organization()
    const { license_id } = (await create(keyFor(4), { organization_id: organization.uid })).body.response
    const { id } = await t.services.db.owner((trx) =>
      trx.selectFrom('license').select('id').where('uid', '=', license_id).executeTakeFirstOrThrow(),
    )
    const nimble = await t.make.nimble({ license_id: id }, organization)
    const site = await t.make.site({}, await t.make.customer({}, organization))
    const device = await t.make.device({}, site, nimble)
    for (let i = 0; i < 3; i++) await t.make.channel({}, device)
    const { body } = await superAdmin.call('license.update', { license_id, license_key: keyFor(2) })
    expect(body.response).toMatchObject({
      channels_used: 3,
      channel_limit: 2,
      state: 'exceeded',
      nimble_ids: [nimble.uid],
    })
    expect((await superAdmin.call('license.delete', { license_id })).body.error_code).toBe('license_in_use')
  })

  test('the one that comes with the product stays as it is', async () => {
    const input = { license_id: communityLicenseId }
    expect((await superAdmin.call('license.delete', input)).body.error_code).toBe('license_builtin')
    const grown = await superAdmin.call('license.update', { ...input, license_key: keyFor(999) })
    expect(grown.body.error_code).toBe('license_builtin')
  })

  test('an unused one goes', async () => {
    const { license_id } = (await create(keyFor(4))).body.response
    expect((await superAdmin.call('license.delete', { license_id })).body.response).toEqual({ license_id })
    expect((await superAdmin.call('license.delete', { license_id })).status).toBe(404)
  })
})
