/**
 * The live picture, from the camera to a page in Chromium: how old what is shown is, what a viewer costs, and whether the
 * bytes are the camera's own. Portal and edge server are the real programs; the camera is not counted.
 */
import { readFileSync } from 'node:fs'
import { openBrowser, openPage } from '../e2e/browser.ts'
import { freePort, until } from '../e2e/product.ts'
import { scenePath } from './clips.ts'
import { cpuMeter, type Figure, median, percentile, wait } from './measure.ts'
import { startCameras, startNimble, startPortal, startProgram } from './process.ts'
import type { Run } from './run.ts'
import { seedStore } from './store.ts'
import { framesOf, openViewer, slicesOf, type Viewer } from './viewer.ts'

const scene = { path: scenePath('lobby'), width: 640, height: 360, fps: 15 }
const ticksPerSecond = 90_000
const many = 4

export async function live(run: Run): Promise<Figure[]> {
  const { cameras } = await startCameras(run, [scene])
  const camera = cameras[0] as (typeof cameras)[number]
  const dataDir = run.folder()
  const nimblePort = await freePort()
  const store = await seedStore({
    dataDir,
    nimblePort,
    cameras: [{ name: 'Lobby', address: camera.address, usecases: [] }],
  })
  const nimble = await startNimble(run, { dataDir, port: nimblePort, isLocal: true, cameraPorts: [camera.port] })
  const portal = await startPortal(run, { dataDir, nimblePort })
  const deviceId = store.devices[0]?.device_id as string
  const view = async (): Promise<Viewer> => {
    const viewer = await openViewer(portal.origin, store.cookies[0] as string, deviceId)
    run.atEnd(viewer.close)
    await until('the live picture comes', () => viewer.shown.length > 0)
    return viewer
  }
  const first = await view()
  first.close()

  /* What a viewer costs: nobody looks, one does, many do; no analysis runs. */
  const seconds = run.quick ? 5 : 10
  const cost: Record<'none' | 'one' | 'many', number[]> = { none: [], one: [], many: [] }
  const counts = { none: 0, one: 1, many } as const
  for (let round = 0; round < (run.quick ? 1 : 3); round++)
    for (const kind of ['none', 'one', 'many'] as const) {
      const viewers = await Promise.all(Array.from({ length: counts[kind] }, view))
      await wait(1000)
      const meter = cpuMeter(() => [portal.pid, portal.databasePid(), nimble.pid])
      await wait(seconds * 1000)
      cost[kind].push((meter.stop() / seconds) * 100)
      for (const viewer of viewers) viewer.close()
    }
  const alone = median(cost.none)

  /* How old the picture on the page is, with people counted and boxes drawn. */
  await countPeople(portal.origin, store.cookies[0] as string, deviceId)
  const viewer = await view()
  const page = await watchInBrowser(
    run,
    `${portal.origin}/device/view?did=${deviceId}`,
    portal.origin,
    store.cookies[0] as string,
  )
  const shown = await page((run.quick ? 8 : 24) * 1000)
  viewer.close()

  const frameAt = (at: number) => Math.floor(((at - camera.startedAt) * scene.fps) / 1000)
  const sentAt = (frame: number) => camera.startedAt + (frame * 1000) / scene.fps
  const frames = framesOf(viewer.shown, slicesOf(readFileSync(scene.path)), frameAt)
  const frameOf = new Map(viewer.shown.map(({ pts }, i) => [pts, frames?.[i]]))
  const pictures = shown.pictures.map(({ mediaTime, at }) => ({
    at,
    frame: frameOf.get(Math.round(mediaTime * ticksPerSecond)),
  }))
  const known = pictures.filter((picture) => picture.frame !== undefined) as { at: number; frame: number }[]
  const latencies = known.map(({ at, frame }) => at - sentAt(frame))
  const joined = shown.pictures[0]?.at ?? 0
  const onTheWay = viewer.shown.flatMap(({ receivedAt }, i) =>
    frames && receivedAt > joined ? [receivedAt - sentAt(frames[i] as number)] : [],
  )
  // A picture that the browser drew twice is told twice.
  const back = known.findIndex(({ frame }, i) => i > 0 && frame < (known[i - 1]?.frame as number))
  const rate = known.length / (((known.at(-1)?.at ?? 0) - (known[0]?.at ?? 0)) / 1000)
  const ok = frames !== null && back < 0 && known.length > 0 && known.length > 0.95 * pictures.length
  const correct = {
    ok,
    what:
      frames === null
        ? "the pictures are the camera's own, bit for bit, none left out"
        : `all ${frames.length} pictures are the camera's own, bit for bit; of ${pictures.length} on the page ${known.length} are among them, in order${back < 0 ? '' : ` but for number ${back}`}; ${rate.toFixed(1)} a second of ${scene.fps}`,
  }
  const relay = run.quick
    ? null
    : await relayCost(run, scene.fps, median(viewer.shown.map(({ slices }) => sizeOf(slices))))
  return [
    {
      metric: `live picture, 640×360 at ${scene.fps}: from the camera's sending to the page's showing, p50`,
      unit: 'ms',
      product: chunks(latencies, run.quick ? 2 : 6).map(median),
      limit: [{ name: 'bytes at a client, not shown', rounds: onTheWay.length > 0 ? [median(onTheWay)] : [] }],
      gate: { atMost: 450 },
      isWallClock: true,
      correct: shown.faults.length > 0 ? { ok: false, what: `the page has no faults: ${shown.faults[0]}` } : correct,
      note: `p95 ${latencies.length > 0 ? percentile(latencies, 0.95).toFixed(0) : '–'} ms; the rest after the bytes is the page's buffer`,
    },
    {
      metric: 'cost of the first viewer of a camera: portal, database and edge server',
      unit: '% of a core',
      product: cost.one.map((value) => value - alone),
      peer: relay === null ? [] : [{ name: 'ws alone sending as many bytes', rounds: [relay] }],
      gate: { atMost: 3 },
      correct,
      note: `each of ${many} viewers ${((median(cost.many) - alone) / many).toFixed(2)} %; with nobody looking the three use ${alone.toFixed(1)} %`,
    },
  ]
}

