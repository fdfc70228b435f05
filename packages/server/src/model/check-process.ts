/**
 * The dry run of an uploaded model, in a process of its own: the file is somebody else's, and the runtime that reads it is
 * native code. Started by `check.ts`, which bounds its time; its memory it bounds itself. It knows nothing but what it is
 * sent: no environment, no database, no keys.
 */
import { readFileSync, writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import {
  classCount,
  decodeOutputs,
  type Found,
  fillPlanes,
  fitsHead,
  fromLetterbox,
  guessHead,
  type Head,
  heads,
  type LabelMap,
  letterbox,
  newPlanes,
  type Output,
  type Size,
  suggestLabels,
  suppressOverlaps,
} from '@sightline/domain'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { outOfMemory } from './check.ts'
import { inputSizeOf, ModelFault, type ModelStructure, readStructure } from './structure.ts'

export type CheckRequest = {
  file: string
  head: Head | null
  /** A picture as sharp reads it, and its size. */
  picture: Uint8Array
  /** Above it the process ends itself. */
  memoryBytes: number
}
export type CheckResult = ModelStructure & {
  /** Suggested from the names of its classes. */
  labels: LabelMap
  size: Size
  heads: Head[]
  head: Head
  classes: number | null
  runMs: number
  blankBoxes: number
  /** In the picture, boxes in 0…1. */
  found: Found[]
}
export type CheckAnswer = { result: CheckResult } | { fault: string } | { broken: string }

/** Boxes below are not shown: half of what channels ask for by default would be noise. */
const minScore = 0.35
const overlap = 0.45
const mostShown = 100
/** An answer of more numbers than this is not a list of boxes. */
const mostNumbers = 30_000_000

if (isMainThread && process.send) {
  process.once('message', (request: CheckRequest) => {
    watchMemory(request.memoryBytes)
    check(request)
      .then(
        (result): CheckAnswer => ({ result }),
        (error: unknown): CheckAnswer =>
          error instanceof ModelFault ? { fault: error.message } : { broken: String((error as Error).stack ?? error) },
      )
      .then((answer) => process.send?.(answer, () => process.exit(0)))
  })
} else if (!isMainThread) {
  // The main thread is busy in native code; only another one can look, and only a signal ends the process then.
  setInterval(() => {
    if (process.memoryUsage.rss() <= workerData) return
    writeSync(2, outOfMemory)
    process.kill(process.pid, 'SIGKILL')
  }, 20)
}

function watchMemory(bytes: number): void {
  new Worker(new URL(import.meta.url), { workerData: bytes }).unref()
}

async function check({ file, head: wanted, picture }: CheckRequest): Promise<CheckResult> {
  const structure = readStructure(readFileSync(file))
  const size = inputSizeOf(structure)
  const { InferenceSession, Tensor } = await import('onnxruntime-node').catch((error: Error) => {
    throw new ModelFault(`model_runtime_missing:${detailOf(error, file)}`)
  })
  const cannotRun = (error: Error) => {
    throw new ModelFault(`model_unrunnable:${detailOf(error, file)}`)
  }
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
  }).catch(cannotRun)
  const input = (planes: Float32Array) =>
    new Tensor('float32', planes, [1, 3, size.height, size.width]) satisfies Tensor
  const run = async (planes: Float32Array) =>
    outputsOf(await session.run({ [session.inputNames[0] as string]: input(planes) }).catch(cannotRun), session)

  // Twice, for the time of the second: the first prepares memory.
  const blank = newPlanes(letterbox(size, size))
  const blankOutputs = await run(blank)
  const fitting = heads.filter((head) => fitsHead(head, blankOutputs, size))
  const head = wanted ?? guessHead(blankOutputs, size)
  if (!head || !fitting.includes(head))
    throw new ModelFault(`model_head:${blankOutputs.map(({ dims }) => dims.join(' × ')).join(', ')}`)

  const { width = 0, height = 0 } = await sharp(picture).metadata()
  const box = letterbox({ width, height }, size)
  const pixels = await sharp(picture)
    .resize(box.width, box.height, { fit: 'fill' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer()
  const planes = newPlanes(box)
  fillPlanes(planes, pixels, box, 'rgb')
  const begun = performance.now()
  const outputs = await run(planes)
  const runMs = performance.now() - begun

  const boxesIn = (answered: Output[]) => {
    const found = decodeOutputs(head, answered, size, minScore)
    return head === 'end2end' ? found : suppressOverlaps(found, ({ classIndex }) => classIndex, overlap)
  }
  return {
    ...structure,
    labels: suggestLabels(structure.names),
    size,
    heads: fitting,
    head,
    classes: classCount(head, outputs),
    runMs,
    blankBoxes: boxesIn(blankOutputs).length,
    found: boxesIn(outputs)
      .slice(0, mostShown)
      .flatMap((one) => {
        const inPicture = fromLetterbox(one.box, box, { width, height })
        if (!inPicture) return []
        const [x, y, w, h] = inPicture
        return [{ ...one, box: [x / width, y / height, w / width, h / height] as const }]
      }),
  }
}

function outputsOf(values: InferenceSession.OnnxValueMapType, { outputNames }: InferenceSession): Output[] {
  return outputNames.flatMap((name) => {
    const value = values[name]
    if (!value || !('dims' in value)) throw new ModelFault(`model_output_type:${name}`)
    const { dims, data, type } = value as Tensor
    // Answers beside the boxes (masks, key points) may be of any type: nobody reads them.
    if (type !== 'float32') return []
    if (data.length > mostNumbers) throw new ModelFault(`model_head:${dims.join(' × ')}`)
    return [{ dims, data: data as Float32Array }]
  })
}

/** What the runtime says, on one line, without our paths; colons separate a message's arguments. */
const detailOf = (error: Error, file: string): string =>
  error.message.replaceAll(file, 'model').replaceAll(/\s+/g, ' ').replaceAll(':', ' ').slice(0, 200).trim()
