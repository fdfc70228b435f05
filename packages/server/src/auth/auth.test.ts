import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { forgetOld } from './store.ts'

let t: TestApp
let hashed: string
beforeAll(async () => {
  t = await testApp()
  hashed = await t.services.passwords.hash(password)
})
afterAll(() => t.close())

const password = 'Correct-Horse-7'
const wrong = 'Wrong-Horse-7'
const person = (given = {}) => t.make.user('admin', { password_hash: hashed, ...given })
const signIn = (credentials: object, browser = t.stranger()) => browser.call('auth.login', credentials)
const asOwner = <T>(statement: ReturnType<typeof sql<T>>) => t.services.db.owner((trx) => statement.execute(trx))

/** Failures of other tests come from the same address. */
beforeEach(() => asOwner(sql`delete from login_fail`))

describe('signing in', () => {
  test('by user name or e-mail address, in any case, answers the person with a token for changes', async () => {
    const { username, email } = await person()
    for (const by of [{ username }, { email }, { username: username.toUpperCase() }]) {
      const browser = t.stranger()
      const { status, body } = await signIn({ ...by, password }, browser)
      expect(status).toBe(200)
      expect(body.response).toMatchObject({
        username,
        role_key: 'admin',
        organization: { organization_name: 'Default' },
      })
      expect(body.response.csrf_token).toHaveLength(32)
      expect((await browser.call('user.info')).body.response).toMatchObject({ username })
    }
  })

  test('the cookie cannot be read by scripts nor sent by other sites, and holds 256 bits', async () => {
    const { username } = await person()
    const { headers } = await signIn({ username, password })
    expect(headers['set-cookie']).toMatch(/^sightline=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('behind https the cookie demands TLS and belongs to this host alone', async () => {
    const secure = await testApp({ PUBLIC_URL: 'https://portal.example.org' })
    try {
      const browser = await secure.signIn('viewer')
      const elsewhere = await browser.call('auth.logout', {}, { headers: { origin: 'http://127.0.0.1:8080' } })
      expect(elsewhere.status).toBe(403)
      const { headers } = await browser.call('auth.logout')
      expect(headers['set-cookie']).toMatch(/^__Host-sightline=; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
      expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
    } finally {
      await secure.close()
    }
  })

  test('the token is in the database as a hash only', async () => {
    const { username } = await person()
    const browser = t.stranger()
    await signIn({ username, password }, browser)
    const token = browser.cookie?.split('=')[1] as string
    const { rows } = await asOwner(sql<{ row: string }>`select row_to_json(session)::text as row from session`)
    expect(rows.some(({ row }) => row.includes(token))).toBe(false)
    const { rows: found } = await asOwner(sql`select from session where token_hash = sha256(${token}::bytea)`)
    expect(found).toHaveLength(1)
  })

  test('a cookie set before by somebody else is replaced', async () => {
    const { username } = await person()
    const browser = t.stranger()
    browser.cookie = 'sightline=attackerfixed'
    await signIn({ username, password }, browser)
    expect(browser.cookie).not.toBe('sightline=attackerfixed')
  })

  test('signing in again ends the session before', async () => {
    const { username } = await person()
    const browser = t.stranger()
    await signIn({ username, password }, browser)
    const before = { ...browser }
    await signIn({ username, password }, browser)
    expect((await t.stranger().send({ url: '/api/v1/user/info', headers: { cookie: before.cookie } })).status).toBe(401)
    expect((await browser.call('user.info')).status).toBe(200)
  })

  test('unknown name, wrong password and disabled account answer alike, after the same work', async () => {
    const { username } = await person()
    const { username: disabled } = await person({ status: 'disabled' })
    const verify = vi.spyOn(t.services.passwords, 'verify')
    const answers = []
    for (const name of [username, disabled, 'nobody.at.all'])
      answers.push(await signIn({ username: name, password: name === username ? wrong : password }))
    expect(verify).toHaveBeenCalledTimes(3)
    verify.mockRestore()
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.body).toMatchObject({
      response_code: 401,
      message: 'Unauthorized: wrong user name or password',
      error_code: 'bad_credentials',
    })
  })

  test('a password counts as typed: spaces and case matter', async () => {
    const { username } = await person({ password_hash: await t.services.passwords.hash('Correct-Horse-7 ') })
    expect((await signIn({ username, password: 'Correct-Horse-7' })).status).toBe(401)
    expect((await signIn({ username, password: 'correct-horse-7 ' })).status).toBe(401)
    expect((await signIn({ username, password: 'Correct-Horse-7 ' })).status).toBe(200)
  })

  test('good and failed sign-ins leave a trace row each, without the password', async () => {
    const { username, id } = await person()
    await signIn({ username, password: wrong })
    await signIn({ username, password })
    const { rows } = await asOwner(
      sql`select code, result, response_code, user_id, after::text from trace where object_name = ${username} order by id`,
    )
    expect(rows).toEqual([
      expect.objectContaining({ code: 'auth.login_failed', result: 'refused', response_code: 401, user_id: null }),
      expect.objectContaining({ code: 'auth.login', result: 'ok', response_code: 200, user_id: id }),
    ])
    expect(JSON.stringify(rows)).not.toContain('Horse')
  })
})

describe('guessing is slowed down', () => {
  test('the sixth wrong password waits, the right one too, and other accounts go on', async () => {
    const { username } = await person()
    const { username: other } = await person()
    const statuses = []
    for (let i = 0; i < 7; i++) statuses.push((await signIn({ username, password: wrong })).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    const blocked = await signIn({ username, password })
    expect(blocked.status).toBe(429)
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(blocked.headers['retry-after'])).toBeLessThanOrEqual(10)
    expect(blocked.body).toMatchObject({ error_code: 'throttled', retryable: true })
    expect((await signIn({ username: other, password })).status).toBe(200)
  })

  test('each failure after a wait doubles it, up to 15 minutes; it never locks for ever', async () => {
    const { username, uid } = await person()
    const key = `account:${uid}`
    const waitOver = () => asOwner(sql`update login_fail set blocked_until = now() - interval '1 s' where key = ${key}`)
    const waits = []
    for (let i = 0; i < 13; i++) {
      await signIn({ username, password: wrong })
      const { rows } = await asOwner(
        sql<{ wait: number }>`select round(extract(epoch from blocked_until - last_at))::int as wait
          from login_fail where key = ${key}`,
      )
      waits.push(rows[0]?.wait ?? 0)
      await waitOver()
    }
    expect(waits).toEqual([0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 900, 900])
    expect((await signIn({ username, password })).status).toBe(200)
    expect((await asOwner(sql`select from login_fail where key = ${key}`)).rows).toHaveLength(0)
  })

  test('failures of an account are forgotten one by one, not all at once after a day of silence', async () => {
    const { username, uid } = await person()
    for (let i = 0; i < 5; i++) await signIn({ username, password: wrong })
    await asOwner(sql`update login_fail set last_at = last_at - interval '5 h', blocked_until = null
      where key = ${`account:${uid}`}`)
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await signIn({ username, password: wrong })).status)
    expect(statuses).toEqual([401, 401, 429])
  })

  test('fifty tries at once get no further than five in a row', async () => {
    const { username } = await person()
    const verify = vi.spyOn(t.services.passwords, 'verify')
    const answers = await Promise.all(Array.from({ length: 50 }, () => signIn({ username, password: wrong })))
    expect(verify).toHaveBeenCalledTimes(5)
    verify.mockRestore()
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(45)
  })

  test('user name and e-mail address of one person are one account', async () => {
    const { username, email } = await person()
    for (let i = 0; i < 3; i++) await signIn({ username, password: wrong })
    for (let i = 0; i < 2; i++) await signIn({ email, password: wrong })
    expect((await signIn({ username, password })).status).toBe(429)
    expect((await signIn({ email, password })).status).toBe(429)
  })

  test('who takes the e-mail address of another as a user name does not come in its place', async () => {
    const { username, email } = await person()
    await t.make.user('viewer', { username: email, email: `other.${email}` })
    await t.make.user('viewer', { username: `zz.${username}`, email: `zz.${email}` })
    expect((await signIn({ email, password })).status).toBe(200)
  })

  describe('after fifty failures of an address over all accounts', () => {
    const from = (remoteAddress: string, username: string, typed = wrong) =>
      t.stranger().call('auth.login', { username, password: typed }, { remoteAddress })
    const failed = async (remoteAddress: string) => {
      await from(remoteAddress, 'somebody.0')
      const { rows } = await asOwner(
        sql`update login_fail set count = 50 where key like 'address:' || ${remoteAddress.split('::')[0]} || '%' returning 1`,
      )
      expect(rows).toHaveLength(1)
    }

    test('only the first try of an account is free there; all addresses of one IPv6 network are one', async () => {
      await failed('2001:db8:1:2::1')
      expect((await from('2001:db8:1:2::2', 'somebody.2')).status).toBe(401)
      expect((await from('2001:db8:1:2:ffff::1', 'somebody.2')).status).toBe(429)
      for (let i = 0; i < 5; i++) expect((await from('2001:db8:1:3::1', 'somebody.3')).status).toBe(401)
      expect((await from('2001:db8:1:3::1', 'somebody.3')).status).toBe(429)
    })

    test('they are forgotten as time goes by, also where somebody mistypes now and then', async () => {
      const address = '203.0.113.20'
      const { username } = await person()
      await failed(address)
      // Months of an office: a typo and a right try every few hours.
      for (let i = 0; i < 12; i++) {
        await asOwner(sql`update login_fail set last_at = last_at - interval '6 h', blocked_until = null`)
        await from(address, `somebody.${i}`)
        expect((await from(address, username, password)).status).toBe(200)
      }
      for (let i = 0; i < 5; i++) expect((await from(address, 'somebody.else')).status).toBe(401)
      expect((await from(address, 'somebody.else')).status).toBe(429)
    })

    test('only tries that were made and were wrong count', async () => {
      const address = '203.0.113.30'
      const { username } = await person()
      await from(address, username, password)
      for (let i = 0; i < 20; i++) await from(address, 'somebody.blocked')
      for (let i = 0; i < 5; i++) await from(address, username, password)
      const { rows } = await asOwner(
        sql<{ count: number }>`select count from login_fail where key = ${`address:${address}`}`,
      )
      expect(Math.ceil(rows[0]?.count ?? 0)).toBe(5)
    })

    test('everybody else still signs in from it: a proxy that is not declared locks nobody out', async () => {
      const { username } = await person()
      await failed('203.0.113.9')
      for (let i = 0; i < 3; i++) await from('203.0.113.9', 'somebody.attacked')
      expect((await from('203.0.113.9', 'somebody.attacked')).status).toBe(429)
      expect((await from('203.0.113.9', username, password)).status).toBe(200)
    })
  })
})

describe('a session ends', () => {
  const onlySessionOf = async (username: string) => {
    const browser = t.stranger()
    await signIn({ username, password }, browser)
    return browser
  }
  const statusOf = async (browser: Awaited<ReturnType<typeof onlySessionOf>>) =>
    (await browser.call('user.info')).status

  test('after 30 minutes without a request', async () => {
    const { username, id } = await person()
    const browser = await onlySessionOf(username)
    await asOwner(sql`update session set last_seen_at = now() - interval '29 min' where user_id = ${id}`)
    expect(await statusOf(browser)).toBe(200)
    await asOwner(sql`update session set last_seen_at = now() - interval '31 min' where user_id = ${id}`)
    expect(await statusOf(browser)).toBe(401)
  })

  test('twelve hours after its start, however busy', async () => {
    const { username, id } = await person()
    const browser = await onlySessionOf(username)
    await asOwner(sql`update session set expires_at = expires_at - interval '12 h' where user_id = ${id}`)
    const { status, body } = await browser.call('user.info')
    expect(status).toBe(401)
    expect(body).toMatchObject({
      message: 'Unauthorized: the session has ended, sign in again',
      error_code: 'session_ended',
    })
  })

  test('by signing out, which also clears what the browser keeps', async () => {
    const { username } = await person()
    const browser = await onlySessionOf(username)
    const cookie = browser.cookie
    const { status, headers } = await browser.call('auth.logout')
    expect(status).toBe(200)
    expect(headers['clear-site-data']).toBe('"storage"')
    expect((await t.stranger().send({ url: '/api/v1/user/info', headers: { cookie } })).status).toBe(401)
  })

  test('when the account is disabled or deleted, with the next request', async () => {
    const admin = await t.signIn('super_admin')
    for (const end of ['disable', 'delete'] as const) {
      const { username, uid } = await person()
      const browser = await onlySessionOf(username)
      expect(await statusOf(browser)).toBe(200)
      if (end === 'disable') await admin.call('user.update', { user_id: uid, status: 'disabled' })
      else await admin.call('user.delete', { user_id: uid })
      expect(await statusOf(browser)).toBe(401)
    }
  })

  test('when the role changes', async () => {
    const admin = await t.signIn('super_admin')
    const { username, uid } = await person()
    const browser = await onlySessionOf(username)
    await admin.call('user.update', { user_id: uid, role_key: 'viewer' })
    expect(await statusOf(browser)).toBe(401)
  })

  test('when the password changes elsewhere; the page that changed it goes on under a new cookie', async () => {
    const { username } = await person()
    const [here, there] = [await onlySessionOf(username), await onlySessionOf(username)]
    const before = here.cookie
    const change = { current: password, password: 'Another-Horse-8', confirm_password: 'Another-Horse-8' }
    expect((await here.call('user.password', change)).status).toBe(200)
    expect(here.cookie).not.toBe(before)
    expect(await statusOf(here)).toBe(200)
    expect((await here.call('user.configUpdate', { ui_config: { dark: true } })).status).toBe(200)
    expect(await statusOf(there)).toBe(401)
    expect((await t.stranger().send({ url: '/api/v1/user/info', headers: { cookie: before } })).status).toBe(401)
    expect((await signIn({ username, password })).status).toBe(401)
    expect((await signIn({ username, password: 'Another-Horse-8' })).status).toBe(200)
  })

  describe('also where the old password is being compared while it changes:', () => {
    const change = { current: password, password: 'Another-Horse-8', confirm_password: 'Another-Horse-8' }
    /** Changes the password from another session while the next password is compared. */
    const changeMeanwhile = (browser: Awaited<ReturnType<typeof onlySessionOf>>) => {
      const { verify } = t.services.passwords
      return vi.spyOn(t.services.passwords, 'verify').mockImplementationOnce(async (hash, typed) => {
        const matches = await verify(hash, typed)
        expect((await browser.call('user.password', change)).status).toBe(200)
        return matches
      })
    }

    test('that sign-in is refused', async () => {
      const { username } = await person()
      const spy = changeMeanwhile(await onlySessionOf(username))
      const { status, body } = await signIn({ username, password })
      spy.mockRestore()
      expect([status, body.error_code]).toEqual([401, 'bad_credentials'])
    })

    test('that change is refused, and the first one stays', async () => {
      const { username } = await person()
      const [first, second] = [await onlySessionOf(username), await onlySessionOf(username)]
      const spy = changeMeanwhile(first)
      const late = { ...change, password: 'Latest-Horse-9', confirm_password: 'Latest-Horse-9' }
      const { status, body } = await second.call('user.password', late)
      spy.mockRestore()
      expect([status, body.errors]).toEqual([400, { current: ['wrong_password'] }])
      expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401])
      expect((await signIn({ username, password: change.password })).status).toBe(200)
    })
  })

  test('as one of a list that shows nothing usable, and only to its owner and those above', async () => {
    const { username } = await person()
    const [here, there] = [await onlySessionOf(username), await onlySessionOf(username)]
    const { body, text } = await here.call('user.sessions')
    expect(body.response).toHaveLength(2)
    expect(text).not.toMatch(/token|csrf|hash/)
    const other = body.response.find((session: { is_current: boolean }) => !session.is_current)
    expect(other).toMatchObject({ ip: '127.0.0.1', auth_method: 'form' })

    const viewer = await t.signIn('viewer')
    expect((await viewer.call('user.sessionRevoke', { session_id: other.session_id })).status).toBe(404)
    expect(await statusOf(there)).toBe(200)
    expect((await here.call('user.sessionRevoke', { session_id: other.session_id })).status).toBe(200)
    expect(await statusOf(there)).toBe(401)
    expect((await here.call('user.sessionRevoke', { session_id: other.session_id })).status).toBe(404)
  })

  test('by an admin of its organization, never of another', async () => {
    const { username, uid } = await person()
    const browser = await onlySessionOf(username)
    const elsewhere = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect((await elsewhere.call('user.sessions', { user_id: uid })).status).toBe(404)
    const admin = await t.signIn('admin')
    const [session] = (await admin.call('user.sessions', { user_id: uid })).body.response
    expect((await elsewhere.call('user.sessionRevoke', { session_id: session.session_id })).status).toBe(404)
    expect(await statusOf(browser)).toBe(200)
    expect((await admin.call('user.sessionRevoke', { session_id: session.session_id })).status).toBe(200)
    expect(await statusOf(browser)).toBe(401)
  })
})

