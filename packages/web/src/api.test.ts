import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { api as table } from '@sightline/contract'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { addressOf, type CallFailed, createClient } from './api.ts'
import type { Message } from './api-text.ts'
import { loadLanguage } from './i18n/index.ts'
import { words } from './i18n/words.ts'

await loadLanguage('en')

/** What the server answers next, and what it was asked. */
type Answer = { status: number; body: unknown; headers?: Record<string, string> }
let answer: Answer = { status: 200, body: {} }
/** What it answers before that, one by one. */
let first: Answer[] = []
let count = 0
const waits: number[] = []
let asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }
let server: Server
let base = ''
const lost: CallFailed[] = []
const said: Message[] = []
let csrf: string | null = null
let isAway = false

const client = () =>
  createClient({
    base,
    csrf: () => csrf,
    isAway: () => isAway,
    words,
    onUnauthorized: (failure) => lost.push(failure),
    onMessage: (message) => said.push(message),
    onWait: (seconds) => waits.push(seconds),
  })

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    count++
    const { status, headers, body: said } = first.shift() ?? answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof said === 'string' ? said : JSON.stringify(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
afterEach(() => {
  lost.length = 0
  said.length = 0
  waits.length = 0
  first = []
  count = 0
  vi.restoreAllMocks()
  csrf = null
  isAway = false
})

const ok = (response: unknown, more: object = {}) => ({ status: 200, body: { response_code: 200, response, ...more } })
const refused = (status: number, more: object) => ({ status, body: { response_code: status, message: '', ...more } })
const site_id = '01a1ff5c-e1be-78d3-b46a-40b98e0644c6'

test('a read puts its input into the address and gives the data of the envelope', async () => {
  answer = ok({ site_id }, { page: { limit: 50, offset: 0, total: 1, next_page_token: null } })
  const result = await client().site.get.call({ site_id })
  expect(asked).toMatchObject({ method: 'GET', url: `/api/v1/site?site_id=${site_id}`, body: '' })
  expect(result).toMatchObject({ status: true, data: { site_id }, message: null, page: { total: 1 } })
})

test('what a page asks for while nobody is at it says so, and so does not keep the session open', async () => {
  answer = ok({ site_id })
  await client().site.get.call({ site_id })
  expect(asked.headers['x-away']).toBeUndefined()
  isAway = true
  await client().site.get.call({ site_id })
  expect(asked.headers['x-away']).toBe('1')
})

test('a list in an address is one comma-separated value, and what is absent is left out', () => {
  expect(
    addressOf('', table.event.range, {
      usecase_meta_key: ['up', 'down'],
      details: true,
      site_id: undefined,
      kind: null,
    }),
  ).toBe('/event/range?usecase_meta_key=up%2Cdown&details=true')
})

test('a change carries JSON and the token of the session; a deletion has its parameters in the body', async () => {
  csrf = 'token-1'
  answer = ok({ site_id })
  await client().site.delete.call({ site_id })
  expect(asked).toMatchObject({ method: 'DELETE', url: '/api/v1/site', body: JSON.stringify({ site_id }) })
  expect(asked.headers).toMatchObject({ 'x-csrf-token': 'token-1', 'content-type': 'application/json' })
})

test('a success with a code other than the one of the call is a failure with its own message', async () => {
  answer = ok({})
  const result = await client().customer.create.call({ customer_name: 'Acme' })
  expect(result).toMatchObject({ status: false, message: { type: 'error', text: 'Error while creating customer' } })
})

test('no answer, and an answer that is not JSON, give the message of that very call', async () => {
  answer = { status: 200, body: '<html>a proxy</html>' }
  expect(await client().site.list.call({})).toMatchObject({ message: { text: 'Error while fetching Sites' } })
  const nowhere = createClient({
    base: 'http://127.0.0.1:1/api/v1',
    csrf: () => null,
    words,
    onUnauthorized: () => undefined,
    onMessage: () => undefined,
  })
  expect(await nowhere.nimble.list.call({})).toMatchObject({
    status: false,
    message: { text: 'Error fetching Nimble Conf' },
    failure: { code: 0 },
  })
})

test('400 and 500 say what the server says; field errors come before an error string, that before a message', async () => {
  answer = refused(500, { message: 'The disk is full.', error: 'ENOSPC' })
  expect(await client().site.list.call({})).toMatchObject({ message: { text: 'ENOSPC' } })
  answer = refused(400, { message: 'The disk is full.' })
  expect(await client().site.list.call({})).toMatchObject({ message: { text: 'The disk is full.' } })
  answer = refused(400, { message: 'm', error: 'e', errors: { name: ['name_taken'], port: ['greater_than:0'] } })
  expect(await client().site.list.call({})).toMatchObject({
    message: { text: 'This name is in use · Must be greater than 0' },
    failure: { errors: { name: ['name_taken'] } },
  })
})

test('a refusal with a known id is worded by the catalogue, with its arguments', async () => {
  answer = refused(503, { message: 'x', error_code: 'nimble_unreachable' })
  expect(await client().nimble.get.call({ nimble_id: site_id })).toMatchObject({
    message: {
      text: 'Either nimble ingestion service restarting or recovering from connection issues, try again later.',
    },
  })
})

test('a 401 of a session call is cut at the first colon, and tells that the session is over', async () => {
  answer = refused(401, { message: 'Unauthorized: wrong user name or password', error_code: 'bad_credentials' })
  const result = await client().auth.login.call({ username: 'a', password: 'b' })
  expect(result).toMatchObject({ status: false, message: { text: 'Unauthorized' } })
  expect(lost.map((failure) => failure.op)).toEqual(['auth.login'])
})

test('calls on users append the words of the server, creating one says only those', async () => {
  answer = refused(409, { message: 'The name is odd' })
  expect(await client().user.delete.call({ user_id: site_id })).toMatchObject({
    message: { text: 'Error while deleting User:: The name is odd' },
  })
  expect(
    await client().user.create.call({
      firstname: 'Ada',
      lastname: 'Byron',
      email: 'ada@example.org',
      username: 'ada.byron',
      password: 'x',
      confirm_password: 'x',
    }),
  ).toMatchObject({ message: { text: 'The name is odd' } })
})

test('a failed list of edge servers gives the body of the answer too', async () => {
  answer = refused(404, { message: 'mongo: no documents in result' })
  const result = await client().nimble.list.call({})
  expect(result).toMatchObject({ status: false, failure: { body: { message: 'mongo: no documents in result' } } })
})

test('an empty list says what section 7 names for it', async () => {
  answer = ok([])
  expect(await client().customer.list.call({})).toMatchObject({
    status: true,
    data: [],
    message: { type: 'info', text: 'There are no customers yet.' },
  })
})

test('a message of the server goes along with the data, typed as it says', async () => {
  answer = ok([], { message: 'Careful', message_type: 'warning' })
  expect(await client().site.list.call({})).toMatchObject({ message: { type: 'warning', text: 'Careful' } })
})

/** Refused for now. */
const tooSoon = (seconds?: string): Answer => ({
  ...refused(429, { error_code: 'rate_limited', args: { seconds: 6 } }),
  headers: seconds === undefined ? {} : { 'retry-after': seconds },
})

test('a read that came too soon is asked again after the stated wait', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  first = [tooSoon('1')]
  answer = ok({ site_id })
  const start = performance.now()
  expect(await client().site.get.call({ site_id })).toMatchObject({ status: true, data: { site_id } })
  expect(performance.now() - start).toBeGreaterThan(990)
  expect([count, waits]).toEqual([2, [3]])
  // Of another verb that changes nothing too.
  first = [tooSoon('0')]
  answer = ok([])
  expect(await client().user.list.call({})).toMatchObject({ status: true })
  expect(count).toBe(4)
})

