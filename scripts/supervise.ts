/**
 * The start command's second half, on the pinned Node: builds the web app when stale, then runs portal, local nimble and
 * simulated cameras, each in its own process, until it is told to stop. The portal runs the database.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DemoCamera } from '@sightline/contract'
import type { NimbleSays, PortalSays, SimcamSays, ToNimble, ToPortal, ToSimcam } from '@sightline/contract/supervisor'
import { isHurry, localNimbleId } from '@sightline/domain'
import { EnvFault, readEnv } from '../packages/server/src/env.ts'
import { Child } from './child.ts'
import { fail, progress } from './prepare.mjs'
import { buildWebApp } from './webapp.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const env = environment()
const dataDir = resolve(env.dataDir)
const logDir = join(dataDir, 'logs')

takeDataDir()
await checkPort()
const fault = await buildWebApp(root)
if (fault) fail(`The web app could not be built:\n${fault}`)

const nimblePort = await keptPort(join(dataDir, 'nimble', 'port'))
const ready = progress('Starting')
let isReady = false
let stoppingSince: number | null = null

const portal = new Child({
  name: 'portal',
  program: 'packages/server/src/main.ts',
  env: {
    DATA_DIR: dataDir,
    LOCAL_NIMBLE_PORT: String(nimblePort),
  },
  logDir,
  onMessage: (message) => portalSaid(message as PortalSays),
  onExit: (cause, lastWords) => {
    if (!isReady) fail(`The portal ${cause} while starting.\n${lastWords}\nIts log: ${join(logDir, 'portal.log')}`)
    console.error(`The portal ${cause}; starting it again.`)
  },
})

const nimble = new Child({
  name: 'nimble',
  program: 'packages/edge/src/main.ts',
  env: {
    NIMBLE_DATA_DIR: join(dataDir, 'nimble'),
    NIMBLE_HOST: '127.0.0.1',
    NIMBLE_PORT: String(nimblePort),
    NIMBLE_ID: localNimbleId,
  },
  logDir,
  onMessage: (message) => nimbleSaid(message as NimbleSays),
  onSpawn: () => allowDemo(),
  onExit: (cause) => console.error(`The local edge server ${cause}; starting it again.`),
})

/* ── simulated cameras ───────────────────────────────────────────────────────────────── */

const demoFile = join(dataDir, 'demo-cameras.json')
let cameras: DemoCamera[] = []
/** Requests of the portal that wait for the cameras' next answer. */
let waiting: number[] = []
let wanted: { count: number; ports: { rtsp_port: number; onvif_port: number }[] } = readDemo()

const simcam = new Child({
  name: 'simcam',
  program: 'packages/simcam/src/main.ts',
  env: {},
  logDir,
  onMessage: (message) => simcamSaid(message as SimcamSays),
  onSpawn: () => sendStart(),
  onExit: (cause) => console.error(`The simulated cameras ${cause}; starting them again.`),
})

function sendStart(): void {
  simcam.send({ type: 'start', ...wanted } satisfies ToSimcam)
}

/** Starts, or starts more of, the simulated cameras; they keep their ports from run to run. */
function startDemo(count: number): void {
  wanted = { ...wanted, count: Math.max(count, wanted.count) }
  if (simcam.isRunning) sendStart()
  else simcam.start()
}

function simcamSaid(message: SimcamSays): void {
  if (message.type === 'failed') {
    answer({ type: 'demo', cameras, error: message.sentence })
    return
  }
  cameras = message.cameras
  if (cameras.length > 0) wanted.ports = cameras.map(({ rtsp_port, onvif_port }) => ({ rtsp_port, onvif_port }))
  writeFileSync(demoFile, JSON.stringify(wanted))
  allowDemo()
  answer({ type: 'demo', cameras })
}

function answer(reply: ToPortal): void {
  const requests = waiting
  waiting = []
  tellPortal(reply)
  for (const request of requests) tellPortal({ ...reply, request })
}

/** The only loopback addresses that the local nimble may take for cameras. */
function allowDemo(): void {
  const hosts = cameras.map((camera) => ({ host: camera.host, ports: [camera.rtsp_port, camera.onvif_port] }))
  nimble.send({ type: 'demo.allow', hosts } satisfies ToNimble)
}

