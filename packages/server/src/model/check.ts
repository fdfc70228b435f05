import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Head } from '@sightline/domain'
import { invalid, Refusal } from '../refusal.ts'
import type { CheckAnswer, CheckRequest, CheckResult } from './check-process.ts'

export type CheckLimits = { timeMs: number; memoryBytes: number }

const usual: CheckLimits = { timeMs: 30_000, memoryBytes: 2 * 1024 ** 3 }
/** The last words of a process that ends itself. */
export const outOfMemory = 'out of memory'
/** Each takes a core and up to the memory limit. */
const mostAtOnce = 2
let running = 0

/**
 * Reads a file as a detection model and runs it on a picture, in a process that is ended when it takes too long or too
 * much. Whatever the file does there, the portal goes on.
 * @param picture jpeg, png or webp
 * @throws 400 for `path` with the reason why the file cannot be used; 503 while others are being checked
 */
export async function checkModel(
  file: string,
  head: Head | null,
  picture: Uint8Array,
  limits: CheckLimits = usual,
): Promise<CheckResult> {
  if (running >= mostAtOnce)
    throw new Refusal(503, 'Other models are being checked; try again in a moment.', { code: 'model_check_busy' })
  running++
  try {
    const answer = await ask({ file, head, picture, memoryBytes: limits.memoryBytes }, limits)
    if ('result' in answer) return answer.result
    if ('fault' in answer) throw invalid({ path: [answer.fault] })
    throw new Error(`The check of a model failed: ${answer.broken}`)
  } finally {
    running--
  }
}

function ask(request: CheckRequest, { timeMs, memoryBytes }: CheckLimits): Promise<CheckAnswer> {
  const child = fork(new URL('./check-process.ts', import.meta.url), {
    env: {},
    execArgv: ['--max-old-space-size=512'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    let said = ''
    let isLate = false
    let answer: CheckAnswer | null = null
    const late = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, timeMs)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000)
    })
    child.on('message', (message) => {
      answer = message as CheckAnswer
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(late)
      if (answer) resolve(answer)
      else if (isLate) resolve({ fault: `model_too_slow:${Math.round(timeMs / 1000)}` })
      else if (said.includes(outOfMemory)) resolve({ fault: `model_too_much_memory:${memoryBytes / 1024 ** 2}` })
      // A signal that nobody sent is a crash of native code; an exit code is trouble of our own.
      else if (signal !== null) resolve({ fault: 'model_crashes' })
      else reject(new Error(`The process that checks models ended with ${code}: ${said}`))
    })
    // What people look at goes first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    child.send(request, (error) => {
      if (error && child.connected) reject(error)
    })
  })
}
