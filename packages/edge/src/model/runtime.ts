/**
 * ONNX Runtime, run in step with the caller. Its public `run` answers by a promise although it works on the calling thread;
 * an analysis worker looks at one picture after the other and has nothing to do meanwhile, so this uses the object below
 * it. The package is pinned; a test of its own fails should another version differ.
 */
import { createRequire } from 'node:module'
import type { Output, Size } from '@sightline/domain'

type Native = typeof import('onnxruntime-node/dist/binding.js')
type Runtime = Native & Pick<typeof import('onnxruntime-node'), 'Tensor'>

const require = createRequire(import.meta.url)
let runtime: Runtime | null = null

/** A model cannot be run; the message is a cause, an id that both languages translate. */
export class ModelTrouble extends Error {}

/** Loaded with the first model: it takes 45 MB that nobody else needs. @throws ModelTrouble where the platform has none */
function loadRuntime(): Runtime {
  if (runtime) return runtime
  try {
    const { Tensor } = require('onnxruntime-node') as Pick<Runtime, 'Tensor'>
    const native = require('onnxruntime-node/dist/binding.js') as Native
    native.initOrt()
    runtime = { ...native, Tensor }
    return runtime
  } catch (error) {
    throw new ModelTrouble('model_runtime_missing', { cause: error })
  }
}

export type Session = {
  /** @param planes of the size that the session was opened with; read, never kept */
  run(planes: Float32Array): Output[]
  close(): void
}

type Loaded = { native: InstanceType<Native['binding']['InferenceSession']>; users: number }
/** Of this thread, by file: cameras of one worker share a model. */
const loaded = new Map<string, Loaded>()

/** One thread each: two cost half as much again and save little. @throws ModelTrouble */
export function openSession(file: string, size: Size): Session {
  const { Tensor } = loadRuntime()
  const shared = loaded.get(file) ?? load(file)
  shared.users++
  const { native } = shared
  const input = native.inputMetadata[0]?.name as string
  const wanted = Object.fromEntries(native.outputMetadata.map(({ name }) => [name, null]))
  const dims = [1, 3, size.height, size.width]
  return {
    run(planes) {
      const answered = native.run({ [input]: new Tensor('float32', planes, dims) }, wanted, {})
      return Object.values(answered).flatMap((value) =>
        // Answers beside the boxes may be of any type: nobody reads them.
        'dims' in value && value.type === 'float32' ? [{ dims: value.dims, data: value.data as Float32Array }] : [],
      )
    },
    close() {
      if (--shared.users > 0) return
      loaded.delete(file)
      native.dispose()
    },
  }
}

function load(file: string): Loaded {
  const native = new (loadRuntime().binding.InferenceSession)()
  try {
    native.loadModel(file, { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 })
  } catch (error) {
    throw new ModelTrouble(`model_unrunnable:${sentenceOf(error)}`, { cause: error })
  }
  const made = { native, users: 0 }
  loaded.set(file, made)
  return made
}

/** On one line, and without what separates the arguments of a cause. */
const sentenceOf = (error: unknown): string =>
  String((error as Error).message ?? error)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(':', ' ')
    .slice(0, 120)
