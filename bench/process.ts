/** The product's programs, each run alone and watched: the bench is their start command. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NimbleSays, PortalSays } from '@sightline/contract/supervisor'
import type { Run } from './run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export type Program = {
  pid: number
  child: ChildProcess
  /** SIGKILL: no chance to tidy up. Resolves when it is gone. */
  kill(): Promise<void>
  /** In order; killed when that takes longer than 10 s. */
  stop(): Promise<void>
}

/**
 * Forks a program of the repository and waits until `isReady` finds what it waits for in one of its messages.
 * @throws with the end of its log when it ends before
 */
export async function startProgram<T>(
  run: Run,
  options: { name: string; program: string; args?: string[]; env?: Record<string, string>; logDir: string },
  isReady: (message: unknown) => T | null,
): Promise<Program & { said: T }> {
  mkdirSync(options.logDir, { recursive: true })
  const logFile = join(options.logDir, `${options.name}.log`)
  const log = openSync(logFile, 'a')
  const child = fork(join(root, options.program), options.args ?? [], {
    cwd: root,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', log, log, 'ipc'],
    execArgv: [],
  })
  closeSync(log)
  const gone = once(child, 'exit').then(() => undefined)
  const self: Program = {
    pid: child.pid as number,
    child,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await gone
      clearTimeout(timer)
    },
  }
  run.atEnd(self.stop)
  const said = await new Promise<T>((ready, fail) => {
    child.on('message', (message) => {
      const found = isReady(message)
      if (found !== null) ready(found)
    })
    child.on('error', fail)
    void gone.then(() => fail(new Error(`${options.name} ended:\n${readFileSync(logFile, 'utf8').slice(-2000)}`)))
  })
  return { ...self, said }
}

export type Portal = Program & {
  origin: string
  /** Of the database server that it runs. */
  databasePid(): number
}

/** @param nimblePort where the edge server beside it listens */
export async function startPortal(run: Run, options: { dataDir: string; nimblePort: number }): Promise<Portal> {
  const { dataDir, nimblePort } = options
  const env = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, LOCAL_NIMBLE_PORT: String(nimblePort) }
  const program = await startProgram(
    run,
    { name: 'portal', program: 'packages/server/src/main.ts', env, logDir: dataDir },
    (message) => {
      const { type, ...rest } = message as PortalSays & { address?: string }
      return type === 'ready' ? (rest.address as string) : null
    },
  )
  return {
    ...program,
    origin: program.said,
    databasePid: () => Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]),
  }
}

export type Nimble = Program & { port: number }

/**
 * @param isLocal it waits for the portal beside it to enrol it; else the first portal to come is trusted
 * @param cameraPorts the only loopback ports that it takes for cameras
 */
export async function startNimble(
  run: Run,
  options: { dataDir: string; port: number; isLocal: boolean; cameraPorts: number[] },
): Promise<Nimble> {
  const env: Record<string, string> = {
    NIMBLE_DATA_DIR: join(options.dataDir, 'nimble'),
    NIMBLE_HOST: '127.0.0.1',
    NIMBLE_PORT: String(options.port),
    ...(options.isLocal && { NIMBLE_ID: 'local' }),
  }
  const program = await startProgram(
    run,
    { name: 'nimble', program: 'packages/edge/src/main.ts', env, logDir: options.dataDir },
    (message) => {
      const said = message as NimbleSays
      return said.type === 'ready' ? said.port : null
    },
  )
  program.child.send({ type: 'demo.allow', hosts: [{ host: '127.0.0.1', ports: options.cameraPorts }] })
  return { ...program, port: program.said }
}

/** A clip that a simulated camera shows: an H.264 elementary stream. */
export type ClipFile = { path: string; width: number; height: number; fps: number }
export type SimulatedCamera = {
  address: string
  port: number
  /** When frame 0 of the first loop was due, ms since the epoch; frame n is sent n / fps later, or a little after. */
  startedAt: number
}

/** Simulated cameras in a process of their own, whose CPU time nobody counts. They let everybody in. */
export async function startCameras(
  run: Run,
  clips: readonly ClipFile[],
): Promise<Program & { cameras: SimulatedCamera[] }> {
  const program = await startProgram(
    run,
    {
      name: 'cameras',
      program: 'bench/camera-process.ts',
      args: [JSON.stringify(clips), String(run.sabotage === 'skip-frames')],
      logDir: run.folder(),
    },
    (message) => message as SimulatedCamera[],
  )
  return { ...program, cameras: program.said }
}
