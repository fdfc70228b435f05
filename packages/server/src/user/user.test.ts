import { type Role, roles } from '@sightline/domain'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renewSetupToken } from '../auth/store.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let superAdmin: Client
let admin: Client
beforeAll(async () => {
  t = await testApp()
  superAdmin = await t.signIn('super_admin')
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

let count = 0
const password = 'Correct-Horse-7'
const draft = (more: object = {}) => {
  const username = `drafted.${++count}`
  return {
    firstname: 'Zoë',
    lastname: "O'Neil Jr.",
    email: `${username}@example.org`,
    username,
    password,
    confirm_password: password,
    ...more,
  }
}

describe('creating people', () => {
  test('an admin creates a viewer, who can sign in', async () => {
    const person = draft()
    const { status, body, text } = await admin.call('user.create', person)
    expect(status).toBe(201)
    expect(body.response).toMatchObject({ username: person.username, role_key: 'viewer', status: 'active' })
    expect(text).not.toMatch(/password|argon/)
    const { status: signedIn } = await t.stranger().call('auth.login', { username: person.username, password })
    expect(signedIn).toBe(200)
  })

  const grants: [Role, Role, number][] = [
    ['super_admin', 'super_admin', 201],
    ['super_admin', 'super_viewer', 201],
    ['admin', 'admin', 201],
    ['admin', 'user', 201],
    ['admin', 'super_viewer', 403],
    ['admin', 'super_admin', 403],
    ['super_viewer', 'viewer', 403],
    ['user', 'viewer', 403],
  ]
  test.each(grants)('%s gives %s: %i', async (by, role_key, status) => {
    const client = await t.signIn(by)
    expect((await client.call('user.create', draft({ role_key }))).status).toBe(status)
  })

  describe('the password', () => {
    test.each([
      ['shorter than 8', 'Short-1', 'password_weak'],
      ['without a digit', 'Correct-Horse', 'password_weak'],
      ['without a special character', 'CorrectHorse7', 'password_weak'],
      ['of 257 characters', `${'aB3-'.repeat(64)}x`, 'too_long'],
      ['a common one', 'Password1!', 'password_common'],
      ['a word of the product', 'Sightline-1', 'password_common'],
      ['the own name', 'Drafted.1!', 'password_common'],
    ])('%s is refused', async (_, weak, id) => {
      const person = { ...draft({ password: weak, confirm_password: weak }), lastname: 'Drafted' }
      const { status, body } = await admin.call('user.create', person)
      expect(status).toBe(400)
      expect(body.errors.password).toEqual([id])
    })
    test.each([64, 256])('of %i characters is accepted', async (length) => {
      const long = 'Correct-Horse-7.'.repeat(length / 16)
      expect((await admin.call('user.create', draft({ password: long, confirm_password: long }))).status).toBe(201)
    })
    test('must be repeated alike', async () => {
      const { body } = await admin.call('user.create', draft({ confirm_password: 'Correct-Horse-8' }))
      expect(body.errors).toEqual({ confirm_password: ['password_mismatch'] })
    })
  })

  test('e-mail address and user name are unique on the instance, whatever their case', async () => {
    const person = draft()
    await admin.call('user.create', person)
    const elsewhere = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    const sameMail = await elsewhere.call('user.create', draft({ email: person.email.toUpperCase() }))
    expect([sameMail.status, sameMail.body.errors]).toEqual([400, { email: ['email_taken'] }])
    const sameName = await elsewhere.call('user.create', draft({ username: person.username.toUpperCase() }))
    expect([sameName.status, sameName.body.errors]).toEqual([400, { username: ['username_taken'] }])
  })

  test('of twenty at once with one user name, one is created and the others get the field error', async () => {
    const person = draft()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        superAdmin.call('user.create', { ...person, email: `${i}.${person.email}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19)
  })

  test('a super_admin names another organization, an admin gets 404 for it', async () => {
    const { uid: organization_id } = await t.make.organization()
    const { status, body } = await superAdmin.call('user.create', draft({ organization_id }))
    expect(status).toBe(201)
    expect(body.response.organization_id).toBe(organization_id)
    expect((await admin.call('user.create', draft({ organization_id }))).status).toBe(404)
  })
})

describe('changing people', () => {
  const ranks: [Role, Role, number][] = [
    ['admin', 'user', 200],
    ['admin', 'admin', 200],
    ['admin', 'super_viewer', 403],
    ['admin', 'super_admin', 403],
    ['super_admin', 'super_viewer', 200],
    ['super_viewer', 'viewer', 403],
    ['user', 'viewer', 404],
    ['viewer', 'viewer', 404],
  ]
  test.each(ranks)('%s edits %s: %i', async (by, of, status) => {
    const client = await t.signIn(by)
    const { uid } = await t.make.user(of)
    expect((await client.call('user.update', { user_id: uid, firstname: 'Changed' })).status).toBe(status)
    const removed = await client.call('user.delete', { user_id: uid })
    expect(removed.status).toBe(status === 404 ? 403 : status)
  })

  test('an admin raises nobody above itself', async () => {
    const { uid } = await t.make.user('viewer')
    for (const role_key of ['super_viewer', 'super_admin'])
      expect((await admin.call('user.update', { user_id: uid, role_key })).status).toBe(403)
    expect((await admin.call('user.update', { user_id: uid, role_key: 'admin' })).status).toBe(200)
  })

  test('nobody changes their own role or status, nor deletes themselves', async () => {
    for (const role of roles) {
      const self = await t.signIn(role)
      const user_id = self.user?.uid
      expect((await self.call('user.update', { user_id, role_key: 'user' })).status).toBe(role === 'user' ? 200 : 403)
      expect((await self.call('user.update', { user_id, status: 'disabled' })).status).toBe(403)
      expect((await self.call('user.delete', { user_id })).status).toBe(403)
    }
  })

  test('everybody changes their own names', async () => {
    for (const role of roles) {
      const self = await t.signIn(role)
      const { status, body } = await self.call('user.update', { user_id: self.user?.uid, firstname: 'Anaïs' })
      expect([status, body.response.firstname]).toEqual([200, 'Anaïs'])
    }
  })

  test('a change made on an older state is refused', async () => {
    const { uid, version } = await t.make.user('viewer')
    expect((await admin.call('user.update', { user_id: uid, firstname: 'First', version })).status).toBe(200)
    const { status, body } = await admin.call('user.update', { user_id: uid, firstname: 'Second', version })
    expect([status, body.error_code]).toEqual([412, 'stale_version'])
  })

  test('another organization answers as what does not exist', async () => {
    const { uid } = await t.make.user('viewer', {}, await t.make.organization())
    const random = '01900000-0000-7000-8000-00000000dead'
    for (const call of [
      (user_id: string) => admin.call('user.id', { user_id }),
      (user_id: string) => admin.call('user.update', { user_id, firstname: 'Taken' }),
      (user_id: string) => admin.call('user.delete', { user_id }),
      (user_id: string) => admin.call('user.sessions', { user_id }),
      (user_id: string) => admin.call('user.config', { user_id }),
    ]) {
      const [theirs, nobodys] = [await call(uid), await call(random)]
      expect(theirs.status).toBe(404)
      expect(theirs.text).toBe(nobodys.text)
    }
    expect((await superAdmin.call('user.id', { user_id: uid })).status).toBe(200)
  })
})

test('the last super administrator can be neither demoted nor deleted, also by two at once', async () => {
  const alone = await testApp()
  try {
    const [one, two] = [await alone.signIn('super_admin'), await alone.signIn('super_admin')]
    const answers = await Promise.all([
      one.call('user.delete', { user_id: two.user?.uid }),
      two.call('user.update', { user_id: one.user?.uid, role_key: 'viewer' }),
    ])
    // One wins; the other lost its session, its rank, or meets the rule.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { rows } = await alone.services.db.owner((trx) =>
      sql`select 1 from app_user where role_key = 'super_admin' and status = 'active'`.execute(trx),
    )
    expect(rows).toHaveLength(1)
  } finally {
    await alone.close()
  }
})

describe('listing people', () => {
  test('user and viewer see themselves alone', async () => {
    for (const role of ['user', 'viewer'] as const) {
      const self = await t.signIn(role)
      const { body } = await self.call('user.list')
      expect(body.response.map((person: { user_id: string }) => person.user_id)).toEqual([self.user?.uid])
    }
  })

  test('an admin sees its organization, super roles everybody', async () => {
    const { uid } = await t.make.user('viewer', { lastname: 'Elsewhere' }, await t.make.organization())
    const ids = async (client: Client) =>
      (await client.call('user.list', { q: 'elsewhere' })).body.response.map(
        (person: { user_id: string }) => person.user_id,
      )
    expect(await ids(admin)).toEqual([])
    expect(await ids(superAdmin)).toEqual([uid])
    expect(await ids(await t.signIn('super_viewer'))).toEqual([uid])
  })

  test('filters by role, status, text and customer, and pages', async () => {
    const customer = await t.make.customer()
    const person = await t.make.user('user', { lastname: '100%_sure' })
    await t.make.assign(person, { customer })
    for (const filter of [{ q: '100%_S' }, { customer_id: customer.uid }]) {
      const { body } = await admin.call('user.list', { ...filter, role_key: 'user', status: 'active' })
      expect(body.response).toMatchObject([{ user_id: person.uid, customer_ids: [customer.uid] }])
      expect(body.page).toEqual({ limit: 50, offset: 0, total: 1, next_page_token: null })
    }
    const { body } = await admin.call('user.list', { limit: 2, offset: 1 })
    expect(body.response).toHaveLength(2)
    expect(body.page.total).toBeGreaterThan(3)
    expect((await admin.call('user.list', { offset: 10_001 })).body.errors).toEqual({ offset: ['page_offset'] })
  })
})

describe('settings of one person', () => {
  test('are empty at first, replaced by PUT and merged by PATCH', async () => {
    const self = await t.signIn('viewer')
    expect((await self.call('user.config')).body.response).toEqual({ ui_config: { dark: false } })
    const put = await self.call('user.configReplace', { ui_config: { dark: true, language: 'fr' } })
    expect([put.status, put.body.response]).toEqual([201, { ui_config: { dark: true, language: 'fr' } }])
    const patch = await self.call('user.configUpdate', { ui_config: { time_display: 'utc' } })
    expect([patch.status, patch.body.response]).toEqual([
      200,
      { ui_config: { dark: true, language: 'fr', time_display: 'utc' } },
    ])
    expect((await self.call('user.info')).body.response.user_config).toEqual(patch.body.response)
  })

  test('do not count as a change of the person: an open form of theirs still saves', async () => {
    const self = await t.signIn('viewer')
    const { user_id, version } = (await self.call('user.info')).body.response
    await self.call('user.configUpdate', { ui_config: { dark: true } })
    expect((await self.call('user.update', { user_id, firstname: 'First', version })).status).toBe(200)
  })

  test('changed by several at once keep each change', async () => {
    const self = await t.signIn('viewer')
    const changes = [
      { dark: true },
      { language: 'fr' },
      { time_display: 'utc' },
      { sounds: true },
      { single_keys: true },
    ]
    await Promise.all(changes.map((ui_config) => self.call('user.configUpdate', { ui_config })))
    expect((await self.call('user.config')).body.response.ui_config).toEqual(Object.assign({}, ...changes))
  })

  test('are not known beyond their list', async () => {
    const self = await t.signIn('viewer')
    const { status, body } = await self.call('user.configUpdate', { ui_config: { role: 'admin' } })
    expect([status, body.errors]).toEqual([400, { 'ui_config.role': ['unknown_property'] }])
  })
})

test('a password is changed only by who knows it, and to one that is not common', async () => {
  const hashed = await t.services.passwords.hash(password)
  const self = await t.signIn(await t.make.user('viewer', { password_hash: hashed }))
  const to = (next: string, current = password) =>
    self.call('user.password', { current, password: next, confirm_password: next })
  expect((await to('Another-Horse-8', 'Wrong-Horse-7')).body.errors).toEqual({ current: ['wrong_password'] })
  expect((await to('Password1!')).body.errors).toEqual({ password: ['password_common'] })
  expect((await self.call('user.password', { password, confirm_password: password })).body.errors).toEqual({
    current: ['required'],
  })
  expect((await to('Another-Horse-8')).status).toBe(200)
})

describe('registration', () => {
  let fresh: TestApp
  beforeAll(async () => {
    fresh = await testApp()
  })
  afterAll(() => fresh.close())
  const register = (more: object) => fresh.stranger().call('user.register', draft(more))
  const renew = () => fresh.services.db.instance(renewSetupToken)

  test('needs the one-time token of the start while nobody has the instance, from every address', async () => {
    await renew()
    for (const more of [{}, { token: 'x' }, { token: 'a'.repeat(43) }]) {
      const { status, body } = await register(more)
      expect([status, body.error_code]).toEqual([403, 'setup_token'])
    }
  })

  test('a token older than an hour, or of an earlier start, is refused', async () => {
    const old = await renew()
    await fresh.services.db.owner((trx) =>
      sql`update one_time_token set expires_at = created_at + interval '1 h', created_at = created_at - interval '1 h 1 s'`.execute(
        trx,
      ),
    )
    await fresh.services.db.owner((trx) =>
      sql`update one_time_token set expires_at = now() - interval '1 s'`.execute(trx),
    )
    expect((await register({ token: old })).status).toBe(403)
    const [earlier] = [await renew(), await renew()]
    expect((await register({ token: earlier })).status).toBe(403)
  })

  test('wrong input does not use the token up; the role that is asked for does not count', async () => {
    const token = await renew()
    const { status, body } = await register({ token, confirm_password: 'x' })
    expect([status, body.error]).toEqual([400, 'Error in inputs'])
    const first = await register({ token, role: 'viewer' })
    expect(first.status).toBe(201)
    expect(first.body.response).toMatchObject({ role_key: 'super_admin', status: 'active' })
  })

  test('afterwards there is no token, and registration is closed', async () => {
    expect(await renew()).toBeNull()
    const { status, body } = await register({ role: 'super_admin' })
    expect([status, body.error_code]).toEqual([403, 'registration_closed'])
    expect((await fresh.stranger().call('status.get')).body.response.is_onboarding).toBe(false)
  })

  test('where self-registration is on, nobody gets above viewer, whatever they ask for', async () => {
    await fresh.services.db.owner((trx) =>
      sql`update instance set settings = '{"self_registration": true}'`.execute(trx),
    )
    const { status, body } = await register({ role: 'super_admin' })
    expect([status, body.response.role_key]).toEqual([201, 'viewer'])
  })

  test('of ten at once with one token, one becomes super_admin', async () => {
    const other = await testApp()
    try {
      const token = await other.services.db.instance(renewSetupToken)
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => other.stranger().call('user.register', draft({ token }))),
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(9)
    } finally {
      await other.close()
    }
  })
})
