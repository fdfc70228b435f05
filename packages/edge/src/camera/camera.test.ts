import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenForFrames } from './frames.ts'
import type { AccessUnit } from './h264.ts'
import { odd, startDemoCamera } from './testing/demo-camera.ts'
import { frameListener } from './testing/frame-listener.ts'
import { sizeOfJpeg } from './testing/probe-video.ts'
import { isAlive, view, watch } from './testing/watch.ts'
import { ticksPerSecond } from './timeline.ts'

describe('a camera that works', () => {
  test('its picture: state, live view, frames for the analysis, snapshot', async () => {
    const demo = await startDemoCamera(odd)
    const { socket, frames } = await frameListener()
    const watched = watch({
      address: demo.address,
      ...odd,
      analysis: { fps: 5, width: 320, height: 320, on_demand: true, socket },
    })
    expect(watched.camera.state()).toMatchObject({ state: 'connecting', cause: null, width: null, fps: null })
    await watched.until({ state: 'streaming', cause: null, codec: 'h264', width: 640, height: 360 })
    await expect.poll(() => Math.abs((watched.camera.state().fps ?? 0) - 15)).toBeLessThan(2)

    await expect.poll(() => frames.length).toBeGreaterThan(10)
    const steps = frames.slice(1).map((frame, i) => frame.pts_ms - (frames[i]?.pts_ms as number))
    // Two of its pictures are 133 ms apart, three 200, four 267: five a second, and where the machine is busy fewer.
    expect(Math.min(...steps)).toBeGreaterThan(130)
    expect(Math.min(...steps)).toBeLessThan(270)
    expect(frames[0]).toMatchObject({ source_id: watched.camera.state().source_id, width: 320, height: 180 })
    expect(Date.now() - (frames.at(-1)?.at as number)).toBeLessThan(10_000)

    const { jpeg, at } = await watched.camera.snapshot()
    expect(jpeg.subarray(0, 2).toString('hex')).toBe('ffd8')
    expect(sizeOfJpeg(jpeg)).toEqual([640, 360])
    expect(Math.abs(Date.now() - at)).toBeLessThan(10_000)
  })

  test('a password appears in no argument, environment, log or state', async () => {
    const demo = await startDemoCamera(odd)
    const watched = watch({ address: demo.address, ...odd })
    await watched.until({ state: 'streaming' })
    const pid = watched.camera.pid() as number
    process.kill(pid, 'SIGSEGV')
    await watched.until({ state: 'offline', cause: 'decoder_crashed' })
    const seen = JSON.stringify([watched.states, watched.logs])
    await watched.until({ state: 'streaming', reconnects: 1 })
    const next = watched.camera.pid() as number
    const told = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${next}/${file}`, 'utf8')).join()
    for (const secret of [odd.password, encodeURIComponent(odd.password)]) {
      expect(seen).not.toContain(secret)
      expect(told).not.toContain(secret)
    }
    expect(watched.logs.length).toBe(1)
  })

  test('a snapshot without an analysis, and again later, shows the present', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    const first = await camera.snapshot()
    await expect.poll(() => Date.now() - first.at).toBeGreaterThan(2500)
    const second = await camera.snapshot()
    expect(second.at - first.at).toBeGreaterThan(1500)
    expect(Math.abs(Date.now() - second.at)).toBeLessThan(10_000)
  })

  test('the analysis can begin, change and end while the picture goes on', async () => {
    const demo = await startDemoCamera()
    const { socket, frames } = await frameListener()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    expect(frames.length).toBe(0)
    camera.setAnalysis({ fps: 5, width: 640, height: 480, on_demand: true, socket })
    await expect.poll(() => frames.at(-1)).toMatchObject({ width: 640, height: 360 })
    camera.setAnalysis({ fps: 2, width: 160, height: 120, on_demand: true, socket })
    await expect.poll(() => frames.at(-1)).toMatchObject({ width: 160, height: 90 })
    camera.setAnalysis(null)
    const newest = () => camera.preRoll().at(-1)?.dts ?? 0
    /** How many of a second of the stream were analysed. */
    const analysed = async () => {
      const [before, from] = [frames.length, newest()]
      await expect.poll(newest).toBeGreaterThan(from + ticksPerSecond)
      return frames.length - before
    }
    await expect.poll(analysed).toBe(0)
    expect(camera.state()).toMatchObject({ state: 'streaming', reconnects: 0 })
  })

  test('units that nobody waits for come together; who comes between gets the rest at once, and then each', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    const newest = () => camera.preRoll().at(-1)?.dts
    /** How often something came, for a second of the stream. */
    const arrivals = async () => {
      const seen: number[] = []
      const timer = setInterval(() => {
        const now = newest()
        if (now !== undefined && now !== seen.at(-1)) seen.push(now)
      }, 5)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      clearInterval(timer)
      const ticks = (seen.at(-1) ?? 0) - (seen[0] ?? 0)
      return ((seen.length - 1) * ticksPerSecond) / ticks
    }
    await expect.poll(arrivals).toBeLessThan(4)

    const before = camera.preRoll()
    const tapped: AccessUnit[] = []
    const untap = camera.tap((unit) => tapped.push(unit))
    await expect.poll(arrivals).toBeGreaterThan(10)
    untap()
    // The first second behind what came before: the camera itself leaves pictures out where it gets no time.
    const joined = [...before.slice(-15), ...tapped.slice(0, 15)]
    const steps = joined.map(({ dts }, i) => dts - (joined[i - 1]?.dts ?? dts)).slice(1)
    expect(Math.max(...steps)).toBeLessThan(1.5 * Math.min(...steps))
    await expect.poll(arrivals).toBeLessThan(4)
  })

  test('a worker that comes back is found again', async () => {
    const demo = await startDemoCamera()
    const lost = await listenForFrames(
      () => undefined,
      () => undefined,
    )
    const { camera, until } = watch({
      address: demo.address,
      analysis: { fps: 5, width: 320, height: 240, on_demand: true, socket: lost.socket },
    })
    await until({ state: 'streaming' })
    await lost.close()
    const { socket, frames } = await frameListener()
    camera.setAnalysis({ fps: 5, width: 320, height: 240, on_demand: true, socket })
    await expect.poll(() => frames.length).toBeGreaterThan(3)
  })

  test('a worker that is too slow gets fewer pictures, always a new one, and every loss is counted', async () => {
    const demo = await startDemoCamera()
    const ages: number[] = []
    const slow = await listenForFrames(
      async ({ at }) => {
        ages.push(Date.now() - at)
        await new Promise((resolve) => setTimeout(resolve, 450))
      },
      () => undefined,
    )
    onTestFinished(slow.close)
    const { paces, until, camera } = watch({
      address: demo.address,
      analysis: { fps: 5, width: 320, height: 240, on_demand: true, socket: slow.socket },
    })
    await until({ state: 'streaming' })
    await expect.poll(() => paces.at(-1)).toMatchObject({ wanted_fps: 5, is_reduced: true })
    await expect.poll(() => ages.length).toBeGreaterThan(12)
    // What waited in a queue would be later each time; the machine may be late with some.
    expect(ages.toSorted((a, b) => a - b)[Math.floor(ages.length / 2)]).toBeLessThan(1000)
    expect(camera.state().drops).toBeGreaterThan(0)
  })
})

describe('processes', () => {
  test('a camera process that dies: its picture is back within 3 s and a key frame; other cameras miss nothing', async () => {
    const demo = await startDemoCamera()
    const other = await startDemoCamera({ scene: 'lobby' })
    const one = watch({ address: demo.address })
    const two = watch({ address: other.address })
    await one.until({ state: 'streaming' })
    await two.until({ state: 'streaming' })
    const { shown } = view(two.camera)
    const killed = performance.now()
    process.kill(one.camera.pid() as number, 'SIGKILL')
    await one.until({ state: 'offline', cause: 'decoder_crashed' })
    await one.until({ state: 'streaming' })
    // The scene gives a key frame every second; the rest is for a process to start on a machine that is busy.
    expect(performance.now() - killed).toBeLessThan(15_000)
    await expect.poll(() => shown.fragments.length).toBeGreaterThan(10)
    expect(two.camera.state()).toMatchObject({ state: 'streaming', reconnects: 0 })
  })

  test('no process stays behind when the nimble is killed', async () => {
    const demo = await startDemoCamera()
    const file = fileURLToPath(new URL('./testing/parent.ts', import.meta.url))
    const parent = fork(file, [demo.address], { execArgv: [] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [pid] = (await once(parent, 'message')) as [number]
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test.skipIf(process.platform !== 'linux')(
    'where memory ends the system takes a camera before its edge server',
    async () => {
      const demo = await startDemoCamera()
      const { camera, until } = watch({ address: demo.address })
      await until({ state: 'streaming' })
      const scoreOf = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))
      const own = scoreOf(process.pid)
      // Where this process is at the top already, there is nothing above it.
      if (own < 1000) expect(scoreOf(camera.pid() as number)).toBeGreaterThan(own)
      else expect(scoreOf(camera.pid() as number)).toBe(own)
    },
  )

  test('stopping takes leave of the camera and leaves no process', async () => {
    const demo = await startDemoCamera()
    const { camera, until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    const pid = camera.pid() as number
    await camera.stop()
    expect(isAlive(pid)).toBe(false)
  })
})
