import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createServer } from './app.ts'
import { newToken } from './auth/store.ts'
import { readEnv } from './env.ts'
import { type Client, type TestApp, testApp, testOrigin } from './testing/app.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const api = '/api/v1'

/** The path as written, which URL parsers would tidy up. */
async function rawGet(path: string, cookie: string): Promise<{ status: number; text: string }> {
  const { port } = new URL(await t.listen())
  const [response] = await once(get({ host: '127.0.0.1', port, path, headers: { cookie } }), 'response')
  return { status: response.statusCode, text: await text(response) }
}
let count = 0
const draft = () => ({ customer_name: `Mounted ${++count}` })
const create = (payload: unknown, headers: Record<string, string | undefined> = {}) =>
  admin.send({
    method: 'PUT',
    url: `${api}/customer/create`,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('the envelope', () => {
  test('a create answers 201 with response_code and response', async () => {
    const { status, body } = await create(draft())
    expect(status).toBe(201)
    expect(body).toMatchObject({ response_code: 201, response: { customer_name: `Mounted ${count}` } })
  })

  test('a refusal answers its code, a message and the fields', async () => {
    const { status, body } = await create({ customer_name: '', colour: 'red' })
    expect(status).toBe(400)
    expect(body).toEqual({
      response_code: 400,
      message: 'Error in inputs',
      message_type: 'error',
      error: 'Error in inputs',
      errors: { customer_name: ['required'], colour: ['unknown_property'] },
    })
  })

  test('a column added to a table does not appear in answers', async () => {
    await t.services.db.owner((trx) => sql`alter table customer add column margin int default 7`.execute(trx))
    const { body, text } = await create(draft())
    expect(body.response_code).toBe(201)
    expect(text).not.toContain('margin')
    expect(Object.keys(body.response)).not.toContain('tenant_id')
    expect(Object.keys(body.response)).not.toContain('id')
  })

  test('an unexpected error says nothing but the id under which the log has it', async () => {
    await t.services.db.owner((trx) => sql`alter table customer rename column description to hidden`.execute(trx))
    const { status, body, headers } = await create(draft())
    await t.services.db.owner((trx) => sql`alter table customer rename column hidden to description`.execute(trx))
    expect(status).toBe(500)
    expect(body).toEqual({
      response_code: 500,
      message: 'Oops -- Something went wrong !!',
      message_type: 'error',
      error_code: 'internal',
      request_id: headers['x-request-id'],
    })
  })
})

describe('what JSON can say but nobody can store or read', () => {
  test.each([
    ['U+0000', { ...draft(), description: 'a\0b' }, 'description'],
    ['half a surrogate pair', { ...draft(), description: 'a\ud800b' }, 'description'],
    [
      'the same deep inside',
      { ...draft(), customer_address: { customer_city: 'a\0b' } },
      'customer_address.customer_city',
    ],
    ['the same in a name', { ...draft(), customer_address: { 'a\0b': 1 } }, 'customer_address'],
  ])('%s: 400 that names the field', async (_, payload, field) => {
    const { status, body } = await create(payload)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ [field]: ['invalid'] })
  })

  test('nesting without end: 400', async () => {
    const nested = `{"pipelines":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}}`
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await admin.send({ method: 'PUT', url: `${api}/nimble/config`, payload: nested, headers })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ pipelines: ['invalid'] })
  })

  test('in an address, and at the sign-in of somebody unknown: 400', async () => {
    expect((await admin.send({ method: 'GET', url: `${api}/nimble/stats?nimble_id=%00` })).status).toBe(400)
    const { status } = await t.stranger().call('auth.login', { username: 'a\0b', password: 'x' })
    expect(status).toBe(400)
  })
})

describe('an address', () => {
  let channel: string
  beforeAll(async () => {
    channel = (await t.make.channel()).uid
  })
  const charted = (count: number) => {
    const ids = Array<string>(count).fill(channel)
    const query = new URLSearchParams({ type: '2', usecase_key: 'pplcnt', channel_id: ids.join(',') })
    return rawGet(`${api}/event/range?${query}`, admin.cookie ?? '')
  }

  test('has room for the channels of a chart, five hundred and more', async () => {
    expect(JSON.parse((await charted(500)).text)).toMatchObject({ response_code: 200 })
    expect((await charted(1000)).status).toBe(200)
    expect(JSON.parse((await charted(1001)).text)).toMatchObject({ errors: { channel_id: ['too_many'] } })
  })

  test('beyond every limit is refused with words', async () => {
    const { status, text } = await charted(5000)
    expect(status).toBe(431)
    expect(JSON.parse(text)).toMatchObject({
      response_code: 431,
      error_code: 'too_large',
      message: expect.stringMatching(/too long/),
    })
  })
})

