/**
 * What a user's model costs beyond the runtime's own time: fitting the picture in, carrying it to the model's process,
 * reading the answer, suppressing overlaps. A generated net of YOLOv8n's cost (4.3 GMAC at 640), pictures of 640 × 480,
 * one thread.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cellSide, colourDetector, costlyDetector } from '../packages/domain/src/testing/onnx-file.ts'
import { type Cv, loadOpenCv, type Mat } from '../packages/edge/src/analysis/opencv.ts'
import { createModelDetector } from '../packages/edge/src/model/detector.ts'
import { openInference } from '../packages/edge/src/model/inference.ts'
import { openSession } from '../packages/edge/src/model/runtime.ts'
import { type Figure, median } from './measure.ts'
import type { Run } from './run.ts'

const picture = { width: 640, height: 480 }
const sides = [640, 320] as const
/** The first runs prepare memory. */
const warmUp = 3

export async function models(run: Run): Promise<Figure[]> {
  const cv = await loadOpenCv()
  const folder = run.folder()
  const bgr = new cv.Mat(picture.height, picture.width, cv.CV_8UC3)
  run.atEnd(() => bgr.delete())
  return sides.map((side) => measure(cv, bgr, folder, side, run.quick ? 15 : 60))
}

function measure(cv: Cv, bgr: Mat, folder: string, side: number, rounds: number): Figure {
  const write = (name: string, bytes: Uint8Array) => {
    const file = join(folder, `${name}-${side}.onnx`)
    writeFileSync(file, bytes)
    return file
  }
  const size = { width: side, height: side }
  const open = (file: string) =>
    createModelDetector(
      cv,
      {
        ...{ sha256: '', file, head: 'yolov8', size, labels: { 0: 'person', 1: 'vehicle' } },
        ...{ minScore: 0.35, nms: 0.45, isGated: false },
      },
      picture.width,
      picture.height,
    )

  // The same code finds what is painted: a red cell of the model's input, somewhere in the middle.
  const scale = side / picture.width
  const cell = { x: 4 * cellSide, y: Math.ceil(side / 2 / cellSide) * cellSide }
  const top = Math.round((cell.y - (side - picture.height * scale) / 2) / scale)
  const edge = cellSide / scale
  bgr.data.fill(114)
  for (let y = top; y < top + edge; y++)
    for (let x = cell.x / scale; x < cell.x / scale + edge; x++) bgr.data.set([0, 0, 255], (y * picture.width + x) * 3)
  const exact = open(write('colours', colourDetector('yolov8', side)))
  const found = exact.find(bgr, [], [])
  exact.delete()
  const wanted = [cell.x / scale, top, edge, edge]
  const isRight = found.length === 1 && wanted.every((value, i) => Math.abs((found[0]?.box[i] as number) - value) <= 1)

  const file = write('costly', costlyDetector(side))
  const session = openSession(file, size)
  const detector = open(file)
  // The detector's own: it is shared, and so tells which process that is.
  const inference = openInference({ file, head: 'yolov8', size })
  const pid = inference.pid() as number
  const planes = new Float32Array(3 * side * side).fill(0.4)
  const alone: number[] = []
  const whole: number[] = []
  // In turns, so that whatever else runs on the machine costs both the same.
  for (let round = -warmUp; round < rounds; round++) {
    const own = cpuMs(() => session.run(planes))
    const before = processMs(pid)
    const here = cpuMs(() => detector.find(bgr, [], []))
    const all = here + processMs(pid) - before
    if (round < 0) continue
    alone.push(own)
    whole.push(all)
  }
  detector.delete()
  inference.close()
  session.close()
  return {
    metric: `CPU of a picture with a user's model over the runtime's own, ${side} × ${side}`,
    unit: '×',
    product: whole.map((ms, i) => ms / (alone[i] as number)),
    limit: { name: 'the runtime alone', rounds: [1] },
    gate: { atMost: 1.1 },
    correct: { ok: isRight, what: 'a painted cell is found exact to the pixel' },
    note: `${median(whole).toFixed(1)} ms of CPU, the runtime alone ${median(alone).toFixed(1)} ms`,
  }
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** CPU time of all threads of another process, ms: to the nanosecond, where /proc/PID/stat counts hundredths. */
function processMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return spent.reduce((sum, ns) => sum + Number(ns), 0) / 1e6
}
