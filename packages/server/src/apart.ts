import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { type ApartAnswer, type ApartRequest, outOfMemory } from './apart-messages.ts'
import { invalid } from './refusal.ts'
import { createSharedTurns } from './turns.ts'

export type ApartLimits = { timeMs: number; memoryBytes: number }

// At low priority on a busy machine a good model takes its time; a client waits a minute.
const usual: ApartLimits = { timeMs: 50_000, memoryBytes: 2 * 1024 ** 3 }
/** Each takes a core and up to the memory limit; the next turn is another organization's where one waits. */
const turnsOf = createSharedTurns<number>({ atOnce: 2, waiting: 8 }, { atOnce: 2, waiting: 4 })

/**
 * Runs somebody else's model in a process that is ended when it takes too long or too much. Whatever the file does there,
 * the portal goes on.
 * @param script whose `workApart` answers the request
 * @param tenantId for whom it is run
 * @param field of the input that is refused when the file cannot be used
 * @throws 400 for that field with the reason; 503 `busy` while too many others wait
 */
export async function runApart<Request, Result>(
  script: URL,
  tenantId: number,
  request: Request,
  field: string,
  limits: ApartLimits = usual,
): Promise<Result> {
  const sent: ApartRequest<Request> = { request, memoryBytes: limits.memoryBytes }
  const answer: ApartAnswer<Result> = await turnsOf(tenantId).take(() => ask(script, sent, limits))
  if ('result' in answer) return answer.result
  if ('fault' in answer) throw invalid({ [field]: [answer.fault] })
  throw new Error(`The run of a model failed: ${answer.broken}`)
}

function ask<Request, Result>(
  script: URL,
  request: ApartRequest<Request>,
  { timeMs, memoryBytes }: ApartLimits,
): Promise<ApartAnswer<Result>> {
  const child = fork(script, {
    env: {},
    execArgv: ['--max-old-space-size=512'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    let said = ''
    let isLate = false
    let answer: ApartAnswer<Result> | null = null
    const late = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, timeMs)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000)
    })
    child.on('message', (message) => {
      answer = message as ApartAnswer<Result>
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(late)
      if (answer) resolve(answer)
      else if (isLate) resolve({ fault: `model_too_slow:${Math.round(timeMs / 1000)}` })
      else if (said.includes(outOfMemory)) resolve({ fault: `model_too_much_memory:${memoryBytes / 1024 ** 2}` })
      // A signal that nobody sent is a crash of native code; an exit code is trouble of our own.
      else if (signal !== null) resolve({ fault: 'model_crashes' })
      else reject(new Error(`The process that runs models ended with ${code}: ${said}`))
    })
    // What people look at goes first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    child.send(request, (error) => {
      if (error && child.connected) reject(error)
    })
  })
}
