import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoCamera } from '../camera/testing/demo-camera.ts'
import { disorder, ffmpegMissing, judge } from '../camera/testing/probe-video.ts'
import { watch } from '../camera/testing/watch.ts'
import { keepingLog } from '../testing/records.ts'
import { beginningOf, clipFiles } from './clip.ts'
import { createClips } from './clips.ts'
import { openMediaStore } from './media-store.ts'

const mostBytes = 1e8

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-clips-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = await openMediaStore(folder, clipFiles, mostBytes, () => undefined)
  const log = keepingLog()
  return { folder, store, log, clips: createClips(store, log) }
}

/** The names of the boxes a file consists of. */
function boxes(file: Buffer): string[] {
  const found: string[] = []
  for (let at = 0; at < file.length; ) {
    const small = file.readUInt32BE(at)
    found.push(file.toString('latin1', at + 4, at + 8))
    at += small === 1 ? Number(file.readBigUInt64BE(at + 8)) : small
  }
  return found
}

describe.skipIf(ffmpegMissing)('clips', () => {
  test('what begins together shares one clip from before the first to after the last, and a crash leaves what came so far', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    await expect.poll(() => camera.preRoll().length).toBeGreaterThan(45)
    const { folder, store, log, clips } = await setUp()

    const at = Date.now()
    const before = beginningOf(camera.preRoll(), at - 2000)
    const first = clips.take('a', camera, { at, beforeSeconds: 2, afterSeconds: 2 })
    if ('cause' in first) throw new Error(first.cause)
    expect(first.atSeconds).toBeGreaterThanOrEqual(2)
    const path = join(folder, `${first.id}.mp4.part`)
    const written = async () => boxes(await readFile(path)).filter((name) => name === 'mdat').length
    await expect.poll(written).toBeGreaterThanOrEqual(before.length)
    await new Promise((resolve) => camera.tap(resolve))
    const second = clips.take('a', camera, { at: Date.now(), beforeSeconds: 2, afterSeconds: 3 })
    expect(second).toMatchObject({ id: first.id })
    expect('id' in second && second.atSeconds).toBeGreaterThan(first.atSeconds)
    expect(clips.isWriting(first.id)).toBe(true)
    expect(await store.read(first.id)).toBe(null)

    const after = join(folder, 'after')
    await mkdir(after)
    await copyFile(path, join(after, `${first.id}.mp4.part`))
    const rescued = await openMediaStore(after, clipFiles, mostBytes, () => undefined)
    const cut = await judge((await rescued.read(first.id)) as Buffer)
    expect(cut.complaints).toBe('')
    expect(cut.shown.length).toBeGreaterThanOrEqual(before.length - 1)

    await expect.poll(() => clips.isWriting(first.id)).toBe(false)
    const file = (await store.read(first.id)) as Buffer
    expect(boxes(file)).toEqual(['ftyp', 'mdat', 'moov'])
    const judged = await judge(file)
    expect(judged.complaints).toBe('')
    expect(judged.start).toBe(0)
    expect(judged.packets[0]).toMatchObject({ key: true, pts: 0 })
    expect(disorder(judged)).toEqual([])
    expect(judged.shown.length).toBe(judged.packets.length)
    expect(judged.duration).toBeGreaterThan(first.atSeconds + 2.5)
    expect(judged.duration).toBeLessThan(first.atSeconds + 6)
    expect(log.lines).toEqual([])
  })

  test('a pre-roll of a high rate is in the clip as a whole, and what comes after it too', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    await expect.poll(() => camera.preRoll().length).toBeGreaterThan(24)
    const { store, clips } = await setUp()
    // As large as of 8 Mb/s with key frames ten seconds apart; nobody decodes it.
    const before = camera.preRoll().slice(0, 24)
    const preRoll = before.map((unit) => ({ ...unit, data: Buffer.alloc(1024 * 1024) }))
    const large = { isMasked: () => false, preRoll: () => preRoll, tap: camera.tap }
    const at = preRoll.at(-1)?.at as number
    const taken = clips.take('a', large, { at, beforeSeconds: 60, afterSeconds: 60 })
    if ('cause' in taken) throw new Error(taken.cause)
    for (let unit = 0; unit < 5; unit++) await new Promise((resolve) => camera.tap(resolve))
    expect(clips.isWriting(taken.id)).toBe(true)
    await clips.stop()
    expect((await store.read(taken.id))?.length).toBeGreaterThan(24 * 1024 * 1024)
  })

  test('a clip that is stopped early is kept; a camera without pictures gives none', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    const { store, clips } = await setUp()
    const span = { at: Date.now(), beforeSeconds: 5, afterSeconds: 30 }
    expect(clips.take('a', camera, span)).toEqual({ cause: 'no_video' })
    await until({ state: 'streaming' })
    const taken = clips.take('a', camera, span)
    if ('cause' in taken) throw new Error(taken.cause)
    await new Promise((resolve) => camera.tap(resolve))
    await clips.stop()
    expect((await judge((await store.read(taken.id)) as Buffer)).complaints).toBe('')
  })
})
