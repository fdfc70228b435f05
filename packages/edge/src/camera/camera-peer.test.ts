import { describe, expect, onTestFinished, test } from 'vitest'
import { clipOf } from '../live/testing/clip-of.ts'
import { odd } from './testing/demo-camera.ts'
import { frameListener } from './testing/frame-listener.ts'
import { gstMissing, pipelines, startGst } from './testing/gst.ts'
import { disorder, ffmpegMissing, judge, sizeOfJpeg } from './testing/probe-video.ts'
import { view, watch } from './testing/watch.ts'

describe.skipIf(gstMissing ?? ffmpegMissing)('a camera of another make (gst-rtsp-server)', () => {
  const gst = async (...arguments_: Parameters<typeof startGst>) => {
    const camera = await startGst(...arguments_)
    onTestFinished(camera.stop)
    return camera
  }

  test.each([true, false])('with credentials, Digest: %s', async (digest) => {
    const camera = await gst(pipelines.h264, { ...odd, digest })
    const good = watch({ address: camera.address, ...odd })
    await good.until({ state: 'streaming', width: 640, height: 480 })
    const bad = watch({ address: camera.address, ...odd, password: 'wrong' })
    await bad.until({ state: 'refused', cause: 'bad_credentials' })
  })

  test('H.265 is refused by name', async () => {
    const camera = await gst(pipelines.h265)
    const { until } = watch({ address: camera.address })
    await until({ state: 'refused', cause: 'not_h264:hevc', codec: 'hevc' })
  })

  test('no such stream', async () => {
    const camera = await gst(pipelines.h264)
    const { until } = watch({ address: camera.address.replace('stream1', 'none') })
    await until({ state: 'offline', cause: 'no_stream' })
  })

  test('B-frames: every picture in its order, live and in clips, and the analysis sees them in even steps', async () => {
    const camera = await gst(pipelines.bFrames)
    const { socket, frames } = await frameListener()
    const watched = watch({
      address: camera.address,
      analysis: { fps: 5, width: 320, height: 240, on_demand: true, socket },
    })
    await watched.until({ state: 'streaming' })
    const { shown } = view(watched.camera)
    await expect.poll(() => shown.fragments.length).toBeGreaterThan(60)
    const live = await judge(Buffer.concat([...shown.init, ...shown.fragments]))
    expect(live.types).toContain('B')
    expect(live.complaints).toBe('')
    expect(disorder(live)).toEqual([])
    expect(live.packets.every(({ pts, dts }) => pts >= dts)).toBe(true)

    const clip = await judge(clipOf(watched.camera.preRoll()))
    expect(clip.complaints).toBe('')
    expect(disorder(clip)).toEqual([])
    expect(clip.start).toBe(0)

    const times = frames.map(({ pts_ms }) => pts_ms)
    const steps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(Math.min(...steps)).toBeGreaterThan(130)
    // 2 a second on a machine that is busy with other things.
    expect(Math.max(...steps)).toBeLessThan(600)
  })

  test('a change of the picture size reaches viewers, the analysis and the state', async () => {
    const camera = await gst(pipelines.h264)
    const { socket, frames } = await frameListener()
    const watched = watch({
      address: camera.address,
      analysis: { fps: 5, width: 640, height: 480, on_demand: true, socket },
    })
    await watched.until({ state: 'streaming', width: 640, height: 480 })
    const { shown } = view(watched.camera)
    camera.shrink()
    await watched.until({ state: 'streaming', width: 320, height: 240, reconnects: 0 })
    await expect.poll(() => frames.at(-1)).toMatchObject({ width: 320, height: 240 })
    expect(shown.init.length).toBe(2)
    expect(sizeOfJpeg((await watched.camera.snapshot()).jpeg)).toEqual([320, 240])
    const before = shown.fragments.length
    await expect.poll(() => shown.fragments.length).toBeGreaterThan(before + 15)
    const clip = await judge(clipOf(watched.camera.preRoll()))
    expect(clip.sizes).toEqual(['320x240'])
    expect(clip.complaints).toBe('')
  })
})
