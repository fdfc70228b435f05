/**
 * Models at work, each in a process of its own, as an analysis thread uses them: in step. A model that crashes is started
 * again after a pause, and left alone for an hour when it crashes again and again; meanwhile it answers nothing and says why.
 */
import { Worker } from 'node:worker_threads'
import type { Box, Size } from '@sightline/domain'
import {
  answers,
  type Broken,
  control,
  dataBytes,
  type ModelFile,
  numbersOfFound,
  requestBytes,
} from './inference-wire.ts'
import { ModelTrouble } from './runtime.ts'

/** `box` in pixels of the model's input. */
export type Found = { box: Box; score: number; classIndex: number }

export type Inference = {
  /** @param fitted BGR, as `letterbox` fits `picture` into the input; null where the model does not work: see `trouble` */
  find(fitted: Uint8Array, picture: Size, minScore: number): Found[] | null
  /** Likewise, the unit vector of an embedding model; null too where it gives the picture no direction. */
  vector(fitted: Uint8Array, picture: Size): Float32Array | null
  /** Why it does not work, as a cause; null while it does. Starts it again when that is due. */
  trouble(): string | null
  /** Of its process now; null without one. */
  pid(): number | null
  close(): void
}

/** Within the silence that main allows an analysis thread (`analysis.ts`). */
const openMs = 8000
const answerMs = 5000
/** A large file on a busy disk. */
const loadMs = 60_000
/** Before it is started again for the first and second time; one that crashes more often in a row is left alone. */
const pausesMs = [1000, 5000]
const lateCause = 'model_crashed:late'
const inARowMs = 600_000
const quarantineMs = 3_600_000

/** What waiting for models may still take, of work whose waits add up; each waits by itself otherwise. */
let leftMs: number | null = null

/** All models together hold up one picture no longer than one may: whoever is late then is ended, and further ones answer nothing. */
export const asOnePicture = <T>(work: () => T): T => patiently(answerMs, work)
/** Likewise the models that are opened with a configuration; those that are not ready by then answer nothing yet. */
export const asOneOpening = <T>(work: () => T): T => patiently(openMs, work)

function patiently<T>(ms: number, work: () => T): T {
  leftMs = ms
  try {
    return work()
  } finally {
    leftMs = null
  }
}
function waitForAnswer({ state }: Process, mostMs: number): number {
  const begun = performance.now()
  Atomics.wait(state, control.answer, answers.none, Math.min(mostMs, leftMs ?? mostMs))
  if (leftMs !== null) leftMs = Math.max(0, leftMs - (performance.now() - begun))
  return Atomics.load(state, control.answer)
}

let log: (text: string) => void = console.error
/** Where this thread tells what a model's process said as it ended. */
export function logModelsTo(sink: (text: string) => void): void {
  log = sink
}

/** How often a model crashed in a row, by file: whoever opens it anew finds it as it was left. */
const crashes = new Map<string, { count: number; at: number; how: string }>()

type Process = { broker: Worker; state: Int32Array; data: Uint8Array; since: number; isReady: boolean }
/** Of this thread: cameras of one thread share a model's process. */
const open = new Map<string, { inference: Inference; users: number }>()

/** @throws ModelTrouble where the runtime refuses the file */
export function openInference(model: ModelFile): Inference {
  const key = JSON.stringify(model)
  const shared = open.get(key) ?? { inference: start(model), users: 0 }
  open.set(key, shared)
  shared.users++
  return {
    ...shared.inference,
    close() {
      if (--shared.users > 0) return
      open.delete(key)
      shared.inference.close()
    },
  }
}

