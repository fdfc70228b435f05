/** Real nimbles in processes of their own, and records that wait in their journals. */
import { type ChildProcess, execFile, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { NimbleSays, ToNimble } from '@sightline/contract/supervisor'
import { localNimbleId } from '@sightline/domain'
import { seed } from '../db/seed.ts'
import type { TestApp } from './app.ts'

const program = fileURLToPath(new URL('../../../edge/src/main.ts', import.meta.url))
const filler = fileURLToPath(new URL('../../../edge/src/testing/journal.ts', import.meta.url))
const skew = fileURLToPath(new URL('../../../edge/src/testing/skew.ts', import.meta.url))

export type TestNimble = { port: number; process: ChildProcess; stop(): Promise<number | null>; kill(): Promise<void> }

export type TestNimbleOptions = {
  folder: string
  /** 0: any free port. */
  port?: number
  /** Beyond loopback it speaks TLS. */
  host?: string
  /** Enrolled by files, as the start command does it. */
  isLocal?: boolean
  /** How far its clock is ahead of ours. */
  skewMs?: number
}

/** Exchanges keys with a portal by a one-time token, as the pasted command does. */
export async function enrolTestNimble(folder: string, portal: string, token: string): Promise<void> {
  const env = { PATH: process.env.PATH, NIMBLE_DATA_DIR: folder }
  await promisify(execFile)(process.execPath, [program, 'enrol', portal, token], { env, timeout: 30_000 })
}

export async function startTestNimble(options: TestNimbleOptions): Promise<TestNimble> {
  const { folder, port = 0, host = '127.0.0.1', isLocal = false, skewMs = 0 } = options
  const child = fork(program, [], {
    env: {
      PATH: process.env.PATH,
      NIMBLE_DATA_DIR: folder,
      NIMBLE_HOST: host,
      NIMBLE_PORT: String(port),
      ...(isLocal && { NIMBLE_ID: localNimbleId }),
      TEST_SKEW_MS: String(skewMs),
    },
    execArgv: skewMs === 0 ? [] : ['--import', skew],
    stdio: ['ignore', 'ignore', process.env.TEST_LOG ? 'inherit' : 'ignore', 'ipc'],
  })
  const gone = once(child, 'exit')
  const [said] = (await Promise.race([once(child, 'message'), gone])) as [NimbleSays | number | null]
  if (said === null || typeof said !== 'object' || said.type !== 'ready')
    throw new Error(`The nimble did not start: ${JSON.stringify(said)}`)
  return {
    port: said.port,
    process: child,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await gone
      }
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

type Camera = { hosts: { host: string; ports: number[] }[] }

/** Lets an edge server reach a camera on this machine, as the start command does. */
export const allowCamera = (nimble: TestNimble, { hosts }: Camera) =>
  void nimble.process.send({ type: 'demo.allow', hosts } satisfies ToNimble)

/** The edge server beside a portal with LOCAL_NIMBLE_PORT, as the start command starts it; again after it was stopped. */
export async function startLocalNimble({ services }: TestApp, camera: Camera): Promise<TestNimble> {
  const { dataDir, localNimblePort } = services.env
  const port = localNimblePort as number
  await services.db.owner((trx) => seed(trx, { nimble: { host: '127.0.0.1', port } }))
  const folder = join(dataDir, 'nimble')
  mkdirSync(folder, { recursive: true })
  const nimble = await startTestNimble({ folder, port, isLocal: true })
  allowCamera(nimble, camera)
  return nimble
}

/** Puts window records of a channel, `stepMs` apart, into the journal of a nimble that does not run; the last ends now. */
export function fillJournal(folder: string, channelUid: string, count: number, stepMs = 1000): void {
  mkdirSync(folder, { recursive: true })
  execFileSync(process.execPath, [filler, folder, channelUid, String(count), String(stepMs)])
}
