import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { imageMaxBytes } from '@sightline/domain'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { multipart } from '../testing/multipart.ts'

let t: TestApp
let viewer: Client
beforeAll(async () => {
  t = await testApp()
  viewer = await t.signIn('viewer')
})
afterAll(() => t.close())

const url = '/api/v1/upload'
const send = (parts: Record<string, string | Buffer>, file = {}, client = viewer, to = url) =>
  client.send({ method: 'POST', url: to, ...multipart(parts, file) })
const canvas = (width = 40, height = 30) => sharp({ create: { width, height, channels: 3, background: 'teal' } })
const formats = ['png', 'jpeg', 'webp'] as const

test.each([
  ['without a boundary', 'multipart/form-data', 'x'],
  [
    'that ends in the middle',
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc',
  ],
])('a form %s: 400', async (_, type, payload) => {
  const { status } = await viewer.send({ method: 'POST', url, payload, headers: { 'content-type': type } })
  expect(status).toBe(400)
})

describe('a picture', () => {
  test.each(formats)('of type %s is taken, whatever it calls itself, and answered as what it is', async (format) => {
    const { status, body } = await send({ file: await canvas().toFormat(format).toBuffer() }, { type: 'text/html' })
    expect(status).toBe(200)
    expect(body.response).toMatchObject({
      content_type: `image/${format}`,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(body.response.path).toMatch(/^\/api\/v1\/media\/[0-9a-f-]{36}$/)
    const { headers } = await viewer.send({ url: body.response.path })
    expect(headers).toMatchObject({
      'content-type': `image/${format}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(headers['cache-control']).toMatch(/^private/)
  })

  test('is written anew: positions, and what hides behind the picture, are gone', async () => {
    const secret = Buffer.from('<script>alert(1)</script>')
    const original = await canvas()
      .withExif({ IFD0: { Copyright: 'Hidden Author' } })
      .jpeg()
      .toBuffer()
    expect(original.includes('Hidden Author')).toBe(true)
    const { body } = await send({ file: Buffer.concat([original, secret]) })
    const served = await t.app.inject({ url: body.response.path, headers: { cookie: viewer.cookie as string } })
    expect(served.rawPayload.includes(secret)).toBe(false)
    expect(served.rawPayload.includes('Hidden Author')).toBe(false)
    expect(await sharp(served.rawPayload).metadata()).toMatchObject({ format: 'jpeg', width: 40, height: 30 })
  })

  test('larger than anything shows is made smaller', async () => {
    const { body } = await send({ file: await canvas(4000, 1000).png().toBuffer() })
    const served = await t.app.inject({ url: body.response.path, headers: { cookie: viewer.cookie as string } })
    expect(await sharp(served.rawPayload).metadata()).toMatchObject({ width: 2560, height: 640 })
  })
})

describe('refused is', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const bomb = async () => canvas(8000, 8000).png({ compressionLevel: 9 }).toBuffer()
  test.each([
    ['a drawing with scripts', async () => svg],
    ['a page', async () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a program', async () => Buffer.from('#!/bin/sh\necho')],
    ['only the beginning of a picture', async () => (await canvas(400, 300).png().toBuffer()).subarray(0, 60)],
    ['a picture of more than 40 million points', bomb],
    ['nothing in it', async () => Buffer.alloc(0)],
    ['a gif', async () => canvas().gif().toBuffer()],
  ])('%s', async (_, file) => {
    const { status, body } = await send({ file: await file() })
    expect([status, body.errors]).toEqual([400, { file: ['not_an_image'] }])
  })

  test('2 MB and more, with the field', async () => {
    const head = await canvas().png().toBuffer()
    const { status, body } = await send({ file: Buffer.concat([head, randomBytes(imageMaxBytes - head.length)]) })
    expect([status, body.errors]).toEqual([413, { file: ['image_too_large'] }])
  })

  test('no file, another field, a second file, another kind', async () => {
    const file = await canvas().png().toBuffer()
    expect((await send({ kind: 'image' })).body.errors).toEqual({ file: ['required'] })
    expect((await send({ file, owner: 'me' })).body.errors).toEqual({ owner: ['unknown_property'] })
    expect((await send({ file, kind: 'database' })).body.errors).toEqual({ kind: ['one_of'] })
    expect((await send({ file, second: file })).status).toBeGreaterThanOrEqual(400)
  })

  test('a body that is not a form', async () => {
    expect((await viewer.send({ method: 'POST', url, payload: { kind: 'image' } })).status).toBe(415)
  })
})

test('a name with a path in it goes nowhere: files are stored under ids', async () => {
  const file = await canvas().png().toBuffer()
  for (const name of ['../../../tmp/evil.png', '..\\evil.png', '/etc/evil.png', '%2e%2e%2fevil.png', 'a\u0000.png'])
    expect((await send({ file }, { name })).status).toBe(200)
  const { dataDir } = t.services.env
  const stored = readdirSync(join(dataDir, 'media'), { recursive: true }).map(String)
  for (const path of stored) expect(path).toMatch(/^[0-9a-f]{2}(\/[0-9a-f-]{36})?$/)
  expect(existsSync('/tmp/evil.png')).toBe(false)
})

test.each([
  '..%2f..%2finstance.key',
  '../instance.key',
  'instance.key',
  '%00',
  '....//instance.key',
  '..\\instance.key',
])('nothing but ids is served: %s', async (id) => {
  const { status, text } = await viewer.send({ url: `/api/v1/media/${id}` })
  expect([400, 404]).toContain(status)
  expect(text).toContain('response_code')
})

describe('without signing in', () => {
  test('a picture is taken while the portal is set up, ten times a minute, and never afterwards', async () => {
    const fresh = await testApp()
    try {
      const file = await canvas().png().toBuffer()
      const publicly = () => send({ file }, {}, fresh.stranger(), '/api/v1/upload/public')
      const statuses = []
      for (let i = 0; i < 11; i++) statuses.push((await publicly()).status)
      expect(statuses).toEqual([...Array(10).fill(200), 429])
    } finally {
      await fresh.close()
    }
    await t.services.db.owner((trx) => trx.updateTable('instance').set({ onboarded_at: new Date() }).execute())
    const file = await canvas().png().toBuffer()
    expect((await send({ file }, {}, t.stranger(), '/api/v1/upload/public')).status).toBe(403)
  })
})
