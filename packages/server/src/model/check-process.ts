/**
 * The dry run of an uploaded model, in a process of its own: the file is somebody else's, and the runtime that reads it is
 * native code.
 */
import { readFileSync } from 'node:fs'
import {
  classCount,
  decodeOutputs,
  type Found,
  fitsHead,
  fromLetterbox,
  guessHead,
  heads,
  type LabelMap,
  letterbox,
  type ModelHead,
  newPlanes,
  type Output,
  type Size,
  suggestLabels,
  suppressOverlaps,
  vectorLength,
} from '@sightline/domain'
import { loadModel, planesOf, workApart } from '../apart-child.ts'
import { Fault } from '../apart-messages.ts'
import { inputSizeOf, type ModelStructure, readStructure } from './structure.ts'

export type CheckRequest = {
  file: string
  head: ModelHead | null
  /** A picture as sharp reads it, and its size. */
  picture: Uint8Array
}
export type CheckResult = ModelStructure & {
  /** Suggested from the names of its classes. */
  labels: LabelMap
  size: Size
  heads: ModelHead[]
  head: ModelHead
  classes: number | null
  vectorLength: number | null
  runMs: number
  blankBoxes: number
  /** In the picture, boxes in 0…1. */
  found: Found[]
}

/** Boxes below are not shown: half of what channels ask for by default would be noise. */
const minScore = 0.35
const overlap = 0.45
const mostShown = 100

workApart(check)

async function check({ file, head: wanted, picture }: CheckRequest): Promise<CheckResult> {
  const structure = readStructure(readFileSync(file))
  const size = inputSizeOf(structure)
  const run = await loadModel(file, size)

  // Twice, for the time of the second: the first prepares memory.
  const blank = newPlanes(letterbox(size, size))
  const blankOutputs = await run(blank)
  const length = vectorLength(blankOutputs)
  const fitting: ModelHead[] = heads.filter((head) => fitsHead(head, blankOutputs, size))
  if (length !== null) fitting.push('embedding')
  const head = wanted ?? guessHead(blankOutputs, size) ?? fitting[0]
  if (!head || !fitting.includes(head))
    throw new Fault(`model_head:${blankOutputs.map(({ dims }) => dims.join(' × ')).join(', ')}`)

  const { planes, box, whole } = await planesOf(picture, size)
  const begun = performance.now()
  const outputs = await run(planes)
  const runMs = performance.now() - begun

  const boxesIn = (answered: Output[]) => {
    if (head === 'embedding') return []
    const found = decodeOutputs(head, answered, size, minScore)
    return head === 'end2end' ? found : suppressOverlaps(found, ({ classIndex }) => classIndex, overlap)
  }
  return {
    ...structure,
    labels: suggestLabels(structure.names),
    size,
    heads: fitting,
    head,
    classes: head === 'embedding' ? null : classCount(head, outputs),
    vectorLength: head === 'embedding' ? length : null,
    runMs,
    blankBoxes: boxesIn(blankOutputs).length,
    found: boxesIn(outputs)
      .slice(0, mostShown)
      .flatMap((one) => {
        const inPicture = fromLetterbox(one.box, box, whole)
        if (!inPicture) return []
        const [x, y, w, h] = inPicture
        return [{ ...one, box: [x / whole.width, y / whole.height, w / whole.width, h / whole.height] as const }]
      }),
  }
}
