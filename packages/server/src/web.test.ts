import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer } from './app.ts'
import { readEnv } from './env.ts'
import { answerFailure } from './failure.ts'
import { securityHeaders } from './headers.ts'
import { notFound } from './refusal.ts'
import { serveWeb } from './web.ts'

const root = mkdtempSync(join(tmpdir(), 'sl-web-'))
let app: FastifyInstance
beforeAll(async () => {
  mkdirSync(join(root, 'assets'))
  const page =
    '<meta name="api-base" content="__API_BASE__"><script nonce="__NONCE__" src="/assets/a-1f2e.js"></script></html>'
  writeFileSync(join(root, 'index.html'), page)
  writeFileSync(join(root, 'assets/a-1f2e.js'), 'plain')
  writeFileSync(join(root, 'assets/a-1f2e.js.br'), 'small')
  writeFileSync(join(root, 'favicon.svg'), '<svg/>')
  writeFileSync(join(root, '..', 'outside.txt'), 'secret')
  app = createServer(readEnv({}), false)
  await app.register(helmet, securityHeaders(false))
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler(() => {
    throw notFound()
  })
  await serveWeb(app, '/portal/api', root)
})
afterAll(async () => {
  await app.close()
  rmSync(root, { recursive: true })
})

test.each(['/', '/dashboard', '/fr/site/view?sid=1', '/register?token=x', '/404', '/Somewhere', '/a b'])(
  'a page is answered at %s, with the path of the API and a nonce that its policy has',
  async (url) => {
    const { statusCode, headers, body } = await app.inject({ url })
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(body).toContain('content="/portal/api"')
    const nonce = /nonce="([^"]+)"/.exec(body)?.[1]
    expect(headers['content-security-policy']).toContain(`script-src 'self' 'nonce-${nonce}';`)
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}';`)
  },
)

test('no two answers have the same nonce', async () => {
  const nonces = await Promise.all(
    Array.from({ length: 20 }, async () => /nonce="([^"]+)"/.exec((await app.inject({ url: '/' })).body)?.[1]),
  )
  expect(new Set(nonces).size).toBe(20)
})

test('files under assets are kept for ever, others are asked for again, both compressed where that was made', async () => {
  const asset = await app.inject({ url: '/assets/a-1f2e.js', headers: { 'accept-encoding': 'br, gzip' } })
  expect(asset.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  })
  expect(asset.body).toBe('small')
  expect((await app.inject({ url: '/assets/a-1f2e.js' })).body).toBe('plain')
  const icon = await app.inject({ url: '/favicon.svg' })
  expect(icon.headers['cache-control']).toBe('no-cache')
  const { etag } = icon.headers
  expect((await app.inject({ url: '/favicon.svg', headers: { 'if-none-match': etag as string } })).statusCode).toBe(304)
})

test.each([
  '/assets/missing.js',
  '/portal/api/nothing',
  '/PORTAL/api/nothing',
  '/../outside.txt',
  '/assets/../../outside.txt',
  '/assets/..%2f..%2foutside.txt',
  '/%2e%2e/outside.txt',
  '/.env',
])('%s is not there', async (url) => {
  const { statusCode, body } = await app.inject({ url })
  expect([400, 403, 404]).toContain(statusCode)
  expect(body).not.toContain('secret')
  expect(JSON.parse(body)).toHaveProperty('response_code')
})

test('the page of a newer build is answered without a new start, and the last one while there is none, or half of one', async () => {
  const file = join(root, 'index.html')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, before.replace('a-1f2e', 'a-9c0d'))
  expect((await app.inject({ url: '/dashboard' })).body).toContain('a-9c0d.js')
  writeFileSync(file, before.slice(0, 60))
  expect((await app.inject({ url: '/dashboard' })).body).toContain('a-9c0d.js')
  rmSync(file)
  expect((await app.inject({ url: '/dashboard' })).body).toContain('a-9c0d.js')
  writeFileSync(file, before)
})