describe('a member that stands twice in JSON is refused, wherever it stands', () => {
  test.each([
    ['at the top', '{"customer_name":"One","customer_name":"Two"}', 'customer_name'],
    ['written in another way', '{"customer_name":"One","customer\\u005fname":"Two"}', 'customer_name'],
    [
      'inside',
      '{"customer_name":"One","customer_address":{"customer_city":"a","b":[1],"customer_city":"b"}}',
      'customer_city',
    ],
  ])('%s', async (_, payload, field) => {
    expect(await create(payload)).toMatchObject({ status: 400, body: { errors: { [field]: ['repeated'] } } })
  })

  test('the same name in different objects, and in text, is no repetition', async () => {
    const { customer_name } = draft()
    const description = 'says "a": 1, "a": 2 {'
    const payload = { customer_name, description, customer_address: { customer_city: customer_name } }
    expect((await create(payload)).status).toBe(201)
  })
})

describe('DELETE takes its parameters', () => {
  const made = async () => (await create(draft())).body.response.customer_id as string
  const destroy = (options: object) => admin.send({ method: 'DELETE', url: `${api}/customer/destroy`, ...options })

  test('as the body', async () => {
    expect((await destroy({ payload: { customer_id: await made() } })).status).toBe(200)
  })
  test('wrapped in data', async () => {
    expect((await destroy({ payload: { data: { customer_id: await made() } } })).status).toBe(200)
  })
  test('as the query, with no body or an empty one', async () => {
    const url = async () => `${api}/customer/destroy?customer_id=${await made()}`
    expect((await destroy({ url: await url() })).status).toBe(200)
    const empty = { 'content-type': 'application/json' }
    expect((await destroy({ url: await url(), headers: empty })).status).toBe(200)
  })
  test('and refuses others in all three', async () => {
    const customer_id = await made()
    for (const options of [
      { payload: { customer_id, more: 1 } },
      { payload: { data: { customer_id, more: 1 } } },
      { url: `${api}/customer/destroy?customer_id=${customer_id}&more=1` },
    ])
      expect((await destroy(options)).body.errors).toEqual({ more: ['unknown_property'] })
  })
})

describe('what another site could send is refused', () => {
  test.each([
    ['a foreign origin', { origin: 'http://evil.example' }, 'cross_site'],
    ['an opaque origin', { origin: 'null' }, 'cross_site'],
    ['an origin that only begins like ours', { origin: `${testOrigin}.evil.example` }, 'cross_site'],
    ['no origin at all', { origin: undefined }, 'cross_site'],
    [
      'no origin, from the same site but not the same origin',
      { origin: undefined, 'sec-fetch-site': 'same-site' },
      'cross_site',
    ],
    ['no token', { 'x-csrf-token': undefined }, 'csrf'],
    ['a wrong token', { 'x-csrf-token': 'x'.repeat(32) }, 'csrf'],
  ])('%s: 403', async (_, headers, error_code) => {
    const { status, body } = await create(draft(), headers)
    expect(status).toBe(403)
    expect(body).toMatchObject({ error_code })
  })

  test('the token of another session: 403', async () => {
    const other = await t.signIn('admin')
    expect((await create(draft(), { 'x-csrf-token': other.csrf })).status).toBe(403)
  })

  test('a sign-in from a foreign page: 403, before any password is looked at', async () => {
    const { status } = await t
      .stranger()
      .call('auth.login', { username: 'somebody', password: 'x' }, { headers: { origin: 'http://evil.example' } })
    expect(status).toBe(403)
  })

  test('without origin, but sent by our own page according to the browser: accepted', async () => {
    expect((await create(draft(), { origin: undefined, 'sec-fetch-site': 'same-origin' })).status).toBe(201)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'text/json', 'application/xml'])(
    'a body of type %s: 415',
    async (type) => expect((await create(draft(), { 'content-type': type })).status).toBe(415),
  )
  test.each(['application/json\ta', 'application/json garbage'])(
    'a malformed type %j never reaches the handler',
    async (type) => {
      const { customer_name } = draft()
      expect([400, 415]).toContain((await create({ customer_name, is_default: 1 }, { 'content-type': type })).status)
    },
  )
  test.each(['APPLICATION/JSON', 'application/json; charset=utf-8'])('%s is JSON', async (type) => {
    expect((await create(draft(), { 'content-type': type })).status).toBe(201)
  })
  test('multipart where JSON is read: 415', async () => {
    const type = 'multipart/form-data; boundary=x'
    expect((await create('--x--\r\n', { 'content-type': type })).status).toBe(415)
  })
})

