/** The portal's process: opens everything in order, listens, and on a signal closes everything in the reverse order. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { PortalSays } from '@sightline/contract/supervisor'
import { isHurry } from '@sightline/domain'
import type { FastifyInstance } from 'fastify'
import { build, createServer, createServices } from './app.ts'
import { forgetOld, renewSetupToken } from './auth/store.ts'
import { startRecovery } from './channel/recovery.ts'
import { startViewWatch } from './channel/watch.ts'
import { openDatabase } from './db/database.ts'
import { DatabaseTrouble } from './db/trouble.ts'
import { type Env, EnvFault, ownOrigins, readEnv } from './env.ts'
import { startEventJobs } from './event/jobs.ts'
import { watchRetention } from './face/retention.ts'
import { collectMetrics } from './metrics.ts'
import { openSecrets } from './secrets.ts'
import { watchOutages } from './site/outages.ts'

// When V8 begins to mark the whole heap: so many percent of the way from what the last marking left to the limit. By its
// own rule it did so after 8 MB, buffers of answers among them: every second, for nothing, with all cores (0037).
setFlagsFromString('--incremental-marking-soft-trigger=60')
setFlagsFromString('--incremental-marking-hard-trigger=90')

const stopSeconds = 10
const hourMs = 3_600_000

/** What was opened and how to close it; the last one opened is closed first. */
const opened: (() => Promise<unknown> | unknown)[] = []
let stoppingSince: number | null = null

async function start(): Promise<void> {
  const env = environment()
  const app = createServer(env, { level: 'info' })
  const { log } = app
  const db = await openDatabase({
    url: env.databaseUrl ?? undefined,
    dataDir: env.dataDir,
    seed: { nimble: env.localNimblePort === null ? null : { host: '127.0.0.1', port: env.localNimblePort } },
    log: (sentence) => log.info(sentence),
  })
  opened.push(() => db.close())

  const services = createServices({ env, db, log, secrets: openSecrets(join(env.dataDir, 'instance.key')) })
  const { links, jobs, events, wire, bus } = services
  await wire.start()
  opened.push(() => wire.stop())
  opened.push(() => events.stop())
  const { embedded } = await db.info()
  const eventJobs = startEventJobs({
    db,
    writer: events,
    dataDir: embedded ? env.dataDir : null,
    filesDir: env.dataDir,
    log,
  })
  opened.push(() => eventJobs.stop())
  await jobs.start()
  opened.push(() => jobs.stop())

  const forget = () =>
    db.instance(forgetOld).catch((error) => log.warn({ err: error }, 'old sessions could not be removed'))
  const housekeeping = setInterval(forget, hourMs)
  opened.push(() => clearInterval(housekeeping))

  const metrics = collectMetrics(app, env.dataDir)
  await build(app, services)
  // Before the links, which are closed first: then neither waits for what it has asked of an edge server.
  const recovery = startRecovery({ db, links, log })
  opened.push(() => recovery.stop())
  const views = startViewWatch({ db, bus, links, env, log })
  opened.push(() => views.stop())
  await links.start()
  opened.push(() => links.stop())
  const outages = watchOutages({ db, bus, log })
  opened.push(() => outages.stop())
  const retention = watchRetention(services)
  opened.push(() => retention.stop())
  if (env.metricsPort !== null) {
    const listener = await metrics.listen(env.metricsPort)
    opened.push(() => listener.close())
  }
  const address = await listen(app, env)
  opened.push(() => app.close())

  const setupToken = await db.instance(renewSetupToken)
  log.info({ address }, 'the portal is ready')
  announce(address, setupToken)
}

function environment(): Env {
  const env = readEnv(process.env)
  const dataDir = resolve(env.dataDir)
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw new EnvFault(
      `Cannot write to the data folder ${dataDir} (${(error as Error).message}). Set DATA_DIR to a folder you may write to.`,
    )
  }
  return { ...env, dataDir }
}

/** Answers the address that people open. */
async function listen(app: FastifyInstance, env: Env): Promise<string> {
  try {
    await app.listen({ port: env.port, host: env.host })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new EnvFault(`Port ${env.port} is taken by another program. Stop that one, or set PORT to another number.`)
    if (code === 'EACCES')
      throw new EnvFault(`Port ${env.port} may not be opened by this user. Set PORT to a number above 1023.`)
    throw new EnvFault(
      `Cannot listen on ${env.host}:${env.port} (${message}). Set HOST and PORT to what this machine has.`,
    )
  }
  const { port } = app.server.address() as { port: number }
  return ownOrigins(env, port)[0] as string
}

const say = (message: PortalSays) => process.send?.(message)

function announce(address: string, setupToken: string | null): void {
  say({ type: 'ready', address, setup_token: setupToken })
  // Without a start command around it, nobody else says where the portal is. Not through the log: the token is secret.
  if (!process.send) console.error(setupToken ? `${address}/register?token=${setupToken}` : address)
}

/** Says in one sentence why the portal cannot start, and ends. */
async function fail(error: unknown): Promise<void> {
  const isExpected = error instanceof EnvFault || error instanceof DatabaseTrouble
  const sentence = error instanceof Error ? error.message : String(error)
  console.error(isExpected ? sentence : error)
  await close()
  // Last: the start command ends on it, and with it we do.
  const said: PortalSays = {
    type: 'failed',
    sentence: isExpected ? sentence : `The portal could not start: ${sentence}`,
  }
  if (process.send) process.send(said, () => process.exit(1))
  else process.exit(1)
}

/** Accepts nothing new, finishes what runs, then goes. */
async function stop(): Promise<void> {
  if (stoppingSince !== null) return
  stoppingSince = performance.now()
  setTimeout(() => process.exit(1), stopSeconds * 1000).unref()
  process.exit((await close()) ? 0 : 1)
}

/**
 * Who asks again is obeyed at once. Under a start command it is that command who hurries: a service manager tells every
 * process of a service, long before it is this one's turn.
 */
function signalled(): void {
  if (stoppingSince !== null && !process.connected && isHurry(stoppingSince, performance.now())) process.exit(1)
  void stop()
}

/** Once, however many ask for it. */
let closing: Promise<boolean> | null = null
function close(): Promise<boolean> {
  closing ??= closeAll()
  return closing
}

async function closeAll(): Promise<boolean> {
  let isClean = true
  for (const end of opened.splice(0).reverse())
    try {
      await end()
    } catch (error) {
      isClean = false
      console.error(error)
    }
  return isClean
}

process.on('SIGTERM', signalled)
process.on('SIGINT', signalled)
// The start command is gone, also when it was killed.
process.on('disconnect', () => void stop())
start().catch(fail)