function start(model: ModelFile): Inference {
  let running: Process | null = null

  const isQuarantined = () => (crashes.get(model.file)?.count ?? 0) > pausesMs.length
  const isDue = () => {
    const crash = crashes.get(model.file)
    if (!crash) return true
    return performance.now() - crash.at >= (pausesMs[crash.count - 1] ?? quarantineMs)
  }
  const begin = (): Process => {
    const shared = { control: new SharedArrayBuffer(control.length * 4), data: new SharedArrayBuffer(dataBytes(model)) }
    const broker = new Worker(new URL('./broker.ts', import.meta.url), {
      name: 'model',
      workerData: { model, shared },
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
    })
    broker.on('message', ({ how, said }: Broken) => log(`The process of a model ended (${how}): ${said}`))
    broker.unref()
    const state = new Int32Array(shared.control)
    // It passes on what it is given and has little to fail at; its process then ends with its input.
    broker.on('error', (error) => {
      log(`The broker of a model failed: ${error.message}`)
      Atomics.store(state, control.answer, answers.ended)
    })
    running = { broker, state, data: new Uint8Array(shared.data), since: performance.now(), isReady: false }
    return running
  }
  const end = ({ broker }: Process) => {
    broker.postMessage(0)
    running = null
  }
  const crashed = (here: Process, how: string) => {
    // Of one that ended by itself its broker tells.
    if (how === 'late') log('The process of a model did not answer in time and is ended')
    const now = performance.now()
    const before = crashes.get(model.file)
    const isInARow = before !== undefined && now - before.at < inARowMs
    crashes.set(model.file, { count: isInARow ? before.count + 1 : 1, at: now, how })
    end(here)
  }
  const said = ({ state, data }: Process) => data.slice(0, Atomics.load(state, control.bytes))
  const textOf = (here: Process) => new TextDecoder().decode(said(here))
  /** What has come meanwhile: it is ready, or has ended. */
  const look = (here: Process) => {
    const answer = Atomics.load(here.state, control.answer)
    if (answer === answers.ready) here.isReady = true
    else if (answer === answers.ended || answer === answers.fault) crashed(here, textOf(here))
    else if (!here.isReady && performance.now() - here.since > loadMs) crashed(here, 'late')
  }
  const trouble = (): string | null => {
    if (running) look(running)
    // Another model took all the time that there was for this picture.
    if (running?.isReady) return leftMs === 0 ? lateCause : null
    if (!running && isDue()) begin()
    const crash = crashes.get(model.file)
    if (!crash) return 'model_starting'
    return `${isQuarantined() ? 'model_quarantined' : 'model_crashed'}:${crash.how}`
  }

  /** The numbers that are answered for a picture; null where the model does not work. */
  function ask(fitted: Uint8Array, picture: Size, minScore: number): Float32Array | null {
    if (trouble() !== null || !running) return null
    const { state, data, broker } = running
    const request = new DataView(data.buffer)
    request.setUint32(0, picture.width, true)
    request.setUint32(4, picture.height, true)
    request.setFloat32(8, minScore, true)
    data.set(fitted, requestBytes)
    Atomics.store(state, control.answer, answers.none)
    broker.postMessage(requestBytes + fitted.length)
    const answer = waitForAnswer(running, answerMs)
    if (answer === answers.found) return new Float32Array(said(running).buffer)
    crashed(running, answer === answers.ended ? textOf(running) : 'late')
    return null
  }

  if (isDue()) {
    const here = begin()
    if (waitForAnswer(here, openMs) === answers.fault) {
      const fault = textOf(here)
      end(here)
      throw new ModelTrouble(fault)
    }
  }
  return {
    trouble,
    pid: () => (running && Atomics.load(running.state, control.pid)) || null,
    find(fitted, picture, minScore) {
      const numbers = ask(fitted, picture, minScore)
      if (numbers === null) return null
      return Array.from({ length: numbers.length / numbersOfFound }, (_, i) => {
        const [x, y, w, h, score, classIndex] = numbers.subarray(i * numbersOfFound) as unknown as SixNumbers
        return { box: [x, y, w, h], score, classIndex }
      })
    },
    vector(fitted, picture) {
      const numbers = ask(fitted, picture, 0)
      return numbers && numbers.length > 0 ? numbers : null
    },
    close() {
      if (running) end(running)
    },
  }
}

type SixNumbers = [number, number, number, number, number, number]
