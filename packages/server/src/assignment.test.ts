import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usecaseUid } from './db/seed.ts'
import { type Client, type TestApp, testApp } from './testing/app.ts'

const zone = {
  kind: 'zone',
  points: [
    [0, 0],
    [1, 0],
    [1, 1],
  ],
  aspect_ratio: 1.5,
}

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const elsewhere = async () => {
  const organization = await t.make.organization()
  const customer = await t.make.customer({}, organization)
  return { customer, site: await t.make.site({}, customer), person: await t.make.user('viewer', {}, organization) }
}

describe('a person reaches what is assigned, from the next call on, and no longer than it is', () => {
  test('a site', async () => {
    const site = await t.make.site()
    const person = await t.make.user('viewer')
    const viewer = await t.signIn(person)
    const seen = async () => (await viewer.call('site.get', { site_id: site.uid })).status
    const change = (op: 'site.assign' | 'site.unassign') =>
      admin.call(op, { user_id: person.uid, site_id: [site.uid, site.uid] }).then(({ body }) => body.response)

    expect(await seen()).toBe(404)
    expect(await change('site.assign')).toEqual({ assigned: 1, skipped: 0 })
    expect(await change('site.assign')).toEqual({ assigned: 0, skipped: 1 })
    expect(await seen()).toBe(200)
    expect((await admin.call('user.id', { user_id: person.uid })).body.response.site_ids).toEqual([site.uid])
    expect(await change('site.unassign')).toEqual({ unassigned: 1, skipped: 0 })
    expect(await change('site.unassign')).toEqual({ unassigned: 0, skipped: 1 })
    expect(await seen()).toBe(404)
  })

  test('a customer, with the sites it has and the ones it gets', async () => {
    const [customer, other] = [await t.make.customer(), await t.make.customer()]
    const [own, moving] = [await t.make.site({}, customer), await t.make.site({}, other)]
    const person = await t.make.user('user')
    const client = await t.signIn(person)
    const sites = async () =>
      (await client.call('site.list')).body.response.map((one: { site_id: string }) => one.site_id).sort()

    await admin.call('customer.assign', { user_id: person.uid, customer_id: [customer.uid] })
    expect(await sites()).toEqual([own.uid])
    const { body } = await admin.call('customer.siteAssign', {
      customer_id: customer.uid,
      site_id: [own.uid, moving.uid],
    })
    expect(body.response).toEqual({ assigned: 1, skipped: 1 })
    expect(await sites()).toEqual([own.uid, moving.uid].sort())
    await admin.call('customer.unassign', { user_id: person.uid, customer_id: [customer.uid] })
    expect(await sites()).toEqual([])
  })
})

describe('nothing of another organization can be assigned, not even by somebody who reaches both', () => {
  test.each(['super_admin', 'admin'] as const)('%s: 404', async (role) => {
    const caller = await t.signIn(role)
    const theirs = await elsewhere()
    const [site, customer, person] = [await t.make.site(), await t.make.customer(), await t.make.user('viewer')]
    const calls = [
      caller.call('site.assign', { user_id: person.uid, site_id: [site.uid, theirs.site.uid] }),
      caller.call('site.assign', { user_id: theirs.person.uid, site_id: [site.uid] }),
      caller.call('customer.assign', { user_id: person.uid, customer_id: [theirs.customer.uid] }),
      caller.call('customer.siteAssign', { customer_id: customer.uid, site_id: [theirs.site.uid] }),
      caller.call('customer.siteAssign', { customer_id: theirs.customer.uid, site_id: [site.uid] }),
    ]
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await admin.call('user.id', { user_id: person.uid })).body.response).toMatchObject({
      site_ids: [],
      customer_ids: [],
    })
  })
})

