/**
 * One model at work, in a process of its own: what it makes native code do ends nobody else. It has nothing to do but to
 * read a picture, run the model and write what was found, so it does all of that in step. Its end comes with that of its
 * input, so it outlives nobody.
 */
import { readSync, writeFileSync, writeSync } from 'node:fs'
import { decodeOutputs, fillPlanes, intoRange, letterbox, newPlanes, unitVector } from '@sightline/domain'
import { answerBytes, answers, type ModelFile, mostFound, numbersOfFound, requestBytes } from './inference-wire.ts'
import { ModelTrouble, openSession } from './runtime.ts'

// Where memory ends the system takes this process, not the edge server.
if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')

const { file, head, size, range = 'unit' } = JSON.parse(process.argv[2] ?? '') as ModelFile

function read(bytes: Uint8Array): Uint8Array {
  for (let filled = 0; filled < bytes.length; ) {
    const count = readSync(0, bytes, filled, bytes.length - filled, null)
    if (count === 0) process.exit(0)
    filled += count
  }
  return bytes
}
function answer(kind: number, bytes: Uint8Array): void {
  const all = new Uint8Array(answerBytes + bytes.length)
  new Uint32Array(all.buffer, 0, 2).set([kind, bytes.length])
  all.set(bytes, answerBytes)
  for (let sent = 0; sent < all.length; ) sent += writeSync(1, all, sent)
}

function opened() {
  try {
    return openSession(file, size)
  } catch (error) {
    if (!(error instanceof ModelTrouble)) throw error
    answer(answers.fault, new TextEncoder().encode(error.message))
    process.exit(0)
  }
}

const session = opened()
answer(answers.ready, new Uint8Array())
const request = new Uint8Array(requestBytes)
let planes: Float32Array | null = null
let picture = new Uint8Array()
let last = ''
for (;;) {
  const asked = new DataView(read(request).buffer)
  const [width, height] = [asked.getUint32(0, true), asked.getUint32(4, true)]
  const box = letterbox({ width, height }, size)
  // What the picture leaves free of the input is filled once, so it must be of the same shape; another range changes it.
  if (!planes || last !== `${box.width} ${box.height}` || range !== 'unit') planes = newPlanes(box)
  last = `${box.width} ${box.height}`
  if (picture.length !== box.width * box.height * 3) picture = new Uint8Array(box.width * box.height * 3)
  fillPlanes(planes, read(picture), box, 'bgr')
  intoRange(planes, range)
  if (head === 'embedding') {
    const vector = unitVector(session.run(planes)) ?? new Float32Array()
    answer(answers.found, new Uint8Array(vector.buffer))
    continue
  }
  const found = decodeOutputs(head, session.run(planes), size, asked.getFloat32(8, true))
    .sort((a, b) => b.score - a.score)
    .slice(0, mostFound)
  const numbers = Float32Array.from(found.flatMap(({ box, score, classIndex }) => [...box, score, classIndex]))
  if (numbers.length !== found.length * numbersOfFound) throw new Error('What was found is of an unknown shape.')
  answer(answers.found, new Uint8Array(numbers.buffer))
}