test('what is long over is forgotten, but not when somebody was last here', async () => {
  const { id, uid, username, version } = await person()
  for (let i = 0; i < 3; i++) await signIn({ username, password })
  await signIn({ username: 'somebody.long.ago', password: wrong })
  await asOwner(sql`update session set created_at = created_at - interval '40 d', expires_at = expires_at - interval '40 d'
    where user_id = ${id}`)
  await asOwner(sql`update app_user set last_login_at = last_login_at - interval '40 d' where id = ${id}`)
  await asOwner(sql`update login_fail set last_at = now() - interval '2 d'`)
  await t.services.db.instance(forgetOld)
  expect((await asOwner(sql`select from session where user_id = ${id}`)).rows).toHaveLength(0)
  expect((await asOwner(sql`select from login_fail`)).rows).toHaveLength(0)
  const { body } = await (await t.signIn('super_admin')).call('user.id', { user_id: uid })
  expect(Date.parse(body.response.last_login_at)).toBeLessThan(Date.now() - 39 * 86_400_000)
  // Signing in is no change of the person by people.
  expect(body.response.version).toBe(version)
})

test('a machine key that is not known is refused, even beside a good cookie', async () => {
  const browser = await t.signIn('admin')
  const { status, body } = await browser.call('user.info', {}, { headers: { 'x-portal': 'sgl_unknown' } })
  expect(status).toBe(401)
  expect(body).toMatchObject({ message: 'Unauthorized: the key is not valid' })
})
