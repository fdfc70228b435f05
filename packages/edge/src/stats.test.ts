import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { nimbleStats } from '@sightline/contract/edge'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from './clock.ts'
import { Journal } from './journal.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { createStats } from './stats.ts'
import { keepingLog, testRecords } from './testing/records.ts'

const nothing = { inference_ms: null, fps: 0, expected_fps: 0, drops: 0, reconnects: 0 }

/** All that is counted, with room for a few frames only. */
async function parts() {
  const folder = mkdtempSync(join(tmpdir(), 'stats-'))
  const log = keepingLog()
  const journal = new Journal(join(folder, 'journal.db'), { log, maxBytes: 60_000 })
  onTestFinished(() => {
    journal.close()
    rmSync(folder, { recursive: true })
  })
  const media = await openMediaStore(join(folder, 'media'), pictureFiles, 1e6, () => undefined)
  return { folder, journal, stores: [media] }
}

test('each figure moves with what it is about', async () => {
  const { folder, journal, stores } = await parts()
  let wall = 1_000_000
  const clock = createClock(
    0,
    () => undefined,
    () => wall,
    () => wall,
  )
  const work = { ...nothing }
  const stats = createStats(folder, { journal, stores, clock, work: () => work })
  const idle = nimbleStats.parse(await stats())
  expect(idle).toMatchObject({ queue: 0, journal_events: 0, clock_offset_ms: 0, lost_events: 0, inference_ms: null })
  const { bavail, bsize } = statfsSync(folder)
  expect(Math.abs(idle.disk_free_bytes / (bavail * bsize) - 1)).toBeLessThan(0.1)

  journal.append(testRecords(20))
  journal.flush()
  expect(await stats()).toMatchObject({ queue: 20, journal_events: 20 })

  clock.measured(7_200_000, 10)
  wall += 10
  expect((await stats()).clock_offset_ms).toBe(7_200_000)
  for (let i = 0; i < 40; i++) {
    journal.append(testRecords(200))
    journal.flush()
  }
  expect((await stats()).lost_events).toBeGreaterThan(0)
  Object.assign(work, { fps: 4.9, expected_fps: 5, inference_ms: 40, drops: 3, reconnects: 1 })
  const later = await stats()
  expect(later).toMatchObject(work)
  expect(later.memory_bytes).toBeGreaterThan(0)
})

test('the share of the CPU is that of the time since the call before', async () => {
  const { folder, ...rest } = await parts()
  const stats = createStats(folder, { ...rest, clock: createClock(0, () => undefined), work: () => nothing })
  const end = performance.now() + 1000
  while (performance.now() < end) Math.sqrt(end)
  const { cpu } = await stats()
  // One core of this machine's was busy all the time.
  expect(cpu).toBeGreaterThan(0.7 / cpus().length)
  expect(cpu).toBeLessThanOrEqual(1)
})
