import { type ChildProcess, fork } from 'node:child_process'
import { openLogFile } from './log-file.ts'

export type ChildOptions = {
  name: string
  /** Path of the program, from the project's root. */
  program: string
  env: Record<string, string>
  logDir: string
  onMessage(message: unknown): void
  /** Each time it runs, the first included. */
  onSpawn?(child: ChildProcess): void
  /** Its end, unless it was asked for. */
  onExit?(cause: string, lastWords: string): void
}

const ladderMs = [1000, 2000, 5000, 10_000, 30_000]
const wellAfterMs = 60_000
const logMaxBytes = 20 * 1024 * 1024

/**
 * A process that is started again, with growing pauses, whenever it ends by itself. Its output goes to a log file
 * under `logDir`; its IPC channel tells it when we are gone.
 */
export class Child {
  readonly #options: ChildOptions
  #process: ChildProcess | null = null
  #startedAt = 0
  #failures = 0
  #isRetired = false
  #timer: NodeJS.Timeout | null = null

  constructor(options: ChildOptions) {
    this.#options = options
  }

  start(): void {
    const { name, program, env, logDir, onMessage, onSpawn } = this.#options
    const log = openLogFile(logDir, name, logMaxBytes, (error) =>
      console.error(`Cannot write ${name}'s log: ${error.message}`),
    )
    const child = fork(program, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
      // A group of its own: a terminal sends Ctrl-C to all of a group at once, and these end in order. When we are gone
      // without a word they notice by their channel.
      detached: true,
    })
    this.#process = child
    this.#startedAt = Date.now()
    let lastWords = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', log.write)
    child.stderr?.on('data', (chunk) => {
      lastWords = (lastWords + chunk).slice(-2000)
    })
    child.on('message', onMessage)
    // A child that ends while we write to it is seen by `exit`; the write error itself says nothing more.
    child.on('error', (error) => {
      lastWords += `\n${error.message}`
    })
    child.on('exit', (code, signal) => {
      this.#process = null
      if (!this.#isRetired) this.#ended(signal ? `was ended by ${signal}` : `ended with code ${code}`, lastWords.trim())
    })
    // What it wrote last is read after its end.
    child.on('close', log.close)
    onSpawn?.(child)
  }

  #ended(cause: string, lastWords: string): void {
    this.#options.onExit?.(cause, lastWords)
    if (this.#isRetired) return
    if (Date.now() - this.#startedAt > wellAfterMs) this.#failures = 0
    const pause = ladderMs[Math.min(this.#failures++, ladderMs.length - 1)] as number
    this.#timer = setTimeout(() => this.start(), pause)
  }

  get isRunning(): boolean {
    return this.#process !== null
  }

  send(message: object): void {
    if (this.#process?.connected) this.#process.send(message)
  }

  /** From now on its end is no news, and it is not started again. */
  retire(): void {
    this.#isRetired = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** SIGTERM, then SIGKILL after `timeoutMs`. Resolves when it is gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.retire()
    const child = this.#process
    if (!child) return
    const gone = new Promise<void>((done) => child.once('exit', () => done()))
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    await gone
    clearTimeout(timer)
  }
}
