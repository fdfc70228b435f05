/**
 * Simulated cameras as a process of their own: forked by the start command, or run by hand.
 *
 *   node packages/simcam/src/main.ts 2      two cameras until Ctrl-C
 */
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { formatUuid } from '@sightline/domain'
import { type DemoCamera, type Fault, type SimulatedCamera, startCamera } from './camera.ts'
import { type Discovery, openDiscovery } from './discovery.ts'
import { type SceneName, sceneNames } from './scene.ts'

/** Messages of the start command (`ToSimcam`, `SimcamSays` in the contract, which this package may not import). */
type Told =
  | { type: 'start'; count: number; ports?: { rtsp_port: number; onvif_port: number }[] }
  | { type: 'fault'; UUID: string; fault: Fault }
  | { type: 'stop' }
type Says = { type: 'cameras'; cameras: DemoCamera[] } | { type: 'failed'; sentence: string }

/** Nobody outside this machine reaches the cameras. */
const host = '127.0.0.1'
/** Not a secret: it guards rendered pictures, and its characters break addresses that are put together carelessly. */
const credentials = { username: 'demo', password: 'p@ss:w/rd#1' }
const names: Record<SceneName, string> = { lobby: 'Lobby', warehouse: 'Warehouse', corridor: 'Corridor' }

const cameras: SimulatedCamera[] = []
let discovery: Discovery | null = null

async function start(count: number, ports: { rtsp_port: number; onvif_port: number }[]): Promise<void> {
  discovery ??= await openDiscovery(host).catch((error: NodeJS.ErrnoException) => {
    console.error(`Cameras are offered by address only: port 3702 cannot be shared for discovery (${error.code}).`)
    return null
  })
  while (cameras.length < count) cameras.push(await startOne(cameras.length, ports[cameras.length]))
}

async function startOne(
  index: number,
  ports: { rtsp_port: number; onvif_port: number } | undefined,
): Promise<SimulatedCamera> {
  const scene = sceneNames[index % sceneNames.length] as SceneName
  const round = Math.floor(index / sceneNames.length)
  const options = {
    scene,
    host,
    ...credentials,
    name: round === 0 ? names[scene] : `${names[scene]} ${round + 1}`,
    uuid: uuidOf(index),
    discovery: discovery ?? undefined,
  }
  try {
    return await startCamera({ ...options, rtspPort: ports?.rtsp_port, onvifPort: ports?.onvif_port })
  } catch (error) {
    if (!ports || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    // Another program took a port of the last run.
    return startCamera(options)
  }
}

/**
 * The same for the same camera from run to run, another one for each installation: two that run on one machine find
 * each other's cameras.
 */
function uuidOf(index: number): string {
  const installation = [hostname(), process.cwd(), process.env.DATA_DIR ?? '']
  const bytes = createHash('sha256')
    .update(JSON.stringify([...installation, index]))
    .digest()
    .subarray(0, 16)
  // Version 8, RFC 9562: made from our own data.
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return formatUuid(bytes)
}

async function stopAll(): Promise<void> {
  await Promise.all(cameras.splice(0).map((camera) => camera.stop()))
  await discovery?.close()
  discovery = null
}

async function obey(message: Told): Promise<Says> {
  switch (message.type) {
    case 'start':
      await start(message.count, message.ports ?? [])
      break
    case 'fault': {
      const camera = cameras.find((candidate) => candidate.camera.UUID === message.UUID)
      if (!camera) return { type: 'failed', sentence: `No simulated camera has the UUID ${message.UUID}.` }
      camera.setFault(message.fault)
      break
    }
    case 'stop':
      await stopAll()
  }
  return { type: 'cameras', cameras: cameras.map(({ camera }) => camera) }
}

function exit(): void {
  stopAll().then(
    () => process.exit(0),
    (error) => {
      console.error(`The simulated cameras did not stop in order: ${error.message}`)
      process.exit(1)
    },
  )
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, exit)

if (process.send) {
  const say = (answer: Says) => process.connected && process.send?.(answer)
  const failed = (error: Error) => say({ type: 'failed', sentence: `Simulated cameras: ${error.message}` })
  let done: Promise<unknown> = Promise.resolve()
  process.on('message', (message) => {
    done = done.then(() => obey(message as Told)).then(say, failed)
  })
  process.on('disconnect', exit)
} else {
  const count = Number(process.argv[2] ?? 1)
  if (!Number.isInteger(count) || count < 1 || count > 16) {
    console.error('Say how many cameras to run, 1 to 16: node packages/simcam/src/main.ts 2')
    process.exit(1)
  }
  await start(count, [])
  console.log(`User ${credentials.username}, password ${credentials.password}. Stop with Ctrl-C.`)
  for (const { camera } of cameras) console.log(`${camera.name}: ${camera.stream_address}  ONVIF ${camera.xaddr}`)
}
