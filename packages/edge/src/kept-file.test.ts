import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { keptFile, seldomFile } from './kept-file.ts'
import { keepingLog, until } from './testing/records.ts'

function setUp(everyMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'value.json')
  const file = seldomFile(keptFile(path, z.number(), keepingLog()), everyMs)
  return { file, read: () => JSON.parse(readFileSync(path, 'utf8')), inode: () => statSync(path).ino }
}

test('what changes often is on disk at once, then seldom, and at the end as it is', async () => {
  const { file, read, inode } = setUp(3000)
  file.save(1)
  expect(read()).toBe(1)
  const first = inode()
  for (let value = 2; value <= 50; value++) file.save(value)
  expect([read(), inode()]).toEqual([1, first])
  await until(() => read() === 50, 'the newest is written by itself')
  file.save(51)
  file.flush()
  expect(read()).toBe(51)
  const last = inode()
  file.flush()
  expect(inode()).toBe(last)
})
