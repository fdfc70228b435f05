import { get } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { api, type Op } from '@sightline/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { type TestApp, testApp } from './testing/app.ts'

let t: TestApp
let cookie: string
let origin: string
beforeAll(async () => {
  t = await testApp()
  cookie = (await t.signIn('admin')).cookie as string
  const channel = await t.make.channel()
  await t.make.event(channel)
  origin = await t.listen()
})
afterAll(() => t.close())

const path = '/api/v1/event/range?usecase_key=pplcnt&type=2&start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z'

/** The bytes as they come over the wire, and what they say they are. */
const raw = (accepted: string | null, at = path) =>
  new Promise<{ headers: Record<string, string | string[] | undefined>; body: Buffer }>((done, fail) => {
    get(
      `${origin}${at}`,
      { headers: { cookie, ...(accepted !== null && { 'accept-encoding': accepted }) } },
      (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => done({ headers: answer.headers, body: Buffer.concat(parts) }))
      },
    ).on('error', fail)
  })

test('a chart comes in the coding that the caller takes, and is the same in each', async () => {
  const plain = await raw(null)
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'content-type': 'application/json; charset=utf-8' })
  expect(JSON.parse(plain.body.toString()).response.series[0].points).toHaveLength(96)
  for (const [accepted, coding, open] of [
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, GZIP;q=0.5', 'gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await raw(accepted)
    expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'accept-encoding' })
    expect(body.length).toBeLessThan(plain.body.length / 10)
    expect(open(body).toString()).toBe(plain.body.toString())
  }
  expect((await raw('gzip;q=0, identity')).headers['content-encoding']).toBeUndefined()
})

test('no answer with a secret is compressed', async () => {
  const rows: Op[] = Object.values(api).flatMap((feature) => Object.values(feature))
  const squeezed = rows.filter((row) => row.compressed)
  expect(squeezed.map((row) => row.path)).toContain('/event/range')
  const secret = /"(csrf_token|token|license_key|public_key)"/
  const shape = (row: Op) => JSON.stringify(z.toJSONSchema(row.output, { unrepresentable: 'any' }))
  expect(rows.filter((row) => row.path === '/user/info').map(shape)[0]).toMatch(secret)
  for (const row of squeezed) expect(shape(row), row.path).not.toMatch(secret)
  const { headers, body } = await raw('gzip, br', '/api/v1/user/info')
  expect(headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(body.toString()).response.csrf_token).toEqual(expect.any(String))
})
