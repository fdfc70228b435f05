import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Gauge } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, createServer } from './app.ts'
import { collectMetrics } from './metrics.ts'
import { type TestApp, testApp } from './testing/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

test('figures have a listener of their own on loopback, and are not on the public one', async () => {
  const app = createServer(t.services.env, false)
  const metrics = collectMetrics(app, t.services.env.dataDir)
  await build(app, t.services)
  const listener = await metrics.listen(0)
  await app.inject({ url: '/api/v1/instance/info' })
  const { address, port } = listener.address() as AddressInfo
  expect(address).toBe('127.0.0.1')
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toMatch(
    /^sightline_http_request_seconds_count\{method="GET",route="\/api\/v1\/instance\/info",status="200"\} 1$/m,
  )
  expect(text).toMatch(/^sightline_websockets 0$/m)
  expect(text).toMatch(/^sightline_disk_used_ratio 0\.\d+$/m)
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  const { body } = await app.inject({ url: '/metrics' })
  expect(body).not.toContain('process_resident_memory_bytes')
  listener.close()
  await Promise.all([once(listener, 'close'), app.close()])
})

test('a figure that cannot be read is no number, and one that fails ends its scrape alone', async () => {
  const app = createServer(t.services.env, false)
  const metrics = collectMetrics(app, '/there/is/no/such/folder')
  await build(app, t.services)
  const listener = await metrics.listen(0)
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/metrics`
  expect(await (await fetch(url)).text()).toMatch(/^sightline_disk_used_ratio NaN$/im)
  let isBroken = true
  new Gauge({
    name: 'broken',
    help: 'Fails once',
    registers: [metrics.registry],
    async collect() {
      if (isBroken) throw new Error('no figure')
    },
  })
  expect((await fetch(url)).status).toBe(500)
  isBroken = false
  expect((await fetch(url)).status).toBe(200)
  listener.close()
  await Promise.all([once(listener, 'close'), app.close()])
})