test('a few times only, and not when the server does not say when, or far too late', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  for (const [seconds, asks] of [
    ['0', 4],
    [undefined, 1],
    ['3600', 1],
  ] as const) {
    count = 0
    answer = tooSoon(seconds)
    expect(await client().site.get.call({ site_id })).toMatchObject({ failure: { code: 429 } })
    expect([seconds, count]).toEqual([seconds, asks])
  }
})

test('a change that came too soon is never sent again', async () => {
  answer = tooSoon('0')
  expect(await client().customer.create.call({ customer_name: 'Acme' })).toMatchObject({
    // When it would be taken is told: whoever sends many changes can wait for it.
    failure: { code: 429, waitMs: 0 },
  })
  expect(await client().auth.login.call({ username: 'a', password: 'b' })).toMatchObject({ failure: { code: 429 } })
  expect([count, waits]).toEqual([2, []])
})

test('who gives up a read that waits does not wait', async () => {
  answer = tooSoon('30')
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  await expect(client().site.list.call({}, { signal: stop.signal })).rejects.toThrow(DOMException)
  expect(count).toBe(1)
})

test('an abort is thrown, not taken for a failed call', async () => {
  const stop = new AbortController()
  stop.abort()
  await expect(client().site.list.call({}, { signal: stop.signal })).rejects.toThrow(DOMException)
})

test('the key of a query begins with feature and operation', () => {
  expect(client().site.list.key({})).toEqual(['site', 'list', {}])
  expect(client().site.list.key()).toEqual(['site', 'list'])
})
