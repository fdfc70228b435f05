/**
 * The nimble: the program at the cameras. Watches them as the portal wishes, keeps what it sees until the portal has it,
 * and goes on while the portal is away.
 *
 * Without arguments it runs. `enrol <portal> <token>` lets it dial a portal that cannot reach it, and ends.
 *
 * Environment: NIMBLE_DATA_DIR (./data/nimble), NIMBLE_HOST (127.0.0.1), NIMBLE_PORT (8472), and NIMBLE_ID when the start
 * command runs it beside the portal.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { NimbleSays, ToNimble } from '@sightline/contract/supervisor'
import { isHurry } from '@sightline/domain'
import type { AllowedHost } from './camera/address.ts'
import { enrol } from './enrol.ts'
import { type Nimble, startNimble } from './nimble.ts'

const defaultPort = 8472
const stopMs = 9000

const folder = resolve(process.env.NIMBLE_DATA_DIR ?? join('data', 'nimble'))
const host = process.env.NIMBLE_HOST ?? '127.0.0.1'
const port = Number(process.env.NIMBLE_PORT ?? defaultPort)
let allowed: AllowedHost[] = []
let nimble: Nimble | null = null
let stoppingSince: number | null = null

process.on('message', (message: ToNimble) => {
  if (message.type !== 'demo.allow') return
  allowed = message.hosts
  nimble?.allowChanged()
})
process.on('disconnect', stop)
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

try {
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`NIMBLE_PORT is "${process.env.NIMBLE_PORT}"`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // For the processes of cameras, which are many alike. Nobody else can write here what they would run.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  const [command, ...rest] = process.argv.slice(2)
  if (command === 'enrol') {
    console.log(await enrol(folder, rest))
    process.exit(0)
  }
  if (command !== undefined) throw new Error(`"${command}" is not something it can do; there is only: enrol`)
  nimble = await startNimble({
    folder,
    host,
    port,
    isLocal: process.env.NIMBLE_ID !== undefined,
    allow: () => allowed,
  })
  // Cameras that are known from the last run may have been opened before the simulated ones were named.
  nimble.allowChanged()
  say({ type: 'ready', port: nimble.port })
} catch (error) {
  const sentence = sentenceOf(error as NodeJS.ErrnoException)
  console.error(sentence)
  say({ type: 'failed', sentence }, () => process.exit(1))
}

function say(message: NimbleSays, then: () => void = () => undefined): void {
  if (process.send) process.send(message, then)
  else then()
}

/** Who asks again is obeyed at once; under a start command it is that command who hurries. */
async function stop(): Promise<void> {
  if (stoppingSince !== null) {
    if (!process.connected && isHurry(stoppingSince, performance.now())) process.exit(1)
    return
  }
  stoppingSince = performance.now()
  setTimeout(() => process.exit(1), stopMs).unref()
  await nimble?.stop()
  process.exit(0)
}

function sentenceOf(error: NodeJS.ErrnoException): string {
  const { code, message } = error
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken by another program. Set NIMBLE_PORT to a free one, and change it in the portal too.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `This machine has no address ${host}. Set NIMBLE_HOST to one it has, or to 0.0.0.0 for all.`
  if (['EACCES', 'EROFS', 'ENOENT', 'EPERM', 'ENOTDIR'].includes(code ?? ''))
    return `Cannot use the data folder ${folder} (${message}). Set NIMBLE_DATA_DIR to a folder you may write to.`
  if (code === 'ENOSPC') return `The disk of the data folder ${folder} is full. Free some space and start again.`
  if (message.includes('database is locked'))
    return `Another edge server already runs on ${folder}. Stop that one, or set NIMBLE_DATA_DIR to another folder.`
  if (process.argv[2] === 'enrol') return message
  return `The edge server cannot start: ${message}.`
}