describe('sites taken from a customer', () => {
  test('go to the default customer; without one nothing changes and the answer says what to do', async () => {
    const organization = await t.make.organization()
    const owner = await t.signIn(await t.make.user('admin', {}, organization))
    const customer = await t.make.customer({}, organization)
    const site = await t.make.site({}, customer)
    const leave = () => owner.call('customer.siteUnassign', { customer_id: customer.uid, site_id: [site.uid] })
    const customerOf = async () =>
      (await owner.call('site.get', { site_id: site.uid })).body.response.customer_id as string

    expect(await leave()).toMatchObject({ status: 409, body: { error_code: 'no_default_customer' } })
    expect(await customerOf()).toBe(customer.uid)
    const fallback = await t.make.customer({ is_default: true }, organization)
    expect((await leave()).body.response).toEqual({ unassigned: 1, skipped: 0 })
    expect(await customerOf()).toBe(fallback.uid)
    expect((await leave()).body.response).toEqual({ unassigned: 0, skipped: 1 })
    // The default customer's sites have nowhere to go.
    expect(await owner.call('customer.siteUnassign', { customer_id: fallback.uid, site_id: [site.uid] })).toMatchObject(
      { status: 409 },
    )
  })

  test('keep their names apart: one that is taken at the other customer is refused by name', async () => {
    const [a, b] = [await t.make.customer(), await t.make.customer()]
    const site = await t.make.site({ name: 'Front gate' }, a)
    await t.make.site({ name: 'FRONT GATE' }, b)
    const { status, body } = await admin.call('customer.siteAssign', { customer_id: b.uid, site_id: [site.uid] })
    expect([status, body.errors]).toEqual([400, { site_name: ['name_taken'] }])
  })

  test('bring no analytic to a customer that may not attach it: it is named, and no site goes; whoever says it may, may', async () => {
    const organization = await t.make.organization()
    const owner = await t.signIn(await t.make.user('admin', {}, organization))
    const [from, to] = [
      await t.make.customer({}, organization),
      await t.make.customer({ is_default: true }, organization),
    ]
    const sites = [await t.make.site({}, from), await t.make.site({}, from), await t.make.site({}, from)]
    for (const [i, key] of (['pplcnt', 'phydist', 'phydist'] as const).entries())
      await t.make.channel({ usecase_key: key }, await t.make.device({}, sites[i]))
    const customersOf = async () =>
      (await owner.call('site.list')).body.response.map((one: { customer_id: string }) => one.customer_id)
    await owner.call('usecase.assign', { customer_id: to.uid, usecase_id: [usecaseUid('pplcnt')] })
    const site_id = sites.map(({ uid }) => uid)
    const refused = { status: 409, body: { error_code: 'usecase_not_assigned', args: { usecases: 'phydist' } } }
    expect(await owner.call('customer.siteAssign', { customer_id: to.uid, site_id })).toMatchObject(refused)
    expect(await owner.call('customer.siteUnassign', { customer_id: from.uid, site_id })).toMatchObject(refused)
    expect(await customersOf()).toEqual([from.uid, from.uid, from.uid])
    // One whose analytics it may attach goes, and what it has already is not asked about again.
    expect(
      (await owner.call('customer.siteAssign', { customer_id: to.uid, site_id: site_id.slice(0, 1) })).status,
    ).toBe(200)
    await owner.call('usecase.assign', { customer_id: to.uid, usecase_id: [usecaseUid('phydist')] })
    const { body } = await owner.call('customer.siteAssign', { customer_id: to.uid, site_id })
    expect(body.response).toEqual({ assigned: 2, skipped: 1 })
    await owner.call('usecase.unassign', { customer_id: to.uid, usecase_id: [usecaseUid('phydist')] })
    expect((await owner.call('customer.siteAssign', { customer_id: to.uid, site_id })).body.response).toEqual({
      assigned: 0,
      skipped: 3,
    })
  })

  test('by two people at once and in different orders: both calls end', async () => {
    const [a, b] = [await t.make.customer(), await t.make.customer()]
    const sites = [await t.make.site({}, a), await t.make.site({}, a), await t.make.site({}, a)].map(({ uid }) => uid)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        admin.call('customer.siteAssign', {
          customer_id: (i % 2 ? a : b).uid,
          site_id: i % 3 ? sites : sites.toReversed(),
        }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('use cases', () => {
  test('of a customer narrow its bundles; with none of them, all are there', async () => {
    const customer = await t.make.customer()
    const usecase_id = [usecaseUid('pplcnt'), usecaseUid('intrdtec')]
    const offered = async () => {
      const { body } = await admin.call('customer.bundle', { customer_id: customer.uid })
      return body.response
        .flatMap((bundle: { bundle_usecases: { usecase_key: string }[] }) => bundle.bundle_usecases)
        .map((one: { usecase_key: string }) => one.usecase_key)
        .sort()
    }
    expect(await offered()).toHaveLength(13)
    const { body } = await admin.call('usecase.assign', { customer_id: customer.uid, usecase_id })
    expect(body.response).toEqual({ assigned: 2, skipped: 0 })
    expect(await offered()).toEqual(['intrdtec', 'pplcnt'])
    await admin.call('usecase.unassign', { customer_id: customer.uid, usecase_id, all: true })
    expect(await offered()).toHaveLength(13)
  })

  test('of a customer are not all taken unless that is said, by two people at once either: none would allow all', async () => {
    const customer_id = (await t.make.customer()).uid
    const [one, other] = [[usecaseUid('pplcnt')], [usecaseUid('intrdtec')]]
    await admin.call('usecase.assign', { customer_id, usecase_id: [...one, ...other] })
    const take = (usecase_id: string[], more: object = {}) =>
      admin.call('usecase.unassign', { customer_id, usecase_id, ...more })
    const answers = await Promise.all([take(one), take(other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.error_code).toBe('usecases_all_taken')
    const offered = async () => (await admin.call('usecase.list', { customer_id })).body.response.length
    expect(await offered()).toBe(1)
    expect((await take([...one, ...other], { all: true })).status).toBe(200)
    expect(await offered()).toBe(13)
  })

  test.each(['super_admin', 'admin'] as const)(
    'of a customer are all that its cameras may be given, by a %s too; what runs already stays',
    async (role) => {
      const caller = await t.signIn(role)
      const customer = await t.make.customer()
      const device = await t.make.device({}, await t.make.site({}, customer))
      const running = await t.make.channel({ usecase_key: 'frdtec' }, device)
      const usecase_id = [usecaseUid('pplcnt')]
      const attach = (usecase_key: string, device_id = device.uid) =>
        caller.call('channel.create', {
          channel_name: `Analytic ${usecase_key}`,
          device_id,
          usecase_key,
          zones: [zone],
        })
      await caller.call('usecase.assign', { customer_id: customer.uid, usecase_id })
      const { status, body } = await attach('phydist')
      expect([status, body.error_code, body.args]).toEqual([409, 'usecase_not_assigned', { usecases: 'phydist' }])
      expect((await caller.call('channel.id', { channel_id: running.uid })).status).toBe(200)
      expect((await attach('pplcnt')).status).toBe(201)
      // Of another customer nothing was said.
      const elsewhere = await t.make.device({}, await t.make.site())
      expect((await attach('phydist', elsewhere.uid)).status).toBe(201)
      await caller.call('usecase.unassign', { customer_id: customer.uid, usecase_id, all: true })
      expect((await attach('phydist')).status).toBe(201)
    },
  )

  test('of a customer of another organization are nobody else’s to give', async () => {
    const theirs = await elsewhere()
    const usecase_id = [usecaseUid('pplcnt')]
    for (const op of ['usecase.assign', 'usecase.unassign'] as const)
      expect((await admin.call(op, { customer_id: theirs.customer.uid, usecase_id })).status).toBe(404)
    expect((await admin.call('customer.bundle', { customer_id: theirs.customer.uid })).status).toBe(404)
  })

  test('go to a person or to a customer, not to both and not to nobody', async () => {
    const usecase_id = [usecaseUid('pplcnt')]
    const person = await t.make.user('viewer')
    const customer = await t.make.customer()
    for (const to of [{}, { user_id: person.uid, customer_id: customer.uid }])
      expect((await admin.call('usecase.assign', { ...to, usecase_id })).body.errors).toEqual({
        user_id: ['person_or_customer'],
      })
  })
})

describe('people', () => {
  test('of a site are its administrators and those it is assigned to, without their addresses', async () => {
    const organization = await t.make.organization()
    const customer = await t.make.customer({}, organization)
    const site = await t.make.site({}, customer)
    const [chief, direct, whole, other] = [
      await t.make.user('admin', {}, organization),
      await t.make.user('viewer', {}, organization),
      await t.make.user('user', {}, organization),
      await t.make.user('viewer', {}, organization),
    ]
    await t.make.assign(direct, { site })
    await t.make.assign(whole, { customer })
    await t.make.assign(whole, { site })
    const { body } = await (await t.signIn(direct)).call('user.bySite', { site_id: site.uid })
    const found = Object.fromEntries(
      body.response.map((one: { user_id: string; by: string[] }) => [one.user_id, one.by]),
    )
    expect(found).toEqual({ [chief.uid]: ['role'], [direct.uid]: ['site'], [whole.uid]: ['customer', 'site'] })
    expect(found).not.toHaveProperty(other.uid)
    expect(Object.keys(body.response[0]).sort()).toEqual([
      ...['by', 'firstname', 'lastname', 'role_key', 'status', 'user_id', 'username'],
    ])
  })

  test('who was let out and still holds a site is shown to administrators alone', async () => {
    const site = await t.make.site()
    const [gone, peer] = [await t.make.user('viewer', { status: 'disabled' }), await t.make.user('viewer')]
    await t.make.assign(gone, { site })
    await t.make.assign(peer, { site })
    const seen = async (client: Client) =>
      (await client.call('user.bySite', { site_id: site.uid })).body.response
        .filter(({ user_id }: { user_id: string }) => user_id === gone.uid)
        .map(({ by, status }: { by: string[]; status: string }) => [status, ...by])
    expect(await seen(await t.signIn(peer))).toEqual([])
    expect(await seen(admin)).toEqual([['disabled', 'site']])
  })

  test('are listed of one organization, also for somebody who reaches several', async () => {
    const organization = await t.make.organization()
    const theirs = await t.make.user('viewer', {}, organization)
    const list = async (client: Client) =>
      (await client.call('user.list', { organization_id: organization.uid })).body.response.map(
        (one: { user_id: string }) => one.user_id,
      )
    expect(await list(await t.signIn('super_admin'))).toEqual([theirs.uid])
    expect(await list(admin)).toEqual([])
  })

  test('by e-mail address, within reach only', async () => {
    const mine = await t.make.user('viewer')
    const { person: theirs } = await elsewhere()
    const look = async (email: string) => (await admin.call('user.email', { email })).body.response
    expect(await look(mine.email.toUpperCase())).toMatchObject({ exists: true, user_id: mine.uid })
    expect(await look(theirs.email)).toEqual({ exists: false, user_id: null, firstname: null, lastname: null })
    expect(await look('nobody@example.org')).toMatchObject({ exists: false, user_id: null })
  })
})
