import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { License } from '@sightline/contract'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { communityChannels, communityLicenseId } from '@sightline/domain'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { BusMessage } from '../bus.ts'
import { openPortalIdentity } from '../nimble/identity.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { triangleZone } from '../testing/samples.ts'
import { until } from '../testing/until.ts'
import { signLicense } from './key.ts'

let t: TestApp
let superAdmin: Client
const vendor = generateKeyPairSync('ed25519')
const vendorKey = vendor.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
beforeAll(async () => {
  t = await testApp({ LICENSE_PUBLIC_KEY: vendorKey })
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

  test('where the vendor is named its signature alone counts, and the instance makes no keys', async () => {
    const pkcs8 = await createLinkKey()
    const { publicKey } = await openLinkKey(pkcs8)
    await t.services.db.owner((trx) => trx.updateTable('instance').set({ link_public_key: publicKey }).execute())
    const own = createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' })
    expect((await create(keyFor(8, {}, own))).body.errors).toEqual({ license_key: ['license_key_signature'] })
    const issued = await superAdmin.call('license.issue', { customer: 'Café Noir', channels: 3 })
    expect(issued).toMatchObject({ status: 409, body: { error_code: 'license_vendor' } })
  })

  test('it shows for whom it is, what it covers, the end of its key, and the days that are left', async () => {
    const key = keyFor(4, {
      customer: 'Café Noir',
      bundles: ['people'],
      until: new Date(Date.now() + 86_400_000 * 7.5).toISOString(),
    })
    expect((await create(key)).body.response).toMatchObject({
      customer: 'Café Noir',
      bundles: ['people'],
      key_tail: key.slice(-4),
      expires_in_days: 7,
    })
    expect((await create(keyFor(4))).body.response).toMatchObject({ bundles: null, expires_in_days: null })
  })

  test('a key that ends within thirty days says so', async () => {
    const until = new Date(Date.now() + 20 * 86_400_000).toISOString()
    expect((await create(keyFor(4, { until }))).body.response.state).toBe('expiring')
  })

  test('a key that begins later says so', async () => {
    const from = new Date(Date.now() + 20 * 86_400_000).toISOString()
    expect((await create(keyFor(4, { from }))).body.response).toMatchObject({ state: 'upcoming', valid_from: from })
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

  test('a key that its vendor made for one instance counts there alone', async () => {
    const { instance_id } = (await superAdmin.call('instance.info')).body.response
    expect((await create(keyFor(4, { instance: instance_id }))).status).toBe(201)
    expect(await create(keyFor(4, { instance: crypto.randomUUID() }))).toMatchObject({
      status: 400,
      body: { errors: { license_key: ['license_key_for_other_instance'] } },
    })
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

  test('a key for less than is in use is refused and changes nothing; a dry run says what another would bring', async () => {
    const organization = await t.make.organization()
    const { license_id } = (await create(keyFor(4), { organization_id: organization.uid })).body.response
    const { id } = await t.services.db.owner((trx) =>
      trx.selectFrom('license').select('id').where('uid', '=', license_id).executeTakeFirstOrThrow(),
    )
    const nimble = await t.make.nimble({ license_id: id }, organization)
    const site = await t.make.site({}, await t.make.customer({}, organization))
    const device = await t.make.device({}, site, nimble)
    for (let i = 0; i < 3; i++) await t.make.channel({}, device)
    const renew = (license_key: string, more: object = {}) =>
      superAdmin.call('license.update', { license_id, license_key, ...more })
    const traced = () =>
      t.services.db.owner((trx) => trx.selectFrom('trace').selectAll().where('code', '=', 'license.update').execute())
    const rows = (await traced()).length
    expect((await renew(keyFor(50), { dry_run: true })).status).toBe(200)
    expect((await traced()).length).toBe(rows)
    for (const dry_run of [true, false]) {
      expect(await renew(keyFor(2), { dry_run })).toMatchObject({
        status: 409,
        body: { error_code: 'license_too_small', args: { limit: 2, used: 3 } },
      })
      expect(await renew(keyFor(9, { bundles: ['safety'] }), { dry_run })).toMatchObject({
        status: 409,
        body: { error_code: 'license_bundle_in_use', args: { bundle: 'people' } },
      })
    }
    const stored = async () =>
      ((await superAdmin.call('license.list')).body.response as { license_id: string }[]).find(
        (one) => one.license_id === license_id,
      )
    const key = keyFor(3, { until: '2099-01-01T00:00:00Z' })
    const next = { channel_limit: 3, channels_used: 3, expires_at: '2099-01-01T00:00:00.000Z', key_tail: key.slice(-4) }
    const before = await stored()
    expect((await renew(key, { dry_run: true })).body.response).toMatchObject(next)
    expect(await stored()).toEqual(before)
    expect((await renew(key)).body.response).toMatchObject({ ...next, nimble_ids: [nimble.uid] })
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

describe('keys that the instance makes', () => {
  /** Portals that share a database server hear each other. */
  const shared = { DATABASE_URL: 'postgres://shared/database' }
  let own: TestApp
  let root: Client
  beforeAll(async () => {
    own = await testApp(shared)
    await openPortalIdentity(own.services.db, own.services.secrets)
    root = await own.signIn('super_admin')
  })
  afterAll(() => own.close())
  const add = (license_key: string) => root.call('license.create', { license_name: `Made ${++count}`, license_key })

  test('are shown once, hold what was asked for, and leave no trace of themselves', async () => {
    const order = { customer: 'Café Noir', channels: 3, bundles: ['people'], until: '2099-01-01T00:00:00Z' }
    const { status, body } = await root.call('license.issue', order)
    const terms = { ...order, from: null, until: '2099-01-01T00:00:00.000Z' }
    expect([status, body.response]).toMatchObject([200, terms])
    const { license_key } = body.response
    expect((await add(license_key)).body.response).toMatchObject({ channel_limit: 3, bundles: ['people'] })
    expect((await add(license_key)).body.errors).toEqual({ license_key: ['license_key_used'] })
    const rows = await own.services.db.owner((trx) => trx.selectFrom('trace').selectAll().execute())
    expect(rows.map((row) => row.code)).toContain('license.issue')
    expect(JSON.stringify(rows)).not.toContain(license_key.slice(4, 40))
  })

  test.each([
    ['over', { until: '2001-01-01T00:00:00Z' }, { until: ['license_expired'] }],
    [
      'ending before it begins',
      { from: '2098-01-01T00:00:00Z', until: '2097-01-01T00:00:00Z' },
      { until: ['end_before_start'] },
    ],
    ['for no channel', { channels: 0 }, { channels: ['greater_than:0'] }],
    ['for nobody', { customer: '' }, { customer: ['required'] }],
  ])('one %s is refused', async (_, wrong, errors) => {
    const { status, body } = await root.call('license.issue', { customer: 'A', channels: 3, ...wrong })
    expect([status, body.errors]).toEqual([400, errors])
  })

  test('of another instance are told from forged ones', async () => {
    const other = generateKeyPairSync('ed25519')
    const issuer = other.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
    const foreign = keyFor(9, { issuer }, other.privateKey)
    expect((await add(foreign)).body.errors).toEqual({ license_key: ['license_key_other_instance'] })
    const forged = keyFor(9, { issuer }, generateKeyPairSync('ed25519').privateKey)
    expect((await add(forged)).body.errors).toEqual({ license_key: ['license_key_signature'] })
  })

  test('hold channels to their bundles: where they are created, moved, and where an edge server gets another licence', async () => {
    const made = await root.call('license.issue', { customer: 'A', channels: 50, bundles: ['safety'] })
    const { license_id } = (await add(made.body.response.license_key)).body.response
    const { id } = await own.services.db.owner((trx) =>
      trx.selectFrom('license').select('id').where('uid', '=', license_id).executeTakeFirstOrThrow(),
    )
    const site = await own.make.site()
    const narrow = await own.make.nimble({ license_id: id })
    const device = await own.make.device({}, site, narrow)
    const create = (usecase_key: string, device_id = device.uid) =>
      root.call('channel.create', {
        channel_name: `Analytic ${++count}`,
        device_id,
        usecase_key,
        zones: [triangleZone],
      })
    expect((await create('intrdtec')).status).toBe(201)
    const refused = { status: 409, body: { error_code: 'license_bundle', args: { bundle: 'people' } } }
    expect(await create('pplcnt')).toMatchObject(refused)

    const wide = await own.make.nimble()
    const camera = await own.make.device({}, site, wide)
    expect((await create('pplcnt', camera.uid)).status).toBe(201)
    expect(await root.call('device.update', { device_id: camera.uid, nimble_id: narrow.uid })).toMatchObject(refused)
    expect(await root.call('nimble.license', { nimble_id: wide.uid, license_id })).toMatchObject(refused)
  })

  test('count no longer from the start on at which a vendor is named; what runs goes on, and a key of the vendor mends it', async () => {
    const made = (await root.call('license.issue', { customer: 'A', channels: 50 })).body.response
    const { license_id } = (await add(made.license_key)).body.response
    const { id } = await own.services.db.owner((trx) =>
      trx.selectFrom('license').select('id').where('uid', '=', license_id).executeTakeFirstOrThrow(),
    )
    const bound = await own.make.nimble({ license_id: id })
    const running = await own.make.channel({}, await own.make.device({}, await own.make.site(), bound))
    const licenses = async (who: Client) =>
      Object.fromEntries(
        (await who.call('license.list')).body.response.map((one: License) => [one.license_id, one.state]),
      )
    const keptKey = (await root.call('license.issue', { customer: 'B', channels: 5 })).body.response.license_key
    const { license_id: kept_id } = (await add(keptKey)).body.response
    expect((await root.call('status.get')).body.response.issues_licenses).toBe(true)
    const trace = async (uid: string) =>
      own.services.db.owner((trx) =>
        trx
          .selectFrom('trace')
          .select(['before', 'after'])
          .where('code', '=', 'license.reviewed')
          .where('object_uid', '=', uid)
          .orderBy('id')
          .execute(),
      )

    const heard: BusMessage[] = []
    onTestFinished(own.services.bus.subscribe((message) => heard.push(message)))
    const sold = await testApp({ ...shared, LICENSE_PUBLIC_KEY: vendorKey }, { beside: own })
    try {
      const admin = await sold.signIn('super_admin')
      expect((await admin.call('status.get')).body.response.issues_licenses).toBe(false)
      expect(await licenses(admin)).toMatchObject({
        ...{ [license_id]: 'foreign', [kept_id]: 'foreign', [communityLicenseId]: 'valid' },
      })
      const was = { before: { is_foreign: false }, after: { is_foreign: true } }
      expect([await trace(license_id), await trace(kept_id)]).toEqual([[was], [was]])
      const isTold = ({ message }: BusMessage) => message.type === 'changed' && message.feature === 'license'
      await until(() => heard.some(isTold), 'the portal beside it is told')
      const attach = async () =>
        admin.call('channel.create', {
          channel_name: `Analytic ${++count}`,
          device_id: (await own.make.device({}, await own.make.site(), bound)).uid,
          usecase_key: 'intrdtec',
          zones: [triangleZone],
        })
      expect(await attach()).toMatchObject({ status: 409, body: { error_code: 'license_foreign' } })
      const other = await own.make.nimble()
      expect((await admin.call('nimble.license', { nimble_id: other.uid, license_id })).body.errors).toEqual({
        license_id: ['license_foreign'],
      })
      const kept = await admin.call('channel.id', { channel_id: running.uid })
      expect(kept).toMatchObject({ status: 200, body: { response: { channel_id: running.uid } } })
      const renewed = await admin.call('license.update', { license_id, license_key: keyFor(50) })
      expect(renewed.body.response).toMatchObject({ state: 'valid' })
      expect((await attach()).status).toBe(201)
    } finally {
      await sold.close()
    }

    const again = await testApp({}, { beside: own })
    try {
      const states = await licenses(await again.signIn('super_admin'))
      expect(states).toMatchObject({ [license_id]: 'foreign', [kept_id]: 'valid', [communityLicenseId]: 'valid' })
      expect(await trace(kept_id)).toHaveLength(2)
    } finally {
      await again.close()
    }
  })
})
