import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { NimbleSays } from '@sightline/contract/supervisor'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nimble-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

function start(variables: Record<string, string> = {}) {
  const child = fork(join(import.meta.dirname, 'main.ts'), [], {
    env: { PATH: process.env.PATH, NIMBLE_DATA_DIR: folder, NIMBLE_PORT: '0', ...variables },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  children.push(child)
  return child
}
const said = async (child: ChildProcess) => ((await once(child, 'message')) as [NimbleSays])[0]

describe('the nimble', () => {
  test.each(['SIGTERM', 'SIGINT', 'disconnect'] as const)('ends in order on %s, within ten seconds', async (how) => {
    const child = start()
    expect(await said(child)).toMatchObject({ type: 'ready', port: expect.any(Number) })
    const begun = performance.now()
    if (how === 'disconnect') child.disconnect()
    else child.kill(how)
    await once(child, 'exit')
    expect([child.exitCode, child.signalCode]).toEqual([0, null])
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  test('takes a Ctrl-C that reaches it by several ways for one wish', async () => {
    const child = start()
    await said(child)
    const exited = once(child, 'exit')
    // Signals that wait to be heard are one.
    for (let i = 0; i < 3; i++) {
      child.kill('SIGINT')
      await setTimeout(5)
    }
    await exited
    expect([child.exitCode, child.signalCode]).toEqual([0, null])
  })

  test.each([
    ['a port that is taken', 'is taken by another program', takenPort],
    ['a port that is none', 'NIMBLE_PORT is "99999"', async () => ({ NIMBLE_PORT: '99999' })],
    [
      'an address that this machine lacks',
      'has no address 198.51.100.1',
      async () => ({ NIMBLE_HOST: '198.51.100.1' }),
    ],
    ['a folder that is a file', 'Cannot use the data folder', async () => fileAsFolder()],
    ['a folder that another one uses', 'Another edge server already runs', otherNimble],
  ])('says in one sentence what is wrong with %s', async (_, words, prepare) => {
    const child = start(await prepare())
    const errors = text(child.stderr as NonNullable<typeof child.stderr>)
    const [message] = await Promise.all([said(child), once(child, 'exit')])
    expect(message).toMatchObject({ type: 'failed', sentence: expect.stringContaining(words) })
    expect(child.exitCode).toBe(1)
    expect((await errors).trim().split('\n').at(-1)).toContain(words)
  })
})

async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return { NIMBLE_PORT: String((server.address() as { port: number }).port) }
}

function fileAsFolder() {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  return { NIMBLE_DATA_DIR: join(file, 'data') }
}

async function otherNimble() {
  await said(start())
  return {}
}
