/** Main's end of a camera process: start, talk, end. Nothing of the camera's address stands in its arguments or environment. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromChild, ToChild } from './messages.ts'

export type CameraProcess = {
  pid: number | undefined
  tell(message: ToChild): void
  /** At once: nothing native can hold it back. */
  kill(): void
  /** Lets it take leave of the camera, which frees a session there; by force after a second. */
  close(): Promise<void>
}

const file = fileURLToPath(new URL('./child.ts', import.meta.url))
const leaveMs = 1000
/**
 * What a process needs of our environment; the rest is none of its business. Scripts that were compiled before spare each
 * process the compiler of TypeScript, 16 MB of memory, and more than half of the time to start.
 */
const passedOn = ['PATH', 'TMPDIR', 'TEMP', 'SystemRoot', 'LANG', 'NODE_COMPILE_CACHE']
const mostComplaint = 2000
/**
 * The script does little, what it waits for is native: threads of its engine to compile and to collect garbage with would
 * take more memory than they save time, and so would a large space for what is young.
 */
const slender = ['--max-semi-space-size=1', '--single-threaded', '--v8-pool-size=1']
/**
 * glibc keeps a heap for each thread else, and pictures in it, between which little can be given back; and nothing but
 * FFmpeg's reading waits in libuv's threads, of which it needs one.
 */
const oneHeap = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', UV_THREADPOOL_SIZE: '1' }

/** @param onEnd once; `complaint`: the end of what it wrote to stderr, empty when it was stopped by us */
export function startCameraProcess(
  onMessage: (message: FromChild) => void,
  onEnd: (complaint: string) => void,
): CameraProcess {
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
  const child = fork(file, [], {
    serialization: 'advanced',
    execArgv: slender,
    env: { ...env, ...oneHeap },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaint = ''
  let isEnding = false
  child.stderr?.setEncoding('utf8')
  child.stderr?.on('data', (text: string) => {
    complaint = (complaint + text).slice(-mostComplaint)
  })
  child.on('message', (message) => {
    if (!isEnding) onMessage(message as FromChild)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  ended.then(() => {
    onEnd(isEnding ? '' : `${complaint}The camera process ended (${child.exitCode ?? child.signalCode}).`)
  })
  const kill = () => {
    isEnding = true
    child.kill('SIGKILL')
  }
  const tell = (message: ToChild) => send(child, message)
  return {
    pid: child.pid,
    tell,
    kill,
    async close() {
      isEnding = true
      tell({ type: 'close' })
      const force = setTimeout(kill, leaveMs)
      await ended
      clearTimeout(force)
    },
  }
}

/** A process that is just dying cannot be told anything; its end is reported by `onEnd`. */
function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => undefined)
}