function readDemo(): typeof wanted {
  try {
    return JSON.parse(readFileSync(demoFile, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      console.error(`${demoFile} cannot be read (${(error as Error).message}); the simulated cameras get new ports.`)
    return { count: 0, ports: [] }
  }
}

/* ── what the processes say ──────────────────────────────────────────────────────────── */

function portalSaid(message: PortalSays): void {
  switch (message.type) {
    case 'failed':
      // Once it has run it is started again, like after any other end.
      if (isReady) console.error(message.sentence)
      else {
        ready()
        console.error(`\n${message.sentence}`)
        void stop(1)
      }
      break
    case 'ready':
      if (!isReady) {
        ready()
        announce(message.address, message.setup_token)
      }
      isReady = true
      tellPortal({ type: 'demo', cameras })
      break
    case 'demo.list':
      tellPortal({ type: 'demo', request: message.request, cameras })
      break
    case 'demo.start':
      waiting.push(message.request)
      startDemo(message.count)
      break
    case 'demo.stop':
      wanted.count = 0
      askSimcam(message.request, { type: 'stop' })
      break
    case 'demo.fault':
      askSimcam(message.request, { type: 'fault', UUID: message.UUID, fault: message.fault })
      break
  }
}

function tellPortal(message: ToPortal): void {
  portal.send(message)
}

/** Passes a request on; the answer comes with the cameras' next message. Without cameras it is answered at once. */
function askSimcam(request: number, message: ToSimcam): void {
  if (simcam.isRunning) {
    waiting.push(request)
    simcam.send(message)
  } else tellPortal({ type: 'demo', request, cameras })
}

function nimbleSaid(message: NimbleSays): void {
  if (message.type === 'failed') console.error(`The local edge server cannot run: ${message.sentence}`)
}

function announce(address: string, setupToken: string | null): void {
  console.log(
    setupToken
      ? `\nSightline is ready. Create the first administrator here (valid for one hour):\n\n  ${address}/register?token=${setupToken}\n`
      : `\nSightline is ready: ${address}\n`,
  )
  console.log('Stop with Ctrl-C.')
}

/* ── start and stop ──────────────────────────────────────────────────────────────────── */

/** Events flow from nimble to portal to database: each stops before the one it writes to. A later signal goes at once. */
async function stop(code = 0): Promise<void> {
  if (stoppingSince !== null) {
    if (isHurry(stoppingSince, performance.now())) process.exit(1)
    return
  }
  stoppingSince = performance.now()
  if (isReady) console.log('\nStopping …')
  // A service manager may have told them all, and they end in whatever order.
  for (const child of [nimble, simcam, portal]) child.retire()
  await nimble.stop(4000)
  await Promise.all([simcam.stop(1000), portal.stop(5000)])
  rmSync(join(dataDir, 'start.pid'), { force: true })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())

portal.start()
nimble.start()
if (wanted.count > 0 || env.demoCameras > 0) startDemo(env.demoCameras)

function environment() {
  try {
    return readEnv(process.env)
  } catch (error) {
    if (error instanceof EnvFault) fail(error.message)
    throw error
  }
}

/** One start at a time owns a data folder. A start that was killed leaves its number behind; that one is taken over. */
function takeDataDir(): void {
  const file = join(dataDir, 'start.pid')
  try {
    makeFolder(join(dataDir, 'nimble'))
    const owner = readPid(file)
    if (owner !== null && owner !== process.pid && isStart(owner))
      fail(
        `Sightline already runs on ${dataDir} (process ${owner}). Stop that one with Ctrl-C, or set DATA_DIR to another folder for a second one.`,
      )
    writeFileSync(file, String(process.pid))
  } catch (error) {
    fail(
      `Cannot write to the data folder ${dataDir} (${(error as Error).message}). Set DATA_DIR to a folder you may write to.`,
    )
  }
}

/** With its parents. Not by the option of `mkdir`, which under /proc tries for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

/** Before anything is started that would have to be stopped again; the portal says the same of a port lost meanwhile. */
async function checkPort(): Promise<void> {
  if (env.port !== 0 && (await freePort(env.port, env.host)) === 'EADDRINUSE')
    fail(`Port ${env.port} is taken by another program. Stop that one, or set PORT to another number.`)
}

function readPid(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8')) || null
  } catch {
    // No file: nobody runs.
    return null
  }
}

/** A process of that number that is a start of ours, not a stranger that got the number later. */
function isStart(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('supervise')
  } catch {
    // Gone, or not ours to look at.
    return false
  }
}

/** A free port, the same one at each start while it is still free. */
async function keptPort(file: string): Promise<number> {
  const kept = readPid(file)
  const again = kept === null ? null : await freePort(kept)
  const port = typeof again === 'number' ? again : await freePort(0)
  if (typeof port !== 'number') fail(`No port can be opened on this machine's own address 127.0.0.1 (${port}).`)
  writeFileSync(file, String(port))
  return port
}

/** The port when it can be opened, a free one for 0; else the code of what is in the way. */
function freePort(port: number, host = '127.0.0.1'): Promise<number | string> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : port))
    })
  })
}