describe('bodies and queries', () => {
  test.each([
    ['not JSON', '{"customer_name":'],
    ['a prototype', '{"customer_name":"ok","__proto__":{"is_default":true}}'],
    ['a constructor', '{"customer_name":"ok","constructor":{"prototype":{"is_default":true}}}'],
    ['a list', '[]'],
    ['a word', '"x"'],
    ['nothing', ''],
    ['null', 'null'],
  ])('%s: 400', async (_, payload) => {
    const { status, body } = await create(payload)
    expect(status).toBe(400)
    expect(body.response_code).toBe(400)
  })

  test('more than a megabyte: 413', async () => {
    const { status, body } = await create({ customer_name: 'x'.repeat(1024 * 1024) })
    expect(status).toBe(413)
    expect(body).toMatchObject({ error_code: 'too_large' })
  })

  test('a repeated query key: 400', async () => {
    const { status, body } = await admin.send({ url: `${api}/customer/list?is_default=true&is_default=false` })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ is_default: ['repeated'] })
  })

  test('an unknown query key, __proto__ included: 400', async () => {
    expect((await admin.send({ url: `${api}/customer/list?colour=red` })).body.errors).toEqual({
      colour: ['unknown_property'],
    })
    expect((await admin.send({ url: `${api}/customer/list?__proto__=x` })).status).toBe(400)
  })
})

