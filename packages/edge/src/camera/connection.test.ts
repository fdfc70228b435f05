import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openConnection } from './connection.ts'
import { startDemoCamera } from './testing/demo-camera.ts'
import { isAlive } from './testing/watch.ts'

test('thirty connections leave nothing behind: no process, no descriptor, no memory', async () => {
  const demo = await startDemoCamera()
  const pids: number[] = []
  const once = async (take: boolean) => {
    let keys = 0
    const { port } = demo
    const connection = openConnection(
      {
        type: 'open',
        ip: '127.0.0.1',
        port,
        path: '/stream1',
        username: null,
        password: null,
        transport: 'tcp',
        start_ms: 1000,
        masks: [],
      },
      (message) => {
        if (message.type === 'units') keys += message.units.filter(({ key }) => key).length
      },
      console.error,
    )
    pids.push(connection.pid as number)
    if (take) {
      await expect.poll(() => keys, { interval: 20 }).toBeGreaterThan(0)
      expect((await connection.snapshot()).jpeg.length).toBeGreaterThan(1000)
    }
    await connection.close()
  }
  const descriptors = () => readdirSync('/proc/self/fd').length
  for (let i = 0; i < 5; i++) await once(true)
  const before = { memory: process.memoryUsage().rss, descriptors: descriptors() }
  for (let i = 0; i < 25; i++) await once(i % 2 === 0)
  const grown = process.memoryUsage().rss - before.memory
  expect(pids.filter(isAlive)).toEqual([])
  expect(descriptors()).toBeLessThanOrEqual(before.descriptors + 2)
  expect(grown).toBeLessThan(30 * 1024 * 1024)
}, 300_000)
