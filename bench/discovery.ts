/**
 * Cameras looked for on a /24: from a camera's answer to the message that shows it in the browser, and the whole scan.
 * Portal and edge server are the real programs; the twenty simulated cameras have an address each, on a network of their
 * own, most of whose other addresses nobody has.
 */
import type { Job, StreamFrame, StreamMessage } from '@sightline/contract'
import { listenSeconds, localNimbleId } from '@sightline/domain'
import { WebSocket } from 'ws'
import { freePort, until } from '../e2e/product.ts'
import { startCameraNetwork } from '../packages/simcam/src/testing/network.ts'
import { type Figure, percentile } from './measure.ts'
import { startNimble, startPortal } from './process.ts'
import type { Run } from './run.ts'
import { seedStore } from './store.ts'

const network = '10.249.7'
const range = `${network}.0/24`
const count = 20
const hosts = Array.from({ length: count }, (_, i) => 11 + i * 12)

type Scan = {
  ms: number
  found: number
  /** From its own answer to the message with it, ms, by camera. */
  delays: number[]
}

export async function discovery(run: Run): Promise<Figure[]> {
  const answered = new Map<string, number>()
  const cameras = await startCameraNetwork(network, hosts)
  if (!cameras) {
    run.skip(
      'discovery: needs the right to give its cameras a network of their own (root, or CAP_NET_ADMIN, and iproute2)',
    )
    return []
  }
  run.atEnd(cameras.close)
  cameras.onAnswer((uuid, at) => {
    if (!answered.has(uuid)) answered.set(uuid, at)
  })
  const dataDir = run.folder()
  const nimblePort = await freePort()
  const store = await seedStore({ dataDir, nimblePort, cameras: [] })
  await startNimble(run, { dataDir, port: nimblePort, isLocal: true, cameraPorts: [] })
  const portal = await startPortal(run, { dataDir, nimblePort })
  const cookie = store.cookies[0] as string
  const call = caller(portal.origin, cookie)
  await until('the edge server is connected', async () => {
    const status = (await call('GET', `/nimble/status?nimble_id=${localNimbleId}`)) as { state: string }
    return status.state === 'online'
  })
  const stream = await listen(run, portal.origin, cookie)

  const scans: Scan[] = []
  for (let round = 0; round < (run.quick ? 3 : 10); round++) scans.push(await scan(call, stream, answered))
  const isWhole = scans.every(({ found }) => found === count)
  const what = `all ${count} cameras are found, in each of ${scans.length} scans`
  if (scans.some(({ delays }) => delays.length === 0)) throw new Error('No camera was found.')
  const firsts = scans.map(({ delays }) => delays[0] as number)
  const all = scans.flatMap(({ delays }) => delays)
  return [
    {
      metric: `first of ${count} cameras on a /24, from its answer to the browser's message`,
      unit: 'ms',
      product: firsts,
      gate: { atMost: 100 },
      isWallClock: true,
      correct: { ok: isWhole, what },
      note: `of all cameras: p95 ${percentile(all, 0.95).toFixed(0)} ms, greatest ${Math.max(...all).toFixed(0)} ms`,
    },
    {
      metric: `whole scan of a /24 with ${count} cameras, from the click to its end`,
      unit: 'ms',
      product: scans.map(({ ms }) => ms),
      gate: { atMost: 1000 },
      isWallClock: true,
      correct: { ok: isWhole, what },
      note: `cameras may wait half a second before they answer, so the edge server listens for ${listenSeconds.first} s whatever comes`,
    },
  ]
}

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>

function caller(origin: string, cookie: string): Call {
  let csrf = ''
  const call: Call = async (method, path, body) => {
    if (method === 'POST' && csrf === '')
      csrf = ((await call('GET', '/user/info')) as { csrf_token: string }).csrf_token
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { cookie, origin, ...(body && { 'content-type': 'application/json', 'x-csrf-token': csrf }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { response: unknown }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer.response
  }
  return call
}

type Stream = { heard(message: (message: StreamMessage, at: number) => void): () => void }

async function listen(run: Run, origin: string, cookie: string): Promise<Stream> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/v1/stream`, { headers: { cookie, origin } })
  run.atEnd(() => socket.close())
  await new Promise<void>((open, fail) => {
    socket.once('open', () => open())
    socket.once('error', fail)
  })
  return {
    heard(listener) {
      const hear = (data: Buffer) => {
        const at = Date.now()
        for (const message of (JSON.parse(data.toString()) as StreamFrame).messages) listener(message, at)
      }
      socket.on('message', hear)
      return () => void socket.off('message', hear)
    },
  }
}

async function scan(call: Call, stream: Stream, answered: Map<string, number>): Promise<Scan> {
  answered.clear()
  const shown = new Map<string, number>()
  const ended = Promise.withResolvers<number>()
  const stop = stream.heard((message, at) => {
    if (message.type !== 'job' || message.kind !== 'device.discover') return
    for (const { UUID } of foundIn(message)) if (UUID !== null && !shown.has(UUID)) shown.set(UUID, at)
    if (message.state !== 'running' && message.state !== 'queued' && message.state !== 'pending') ended.resolve(at)
  })
  const begun = Date.now()
  // As the screen asks at first. Without interfaces: only the addresses of the range are asked.
  const asked = { nimble_id: localNimbleId, timeout: listenSeconds.first, range, interfaces: [] }
  await call('POST', '/device/discover', asked)
  const end = await ended.promise
  stop()
  const delays = [...shown].flatMap(([uuid, at]) => {
    const answer = answered.get(uuid)
    return answer === undefined ? [] : [{ at, delay: at - answer }]
  })
  return {
    ms: end - begun,
    found: delays.length,
    delays: delays.sort((a, b) => a.at - b.at).map(({ delay }) => delay),
  }
}

const foundIn = (job: Pick<Job, 'result'>) => (job.result as { found: { UUID: string | null }[] } | null)?.found ?? []