describe('paths have one spelling', () => {
  test.each([
    '/api/v1//customer/list',
    '//api/v1/customer/list',
    '/api/v1/customer/list/',
    '/api/v1/customer/list;x=1',
    '/api/v1/CUSTOMER/list',
    '/API/V1/customer/list',
    '/api/v1/customer/..%2fcustomer/list',
    '/api/v1/x/../customer/list%2f',
    '/api/v1/customer%2flist',
    '/api/v1/customer/list%00',
  ])('%s is no operation, signed in or not', async (path) => {
    for (const cookie of [admin.cookie, '']) {
      const { status, text } = await rawGet(path, cookie as string)
      // Where the web app is built, an address that is no operation's is a page's.
      expect(status === 400 || status === 404 || text.startsWith('<!doctype html>')).toBe(true)
      expect(text).not.toContain('customer_id')
    }
  })

  test('an address that cannot be decoded answers the envelope too', async () => {
    const { status, body, headers } = await admin.send({ url: '/api/v1/%zz' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ response_code: 400, error_code: 'bad_request' })
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('TRACE is off', async () => {
    const { status } = await admin.send({ method: 'TRACE' as 'GET', url: `${api}/customer/list` })
    expect(status).toBe(404)
  })
})

describe('headers', () => {
  const answers = [
    ['an answer', `${api}/instance/info`, 200],
    ['a refusal', `${api}/user/info`, 401],
    ['a missing operation', `${api}/nothing`, 404],
  ] as const
  test.each(answers)('%s is not stored, not sniffed, not framed', async (_, url, status) => {
    const { headers, status: got } = await t.stranger().send({ url })
    expect(got).toBe(status)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe')
    expect(headers).not.toHaveProperty('x-powered-by')
  })
})

describe('limits', () => {
  test('one call of a minute too many waits, and another person goes on', async () => {
    const limited = await testApp({ CALLS_PER_MINUTE: '60' })
    onTestFinished(() => limited.close())
    const [busy, other] = [await limited.signIn('viewer'), await limited.signIn('admin')]
    const statuses = await Promise.all(
      Array.from({ length: 61 }, async () => (await busy.send({ url: `${api}/acl/list` })).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    const { status, headers, body } = await busy.send({ url: `${api}/acl/list` })
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(body).toMatchObject({ error_code: 'rate_limited', retryable: true })
    expect((await other.send({ url: `${api}/acl/list` })).status).toBe(200)
  })
})

describe('whoever guesses tokens or keys', () => {
  const api = '/api/v1/user/info'
  const guess = async (remoteAddress: string, headers: Record<string, string>) =>
    (await t.stranger().send({ url: api, headers, remoteAddress })).status
  const some = (remoteAddress: string, headers: () => Record<string, string>) =>
    Promise.all(Array.from({ length: 300 }, () => guess(remoteAddress, headers())))
  const token = () => ({ cookie: `sightline=${newToken()}` })

  test('asks the database nothing with what cannot be a token, and no more than a stranger may with others', async () => {
    const address = '203.0.113.50'
    const here = await t.signIn('viewer')
    const isIn = async () => (await here.send({ url: api, remoteAddress: address })).status
    expect(await isIn()).toBe(200)
    const read = vi.spyOn(t.services.db, 'read')
    onTestFinished(() => read.mockRestore())
    expect(await guess('203.0.113.51', { cookie: `sightline=${'x'.repeat(5000)}` })).toBe(401)
    expect(read).not.toHaveBeenCalled()

    // In which minute they come is not ours to choose: of two minutes' worth and more, some are too many.
    for (let i = 0; i < 4; i++) await some(address, token)
    expect(read.mock.calls.length).toBeLessThan(4 * 300)
    // Who was in goes on, and so do other addresses.
    expect([await isIn(), await guess('203.0.113.52', token())]).toEqual([200, 401])
  })

  test('has as many tries with keys, which were counted nowhere', async () => {
    const key = () => ({ 'x-portal': 'sgl_unknown' })
    const answers: number[] = []
    for (let i = 0; i < 3; i++) answers.push(...(await some('203.0.113.60', key)))
    expect(new Set(answers)).toEqual(new Set([401, 429]))
  })
})

describe('the address of a client', () => {
  const addressSeen = async (variables: Record<string, string>) => {
    const app = createServer(readEnv(variables), false)
    app.get('/ip', { config: { access: 'public' } }, (request) => request.ip)
    const { body } = await app.inject({ url: '/ip', headers: { 'x-forwarded-for': '203.0.113.7' } })
    await app.close()
    return body
  }
  test('is that of the connection, whatever a header claims', async () => {
    expect(await addressSeen({})).toBe('127.0.0.1')
    expect(await addressSeen({ TRUSTED_PROXIES: '10.0.0.0/8' })).toBe('127.0.0.1')
  })
  test('is what a configured proxy says', async () => {
    expect(await addressSeen({ TRUSTED_PROXIES: '127.0.0.1' })).toBe('203.0.113.7')
  })
})

test('a route that does not say who may call it stops the start', () => {
  const app = createServer(readEnv({}), false)
  expect(() => app.get('/open', () => 'x')).toThrow(/does not say who may call it/)
})

describe('the log', () => {
  test('is one JSON object a line, whatever a browser calls itself, and leaves queries out', async () => {
    const lines: string[] = []
    const app = createServer(readEnv({}), { level: 'info', stream: { write: (line: string) => void lines.push(line) } })
    app.get('/x', { config: { access: 'public' } }, () => ({}))
    await app.inject({
      url: '/x?token=hunter2',
      headers: { 'user-agent': 'a\r\n{"level":50,"msg":"forged"}\u001b[31m' },
    })
    await app.close()
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({ method: 'GET', path: '/x', status: 200 })
    expect(lines[0]).not.toContain('hunter2')
  })
})

describe('health', () => {
  test('live and ready answer 200 while the database does', async () => {
    expect((await t.stranger().send({ url: '/health/live' })).status).toBe(200)
    expect((await t.stranger().send({ url: '/health/ready' })).status).toBe(200)
  })
})

test('while the database is away, calls and readiness answer 503 in words, and live goes on', async () => {
  const other = await testApp()
  const client = await other.signIn('admin')
  await other.services.db.close()
  const { status, body, headers } = await client.call('customer.list')
  expect(status).toBe(503)
  expect(body).toMatchObject({ response_code: 503, error_code: 'database_unavailable', retryable: true })
  expect(headers['retry-after']).toBe('5')
  expect((await client.send({ url: '/health/ready' })).status).toBe(503)
  expect((await client.send({ url: '/health/live' })).status).toBe(200)
  await other.app.close()
})

test('the document of the API is public', async () => {
  const { status, body } = await t.stranger().send({ url: `${api}/openapi.json` })
  expect(status).toBe(200)
  expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }] })
})
