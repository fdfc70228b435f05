import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { diskNews, judgeDisk, readDisk } from './disk.ts'

/** A volume of a million blocks of 4 KiB, of which 5 % are kept for the system. */
const filled = (share: number) => {
  const usable = 950_000
  const used = Math.round(usable * share)
  return judgeDisk({ blocks: 1_000_000, bfree: 1_000_000 - used, bavail: usable - used, bsize: 4096 })
}

test('a disk is judged by what ordinary users may still write, and says how much must go', () => {
  expect([0.84, 0.85, 0.919, 0.92, 0.969, 0.97, 1].map((share) => filled(share).level)).toEqual([
    ...['ok', 'low', 'low', 'dropping', 'dropping', 'stopped', 'stopped'],
  ])
  expect(filled(0.5).to_free_bytes).toBe(0)
  expect(filled(0.95).to_free_bytes).toBeCloseTo(0.1 * 950_000 * 4096, -5)
})

test('it is measured as df does', async () => {
  const { blocks, bfree, bavail } = statfsSync(tmpdir())
  expect((await readDisk(tmpdir())).use).toBeCloseTo((blocks - bfree) / (blocks - bfree + bavail), 2)
})

test('the log says once what a fuller disk costs, what to do, and that it is over', () => {
  const news = (before: Parameters<typeof diskNews>[0], share: number) => diskNews(before, filled(share), '/data')
  expect(news('ok', 0.5)).toBeNull()
  expect(news('ok', 0.86)).toMatch(/86 % full\. From 92 % .* every hour, from 97 % no event .* Free 0\.0 GB in \/data/)
  expect(news('low', 0.9)).toBeNull()
  expect(news('low', 0.95)).toMatch(/95 % full: its oldest day of events goes every hour\. Free 0\.4 GB/)
  expect(news('dropping', 0.98)).toMatch(/98 % full: no event is stored, they wait on the edge servers\. Free 0\.5 GB/)
  expect(news('stopped', 0.5)).toMatch(/50 % full again/)
})
