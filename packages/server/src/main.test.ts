import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'sl-main-'))
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(variables: Record<string, string>) {
  const child = fork(program, {
    env: { PATH: process.env.PATH, PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  })
  children.push(child)
  return {
    child,
    said: once(child, 'message').then(([message]) => message),
    log: text(child.stdout!),
    words: text(child.stderr!),
    ended: once(child, 'exit').then(([code]) => code as number | null),
  }
}

test('says its address and the setup token, keeps the log JSON and the token out of it, and stops with 0', async () => {
  const portal = run({ DATA_DIR: join(folder, 'first') })
  const ready = await portal.said
  expect(ready).toMatchObject({ type: 'ready', address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  expect(ready.setup_token).toMatch(/^[\w-]{43}$/)
  const { address, setup_token } = ready
  expect((await fetch(`${address}/health/ready`)).status).toBe(200)

  const person = { firstname: 'Ada', lastname: 'First', email: 'ada@example.org', username: 'ada.first' }
  const password = 'Correct-Horse-7'
  const headers = { origin: address, 'content-type': 'application/json' }
  const register = (token: string) =>
    fetch(`${address}/api/v1/user/register`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...person, password, confirm_password: password, token }),
    })
  expect((await register('wrong')).status).toBe(403)
  expect((await register(setup_token)).status).toBe(201)
  const signedIn = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: person.username, password }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] as string
  const socket = new WebSocket(`${address.replace('http', 'ws')}/api/v1/stream`, {
    headers: { cookie, origin: address },
  })
  await once(socket, 'message')

  const closed = once(socket, 'close')
  // A service manager tells the start command and the portal; the one tells the other, a little later: two at once may be one.
  portal.child.kill('SIGTERM')
  await pause(300)
  portal.child.kill('SIGTERM')
  expect((await closed)[0]).toBe(1001)
  expect(await portal.ended).toBe(0)
  const log = await portal.log
  for (const line of log.trimEnd().split('\n')) expect(() => JSON.parse(line), line).not.toThrow()
  for (const secret of [setup_token, password, cookie.split('=')[1] as string]) expect(log).not.toContain(secret)
  expect(await portal.words).toBe('')

  const again = run({ DATA_DIR: join(folder, 'first') })
  expect(await again.said).toMatchObject({ type: 'ready', setup_token: null })
  again.child.disconnect()
  expect(await again.ended).toBe(0)
})

test('a stop answers every accepted request, tells every socket, and takes no more', async () => {
  const portal = run({ DATA_DIR: join(folder, 'busy') })
  const { address } = await portal.said
  const origin = address
  const headers = { origin, 'content-type': 'application/json' }
  // Each takes a password hash, four at a time: the others are under way when the signal comes.
  const body = (i: number) => JSON.stringify({ username: `nobody.${i}`, password: 'Wrong-Horse-7' })
  const open = Array.from({ length: 10 }, (_, i) =>
    fetch(`${address}/api/v1/auth/login`, { method: 'POST', headers, body: body(i) }).then(({ status }) => status),
  )
  await Promise.all(open.slice(0, 4))
  portal.child.kill('SIGTERM')
  expect(new Set(await Promise.all(open))).toEqual(new Set([401]))
  // After ten seconds it would have been ended, with 1.
  expect(await portal.ended).toBe(0)
  await expect(fetch(`${address}/health/live`)).rejects.toThrow()
})

describe('says in one sentence why it cannot start, and ends with 1', () => {
  const file = join(folder, 'a file')
  writeFileSync(file, '')
  test.each([
    ['a variable', { PORT: 'web' }, /^PORT is "web", but must be a whole number from 0 to 65535\.$/],
    ['the data folder', { DATA_DIR: join(file, 'data') }, /^Cannot write to the data folder .* Set DATA_DIR to /],
    [
      'the database',
      { DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/none', DATA_DIR: join(folder, 'none') },
      /^The database 127\.0\.0\.1:1\/none cannot be reached: .* Check DATABASE_URL\.$/,
    ],
  ])('%s', async (_, variables, sentence) => {
    const portal = run(variables)
    expect(await portal.said).toEqual({ type: 'failed', sentence: expect.stringMatching(sentence) })
    expect(await portal.ended).toBe(1)
    const words = await portal.words
    expect(words.trimEnd().split('\n')).toHaveLength(1)
    expect(words).not.toContain('hidden')
  })

  test('a taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const portal = run({ PORT: String(port), DATA_DIR: join(folder, 'second') })
    expect(await portal.said).toEqual({
      type: 'failed',
      sentence: `Port ${port} is taken by another program. Stop that one, or set PORT to another number.`,
    })
    expect(await portal.ended).toBe(1)
    other.close()
  })
})
