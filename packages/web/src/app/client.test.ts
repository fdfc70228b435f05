import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MutationObserver } from '@tanstack/react-query'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { loadLanguage } from '../i18n/index.ts'
import { messages, noMessages } from './messages.ts'

await loadLanguage('en')

// There is no page in this test: the address of the API is the usual one, of a server of its own.
Object.assign(globalThis, {
  addEventListener: () => undefined,
  document: { querySelector: () => null, documentElement: {} },
})
const { api, queryClient, refreshSoon } = await import('./client.ts')

let answer: { status: number; body: object } | 'cut' = 'cut'
/** So many requests come too soon. */
let tooMany = 0
let server: Server
const realFetch = globalThis.fetch
beforeAll(async () => {
  server = createServer((request, response) => {
    if (answer === 'cut') return request.socket.destroy()
    if (tooMany-- > 0) {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' })
      return response.end(
        JSON.stringify({ response_code: 429, message: 'Too many requests', error_code: 'rate_limited' }),
      )
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  globalThis.fetch = (path, init) => realFetch(`${origin}${path}`, init)
})
afterAll(() => {
  globalThis.fetch = realFetch
  server.closeAllConnections()
  server.close()
})
afterEach(() => {
  queryClient.clear()
  messages.set(noMessages)
})

const ok = (response: unknown) => ({ status: 200, body: { response_code: 200, response } })
const refused = (status: number, more: object) => ({ status, body: { response_code: status, message: '', ...more } })
const shown = () => messages.get().shown.map(({ type, text }) => [type, text])
const read = () => queryClient.fetchQuery({ ...api.site.list.query({}), retry: false, staleTime: 0 })

describe('a failed call shows', () => {
  test.each([400, 500])('%i: an error notification with what the server says', async (status) => {
    answer = refused(status, { message: 'The disk is full.' })
    await expect(read()).rejects.toThrow()
    expect(shown()).toEqual([['error', 'The disk is full.']])
  })

  test('403: nothing', async () => {
    answer = refused(403, { message: 'Forbidden', error_code: 'forbidden' })
    await expect(read()).rejects.toThrow()
    const create = new MutationObserver(queryClient, api.customer.create.mutation())
    await expect(create.mutate({ customer_name: 'Acme' })).rejects.toThrow()
    expect(shown()).toEqual([])
  })

  test('a change without an answer: the message of that very call', async () => {
    answer = 'cut'
    const create = new MutationObserver(queryClient, api.customer.create.mutation())
    await expect(create.mutate({ customer_name: 'Acme' })).rejects.toThrow()
    expect(shown()).toEqual([['error', 'Error while creating customer']])
  })
})

describe('what was read before is gone when it cannot be read again', () => {
  test.each(['usecase', 'bundle'] as const)('the list of %ss', async (feature) => {
    const query = { ...api[feature].list.query({}), retry: false as const, staleTime: 0 }
    answer = ok([{ usecase_key: 'pplcnt' }])
    await queryClient.fetchQuery(query as never)
    expect(queryClient.getQueryData(query.queryKey)).toHaveLength(1)
    answer = 'cut'
    await expect(queryClient.fetchQuery(query as never)).rejects.toThrow()
    expect(queryClient.getQueryData(query.queryKey)).toBeUndefined()
  })

  test('but other lists stay', async () => {
    answer = ok([{ site_name: 'Lyon' }])
    await read()
    answer = 'cut'
    await expect(read()).rejects.toThrow()
    expect(queryClient.getQueryData(api.site.list.query({}).queryKey)).toHaveLength(1)
  })
})

test('a page whose reads all come too soon says once that it waits, and shows no error', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  answer = ok([])
  tooMany = 6
  const { call } = api.customer.list
  const all = await Promise.all(['a', 'b', 'c', 'd'].map((q) => call({ q } as never)))
  expect(all.every(({ status }) => status)).toBe(true)
  expect(shown()).toEqual([['info', 'Too many requests: what is missing comes by itself within 2 seconds']])
  expect(messages.get().shown[0]?.count).toBe(1)
  vi.restoreAllMocks()
})

test('news is read at once, and while it goes on coming no more often than every five seconds', () => {
  vi.useFakeTimers()
  try {
    const reads: number[] = []
    const start = performance.now()
    const invalidate = vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async (filters) => {
      if (filters?.queryKey?.[0] === 'site') reads.push(performance.now() - start)
    })
    for (let at = 0; at < 60_000; at += 100) {
      refreshSoon('site')
      vi.advanceTimersByTime(100)
    }
    expect(reads[0]).toBeLessThanOrEqual(300)
    // 0.3, 0.9, 2.1, 4.5, 9.3 s, and every five seconds from then on.
    expect(reads.length).toBeGreaterThan(13)
    expect(reads.length).toBeLessThan(17)
    vi.advanceTimersByTime(30_000)
    reads.length = 0
    const later = performance.now() - start
    refreshSoon('site')
    vi.advanceTimersByTime(300)
    expect(reads).toEqual([later + 300])
    invalidate.mockRestore()
  } finally {
    vi.useRealTimers()
  }
})