const sizeOf = (slices: readonly Buffer[]) => slices.reduce((sum, slice) => sum + slice.length, 0)

function chunks(values: readonly number[], count: number): number[][] {
  const size = Math.max(1, Math.ceil(values.length / count))
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size))
}

async function countPeople(origin: string, cookie: string, device_id: string): Promise<void> {
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { cookie, origin, ...init.headers }
    const response = await fetch(`${origin}/api/v1${path}`, { ...init, headers })
    const body = (await response.json()) as { response: { csrf_token: string }; message?: string }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`)
    return body.response
  }
  const { csrf_token } = await call('/user/info')
  const corners = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ]
  const zones = [{ points: corners, aspect_ratio: scene.width / scene.height }]
  await call('/channel/create', {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf_token },
    body: JSON.stringify({ channel_name: 'People', device_id, usecase_key: 'pplcnt', zones }),
  })
}

/** A picture that the browser has put on screen: its time on the video's time line, and when. */
type Picture = { mediaTime: number; at: number }

async function watchInBrowser(run: Run, address: string, origin: string, cookie: string) {
  const browser = await openBrowser()
  run.atEnd(() => browser.close())
  const { context, page, faults } = await openPage(browser, origin)
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: origin }])
  await page.goto(address)
  await page.locator('video').waitFor({ state: 'visible', timeout: 30_000 })
  await page.evaluate(() => {
    const video = document.querySelector('video') as HTMLVideoElement
    const pictures: Picture[] = []
    const note: VideoFrameRequestCallback = (_, { mediaTime }) => {
      pictures.push({ mediaTime, at: Date.now() })
      video.requestVideoFrameCallback(note)
    }
    video.requestVideoFrameCallback(note)
    Object.assign(window, { pictures })
  })
  // What is shown while the page still comes to rest says nothing about the picture.
  await wait(2000)
  return async (ms: number) => {
    await page.evaluate(() => void (window as unknown as { pictures: Picture[] }).pictures.splice(0))
    await wait(ms)
    const pictures = await page.evaluate(() => (window as unknown as { pictures: Picture[] }).pictures)
    return { pictures, faults }
  }
}

/** What a bare WebSocket server uses to send as many bytes as often to one viewer. */
async function relayCost(run: Run, fps: number, bytes: number): Promise<number> {
  const program = await startProgram(
    run,
    { name: 'relay', program: 'bench/peers/ws-relay.ts', args: [String(fps), String(bytes)], logDir: run.folder() },
    (message) => message as number,
  )
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(`ws://127.0.0.1:${program.said}`, { perMessageDeflate: false })
  run.atEnd(() => socket.terminate())
  await wait(1000)
  const meter = cpuMeter(() => [program.pid])
  await wait(10_000)
  return meter.stop() * 10
}
