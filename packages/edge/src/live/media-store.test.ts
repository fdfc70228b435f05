import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from '@sightline/domain'
import { expect, onTestFinished, test } from 'vitest'
import { openMediaStore, pictureFiles } from './media-store.ts'

const newId = () => uuidv7(Date.now(), randomBytes(10))
const kib = (count: number) => Buffer.alloc(count * 1024, 7)

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'sightline-media-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
async function opened(directory: string, maxBytes = 100 * 1024) {
  const logs: string[] = []
  const store = await openMediaStore(directory, pictureFiles, maxBytes, (text) => logs.push(text))
  return { store, logs }
}

test('a snapshot is read back by its id, also after a restart', async () => {
  const directory = await temporary()
  const { store } = await opened(directory)
  const id = newId()
  expect(await store.save(id, kib(3))).toBe(true)
  expect(await store.read(id)).toEqual(kib(3))
  const again = await opened(directory)
  expect(await again.store.read(id)).toEqual(kib(3))
  expect(again.store.usage()).toEqual({ files: 1, bytes: 3 * 1024 })
  await again.store.remove(id)
  expect(await again.store.read(id)).toBe(null)
  expect(await readdir(directory)).toEqual([])
})

test('the oldest go first when there are too many', async () => {
  const { store } = await opened(await temporary())
  const ids = Array.from({ length: 12 }, newId)
  for (const id of ids) expect(await store.save(id, kib(10))).toBe(true)
  expect(store.usage().bytes).toBeLessThanOrEqual(100 * 1024)
  expect(await store.read(ids[0] as string)).toBe(null)
  expect(await store.read(ids[11] as string)).toEqual(kib(10))
  expect(await store.save(newId(), kib(101))).toBe(false)
})

test('what is too old goes', async () => {
  const directory = await temporary()
  const [old, young] = [newId(), newId()]
  const first = await opened(directory)
  await first.store.save(old, kib(1))
  await first.store.save(young, kib(1))
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000)
  await utimes(join(directory, `${old}.jpg`), eightDaysAgo, eightDaysAgo)
  const { store } = await opened(directory)
  await store.sweep(9)
  expect(await store.read(old)).not.toBe(null)
  await store.sweep(7)
  expect(await store.read(old)).toBe(null)
  expect(await store.read(young)).not.toBe(null)
})

test('an id that is no UUID never becomes a path', async () => {
  const { store } = await opened(await temporary())
  await expect(store.save('../../etc/cron.d/x', kib(1))).rejects.toThrow('not a UUID')
  expect(await store.read('../../etc/passwd')).toBe(null)
})

test('what a crash left half written is removed, foreign files are left alone', async () => {
  const directory = await temporary()
  await writeFile(join(directory, `${newId()}.jpg.part`), 'x')
  await writeFile(join(directory, 'notes.txt'), 'x')
  const { store } = await opened(directory)
  expect(store.usage().files).toBe(0)
  expect(await readdir(directory)).toEqual(['notes.txt'])
})

/** A file system of 256 KiB; needs the right to mount. */
function smallDisk(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', directory], { stdio: 'ignore' })
    onTestFinished(() => void execFileSync('umount', ['-l', directory]))
    return true
  } catch {
    return false
  }
}

test('a full disk costs the oldest snapshots, then new ones, with one complaint, and heals by itself', async ({
  skip,
}) => {
  const directory = await temporary()
  if (!smallDisk(directory)) skip('needs the right to mount a small file system')
  const { store, logs } = await opened(directory, 1e9)
  const ids = Array.from({ length: 12 }, newId)
  for (const id of ids) expect(await store.save(id, kib(28))).toBe(true)
  expect(await store.read(ids[0] as string)).toBe(null)
  for (const id of ids) await store.remove(id)

  await writeFile(join(directory, 'ballast'), kib(240))
  expect(await store.save(newId(), kib(28))).toBe(false)
  expect(await store.save(newId(), kib(28))).toBe(false)
  expect(logs).toEqual(['The disk is full: snapshots are no longer kept. Events are.'])
  expect(await readdir(directory)).toEqual(['ballast'])
  await rm(join(directory, 'ballast'))
  expect(await store.save(newId(), kib(28))).toBe(true)
})
