/** The whole product, started as a user starts it, on a data folder and a port of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export type Product = {
  /** Where the portal answers, without a path. */
  origin: string
  /** What the start printed to open first: with the setup token while nobody is registered. */
  firstAddress: string
  dataDir: string
  /** From the start command to the printed address. */
  readyMs: number
  /** Everything it has printed. */
  output(): string
  /** Process ids of the programs the start command runs, by program folder (`server`, `edge`, `simcam`). */
  pids(program: 'server' | 'edge' | 'simcam'): number[]
  /** Ctrl-C. Answers the exit code. */
  stop(): Promise<number | null>
  /** Ends everything and deletes the data. */
  discard(): Promise<void>
}

export async function startProduct(
  options: { dataDir?: string; port?: number; env?: Record<string, string> } = {},
): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'sightline-e2e-'))
  const port = options.port ?? (await freePort())
  const started = Date.now()
  const child = spawn(process.execPath, [join(root, 'scripts/supervise.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      // A driven browser goes through screens faster than any person.
      CALLS_PER_MINUTE: '6000',
      ...options.env,
    },
  })
  let output = ''
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  const printed = new Promise<string>((done, fail) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const address = /https?:\/\/\S+/.exec(output)?.[0]
      if (address && output.includes('Stop with Ctrl-C')) done(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => fail(new Error(`The start ended with code ${code}:\n${output}`)))
  })
  const firstAddress = await printed
  return {
    origin: new URL(firstAddress).origin,
    firstAddress,
    dataDir,
    readyMs: Date.now() - started,
    output: () => output,
    pids: (program) =>
      childrenOf(child.pid as number).filter((pid) => commandOf(pid).includes(`packages/${program}/src/main.ts`)),
    stop: () => stop(child, exited),
    async discard() {
      child.kill('SIGTERM')
      await exited
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}

/** As a terminal sends it: to npm, to the start command and to this, of which the first two pass it on. */
async function stop(child: ChildProcess, exited: Promise<number | null>): Promise<number | null> {
  for (let i = 0; i < 3 && child.exitCode === null; i++) {
    child.kill('SIGINT')
    await new Promise((done) => setTimeout(done, 20))
  }
  return exited
}

export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It ended between the listing and the look.
    return ''
  }
}

/** How long tests wait for anything, on two cores that run two whole products and their browsers. */
export const patienceMs = 90_000

/** Waits until `check` answers something true; no fixed sleeps in tests. */
export async function until<T>(
  what: string,
  check: () => Promise<T> | T,
  timeoutMs = patienceMs,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  while (Date.now() < deadline) {
    try {
      const value = await check()
      if (value) return value
    } catch (error) {
      last = error
    }
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`, { cause: last })
}
