import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLogFile } from './log-file.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const line = (n: number) => Buffer.from(`${String(n).padStart(99, '0')}\n`)

test('a log that grows while the program runs stays within twice its bound and loses nothing of the last', () => {
  const log = openLogFile(dir, 'nimble', 1000, (error) => expect.unreachable(error.message))
  for (let n = 0; n < 57; n++) log.write(line(n))
  log.close()
  const now = readFileSync(join(dir, 'nimble.log'), 'utf8')
  const before = readFileSync(join(dir, 'nimble.log.1'), 'utf8')
  expect(now.length).toBeLessThanOrEqual(1000)
  expect(before.length).toBeLessThanOrEqual(1000)
  expect((before + now).trimEnd().split('\n').map(Number)).toEqual(Array.from({ length: 17 }, (_, i) => 40 + i))
  if (process.platform !== 'win32') expect(statSync(join(dir, 'nimble.log')).mode & 0o777).toBe(0o600)
})

test('it goes on where an earlier run stopped', () => {
  const trouble = (error: Error) => expect.unreachable(error.message)
  for (const n of [1, 2]) {
    const log = openLogFile(dir, 'portal', 1000, trouble)
    log.write(line(n))
    log.close()
  }
  expect(readFileSync(join(dir, 'portal.log'), 'utf8')).toBe(`${line(1)}${line(2)}`)
})

test('what cannot be written is said once, and does no harm', () => {
  const log = openLogFile(dir, 'portal', 1000, (error) => troubles.push(error.message))
  const troubles: string[] = []
  rmSync(dir, { recursive: true })
  log.write(line(1))
  log.write(line(2))
  expect(troubles.length).toBe(1)
  log.close()
  dir = mkdtempSync(join(tmpdir(), 'log-'))
})
