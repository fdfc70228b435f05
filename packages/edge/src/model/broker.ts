/**
 * A thread between an analysis thread, which waits for an answer in step, and the process of a model, which can only be
 * talked to by events. It never looks at what it passes on.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import {
  answerBytes,
  answers,
  type Broken,
  control,
  type ModelFile,
  numbersOfFound,
  type Shared,
} from './inference-wire.ts'

const { model, shared } = workerData as { model: ModelFile; shared: Shared }
const state = new Int32Array(shared.control)
const data = new Uint8Array(shared.data)
const script = fileURLToPath(new URL('./inference-process.ts', import.meta.url))
/** As of cameras: see `camera/process.ts`. */
const slender = ['--max-semi-space-size=1', '--single-threaded', '--v8-pool-size=1']

const closed = 'closed'
const mostSaid = 2000

const child = spawn(process.execPath, [...slender, script, JSON.stringify(model)], {
  env: process.env.PATH ? { PATH: process.env.PATH } : {},
  stdio: ['pipe', 'pipe', 'pipe'],
})
let hasEnded = false
let received = Buffer.alloc(0)
/** Its first words come unasked. */
let isAwaited = true
/** Its last words. */
let said = ''
const numberBytes = 4
/** Of one thing found: of a vector, one of its numbers. */
const foundBytes = model.head === 'embedding' ? numberBytes : numbersOfFound * numberBytes

function tell(answer: number, bytes: Uint8Array): void {
  const kept = bytes.subarray(0, data.length)
  data.set(kept)
  Atomics.store(state, control.bytes, kept.length)
  Atomics.store(state, control.answer, answer)
  Atomics.notify(state, control.answer)
}
function end(how: string): void {
  if (hasEnded) return
  hasEnded = true
  child.kill('SIGKILL')
  tell(answers.ended, new TextEncoder().encode(how))
  if (how !== closed) parentPort?.postMessage({ how, said } satisfies Broken)
  parentPort?.close()
}

Atomics.store(state, control.pid, child.pid ?? 0)
child.on('error', (error) => end(error.message))
// After its last words.
child.on('close', (code, signal) => end(signal ?? String(code)))
child.stderr.setEncoding('utf8').on('data', (text: string) => {
  said = (said + text).slice(-mostSaid)
})
// It dies in the middle of a picture: 'close' follows.
child.stdin.on('error', () => undefined)
child.stdout.on('data', (bytes: Buffer) => {
  if (hasEnded) return
  received = Buffer.concat([received, bytes])
  // One answer to each question, so that no more than one is ever kept.
  while (!hasEnded && received.length >= answerBytes) {
    const [kind, length] = [received.readUInt32LE(0), received.readUInt32LE(4)]
    if (!isAwaited || !isAnswer(kind, length)) return end('bad_answer')
    if (received.length < answerBytes + length) return
    const answer = received.subarray(answerBytes, answerBytes + length)
    received = received.subarray(answerBytes + length)
    isAwaited = false
    tell(kind, answer)
  }
})
function isAnswer(kind: number, length: number): boolean {
  if (length > data.length) return false
  if (kind === answers.found) return length % foundBytes === 0
  return kind === answers.ready ? length === 0 : kind === answers.fault
}
parentPort?.on('message', (bytes: number) => {
  if (bytes === 0) return end(closed)
  isAwaited = true
  // Whoever asked waits, so that the memory stays as it is until the answer.
  child.stdin.write(Buffer.from(shared.data, 0, bytes))
})
