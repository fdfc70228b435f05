import { describe, expect, test } from 'vitest'
import { startDemoCamera } from '../camera/testing/demo-camera.ts'
import { disorder, ffmpegMissing, judge, sizeOfJpeg } from '../camera/testing/probe-video.ts'
import { view, watch } from '../camera/testing/watch.ts'
import { clipOf } from './testing/clip-of.ts'

describe.skipIf(ffmpegMissing)('live view', () => {
  test('joining shows a picture at once, and all that is sent decodes in order', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    await expect.poll(() => camera.preRoll().length).toBeGreaterThan(8)
    const { shown } = view(camera)
    expect(shown.init.length).toBe(1)
    expect(shown.keys[0]).toBe(true)
    expect(shown.mimes[0]).toMatch(/^video\/mp4; codecs="avc1\.[0-9a-f]{6}"$/)
    await expect.poll(() => shown.fragments.length).toBeGreaterThan(40)
    const count = shown.fragments.length
    const judged = await judge(Buffer.concat([...shown.init, ...shown.fragments]))
    expect(judged.complaints).toBe('')
    expect(disorder(judged)).toEqual([])
    expect(judged.shown.length).toBe(count)
  })

  test('a viewer who cannot follow misses pictures up to a key frame; another misses none', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    let unsent = 0
    const slow = view(camera, 'fmp4', () => unsent)
    const quick = view(camera)
    const missed = quick.shown.fragments.length
    unsent = 3e6
    await expect.poll(() => quick.shown.fragments.length).toBeGreaterThan(missed + 5)
    const stopped = slow.shown.fragments.length
    unsent = 0
    await expect.poll(() => slow.shown.fragments.length).toBeGreaterThan(stopped)
    expect(slow.shown.keys[stopped]).toBe(true)
    const judged = await judge(Buffer.concat([...quick.shown.init, ...quick.shown.fragments]))
    expect(judged.complaints).toBe('')
    expect(disorder(judged)).toEqual([])
  })

  test('pictures for viewers without a decoder, at five a second at most, only while one looks', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    const { shown, stop } = view(camera, 'mjpeg')
    await expect.poll(() => shown.jpegs.length).toBeGreaterThan(10)
    const [first = 0, last = 0] = [shown.jpegTimes[0], shown.jpegTimes.at(-1)]
    expect((shown.jpegTimes.length - 1) / ((last - first) / 1000)).toBeLessThan(6)
    expect(sizeOfJpeg(shown.jpegs[0] as Buffer)).toEqual([640, 360])
    stop()
    const before = shown.jpegs.length
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(shown.jpegs.length).toBe(before)
  })

  test('the time line goes on over a reconnect, with a new beginning for viewers', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    const { shown } = view(camera)
    await expect.poll(() => shown.fragments.length).toBeGreaterThan(15)
    process.kill(camera.pid() as number, 'SIGKILL')
    await until({ state: 'streaming', reconnects: 1 })
    const before = shown.fragments.length
    await expect.poll(() => shown.fragments.length).toBeGreaterThan(before + 15)
    const judged = await judge(Buffer.concat([...shown.init, ...shown.fragments]))
    expect(judged.complaints).toBe('')
    expect(disorder(judged)).toEqual([])
  })

  test('a clip begins with a key frame at 0 and is as long as what was kept', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address, preRollSeconds: 3 })
    await until({ state: 'streaming' })
    await expect.poll(() => camera.preRoll().length).toBeGreaterThan(45)
    const units = camera.preRoll()
    const judged = await judge(clipOf(units))
    expect(judged.complaints).toBe('')
    expect(judged.start).toBe(0)
    expect(judged.packets[0]?.key).toBe(true)
    expect(judged.shown.length).toBe(units.length)
    expect(Math.abs(judged.duration - units.length / 15)).toBeLessThan(0.3)
  })

  test('a camera that is removed says so to its viewers', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    const { shown } = view(camera)
    await camera.stop()
    expect(shown.ended).toBe(1)
  })
})
