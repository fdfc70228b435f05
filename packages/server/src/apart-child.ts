/**
 * The inner side of a process that runs somebody else's model: native code reads it, so nothing else is there. It knows
 * nothing but what it is sent: no environment, no database, no keys. `apart.ts` starts it and bounds its time; its memory it
 * bounds itself.
 */
import { writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { fillPlanes, type Letterbox, letterbox, newPlanes, type Output, type Size } from '@sightline/domain'
import type { Tensor } from 'onnxruntime-node'
import sharp from 'sharp'
import { type ApartAnswer, type ApartRequest, Fault, outOfMemory } from './apart-messages.ts'

/** An answer of more numbers than this is neither a list of boxes nor a vector. */
const mostNumbers = 30_000_000

// A thread of anything else than `workApart` has no number to look for.
if (!isMainThread && typeof workerData === 'number') {
  // The main thread is busy in native code; only another one can look, and only a signal ends the process then.
  setInterval(() => {
    if (process.memoryUsage.rss() <= workerData) return
    writeSync(2, outOfMemory)
    process.kill(process.pid, 'SIGKILL')
  }, 20)
}

/** Answers the one request of this process, and ends it. */
export function workApart<Request, Result>(work: (request: Request) => Promise<Result>): void {
  if (!isMainThread || !process.send) return
  process.once('message', ({ request, memoryBytes }: ApartRequest<Request>) => {
    new Worker(new URL(import.meta.url), { workerData: memoryBytes }).unref()
    work(request)
      .then(
        (result): ApartAnswer<Result> => ({ result }),
        (error: unknown): ApartAnswer<Result> =>
          error instanceof Fault ? { fault: error.message } : { broken: String((error as Error).stack ?? error) },
      )
      .then((answer) => process.send?.(answer, () => process.exit(0)))
  })
}

/**
 * Loads a model with one input of such pictures.
 * @returns what runs it on the planes of one, and answers its outputs of float32
 * @throws Fault
 */
export async function loadModel(file: string, size: Size): Promise<(planes: Float32Array) => Promise<Output[]>> {
  const { InferenceSession, Tensor } = await import('onnxruntime-node').catch((error: Error) => {
    throw new Fault(`model_runtime_missing:${detailOf(error, file)}`)
  })
  const cannotRun = (error: Error) => {
    throw new Fault(`model_unrunnable:${detailOf(error, file)}`)
  }
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
  }).catch(cannotRun)
  const input = (planes: Float32Array) =>
    new Tensor('float32', planes, [1, 3, size.height, size.width]) satisfies Tensor
  return async (planes) => {
    const values = await session.run({ [session.inputNames[0] as string]: input(planes) }).catch(cannotRun)
    return session.outputNames.flatMap((name) => {
      const value = values[name]
      if (!value || !('dims' in value)) throw new Fault(`model_output_type:${name}`)
      const { dims, data, type } = value as Tensor
      // Answers beside what is read (masks, key points) may be of any type: nobody reads them.
      if (type !== 'float32') return []
      if (data.length > mostNumbers) throw new Fault(`model_head:${dims.join(' × ')}`)
      return [{ dims, data: data as Float32Array }]
    })
  }
}

/**
 * A picture as a model with inputs of that size takes it.
 * @param picture as sharp reads it
 * @returns planes of 0…1, where the picture lies in them, and its size
 */
export async function planesOf(
  picture: Uint8Array,
  size: Size,
): Promise<{ planes: Float32Array; box: Letterbox; whole: Size }> {
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
  return { planes, box, whole: { width, height } }
}

/** What the runtime says, on one line, without our paths; colons separate a message's arguments. */
const detailOf = (error: Error, file: string): string =>
  error.message.replaceAll(file, 'model').replaceAll(/\s+/g, ' ').replaceAll(':', ' ').slice(0, 200).trim()
