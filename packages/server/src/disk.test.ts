import { type StatsFs, statfsSync } from 'node:fs'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { DiskLevel } from '@sightline/domain'
import { expect, test, vi } from 'vitest'
import { diskNews, judgeDisk, readDisk } from './disk.ts'

/** A volume of a million blocks of 4 KiB, of which 5 % are kept for the system. */
const filled = (share: number, before: DiskLevel = 'ok') => {
  const usable = 950_000
  const used = Math.round(usable * share)
  return judgeDisk({ blocks: 1_000_000, bfree: 1_000_000 - used, bavail: usable - used, bsize: 4096 }, before)
}

test('a disk is judged by what ordinary users may still write, and says how much must go', () => {
  expect([0.84, 0.85, 0.919, 0.92, 0.969, 0.97, 1].map((share) => filled(share).level)).toEqual([
    ...['ok', 'low', 'low', 'dropping', 'dropping', 'stopped', 'stopped'],
  ])
  expect(filled(0.5).to_free_bytes).toBe(0)
  expect(filled(0.95).to_free_bytes).toBeCloseTo(0.11 * 950_000 * 4096, -5)
})

test('a volume of which nobody may write anything is full, and stays so', () => {
  const none = { blocks: 0, bfree: 0, bavail: 0, bsize: 4096 }
  for (const before of ['ok', 'stopped'] as const) expect(judgeDisk(none, before).level).toBe('stopped')
})

test('it is told at its mark, and taken back only when it is clearly below', () => {
  const course = (shares: number[]) => {
    let level: DiskLevel = 'ok'
    return shares.map((share) => {
      level = filled(share, level).level
      return level
    })
  }
  expect(course([0.8499, 0.8501, 0.8499, 0.8405, 0.8501, 0.839, 0.8499])).toEqual([
    ...['ok', 'low', 'low', 'low', 'low', 'ok', 'ok'],
  ])
  expect(course([0.9701, 0.965, 0.959, 0.915, 0.909, 0.5])).toEqual([
    ...['stopped', 'stopped', 'dropping', 'dropping', 'low', 'ok'],
  ])
})

test('whoever frees just what is asked for is rid of the warning, and it stays away until its mark', () => {
  for (const usable of [950_000, 1_000_000, 777_777, 1_234_567]) {
    const judge = (used: number, before: DiskLevel) =>
      judgeDisk({ blocks: usable, bfree: usable - used, bavail: usable - used, bsize: 4096 }, before)
    const used = Math.round(usable * 0.9)
    const { level, to_free_bytes } = judge(used, 'low')
    expect([level, to_free_bytes]).toEqual(['low', expect.closeTo(0.06 * usable * 4096, -5)])
    const left = used - Math.ceil(to_free_bytes / 4096)
    expect(judge(left + 1, 'low').level).toBe('low')
    expect(judge(left, 'low')).toMatchObject({ level: 'ok', to_free_bytes: 0 })
    expect(judge(left + 1, 'ok').level).toBe('ok')
    const mark = Math.ceil(usable * 0.85)
    expect([judge(mark - 1, 'ok').level, judge(mark, 'ok').level, judge(mark - 1, 'low').level]).toEqual([
      ...['ok', 'low', 'low'],
    ])
  }
})

test('whoever asks for a disk gets the level that it has by its course', async () => {
  const statfs = vi.spyOn(fs, 'statfs')
  const folder = '/a volume of its own'
  for (const [share, level] of [
    [0.845, 'ok'],
    [0.86, 'low'],
    [0.845, 'low'],
    [0.83, 'ok'],
  ] as const) {
    const used = Math.round(1_000_000 * share)
    const stat = { blocks: 1_000_000, bfree: 1_000_000 - used, bavail: 1_000_000 - used, bsize: 4096 }
    statfs.mockResolvedValueOnce(stat as unknown as StatsFs)
    expect((await readDisk(folder)).level).toBe(level)
  }
  statfs.mockRestore()
})

test('it is measured as df does', async () => {
  const { blocks, bfree, bavail } = statfsSync(tmpdir())
  expect((await readDisk(tmpdir())).use).toBeCloseTo((blocks - bfree) / (blocks - bfree + bavail), 2)
})

test('the log says once what a fuller disk costs, what to do, and that it is over', () => {
  const news = (before: Parameters<typeof diskNews>[0], share: number) => diskNews(before, filled(share), '/data')
  expect(news('ok', 0.5)).toBeNull()
  expect(news('ok', 0.86)).toMatch(/86 % full\. From 92 % .* every hour, from 97 % no event .* Free 0\.1 GB in \/data/)
  expect(news('low', 0.9)).toBeNull()
  expect(news('low', 0.95)).toMatch(/95 % full: its oldest day of events goes every hour\. Free 0\.4 GB/)
  expect(news('dropping', 0.98)).toMatch(/98 % full: no event is stored, they wait on the edge servers\. Free 0\.5 GB/)
  expect(news('stopped', 0.5)).toMatch(/50 % full again/)
})
