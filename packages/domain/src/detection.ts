/**
 * From the outputs of a detection model to boxes, for the five shapes in which such models answer. The picture goes in as
 * RGB, 0…1, planes one after another (NCHW), fitted into the model's input on grey 114 as YOLO models are trained.
 */
import { type Box, iou } from './geometry.ts'

/**
 * How a model's output is read:
 * - `yolov8`   [1, 4 + classes, N], centre and size in pixels of the input
 * - `yolov5`   [1, N, 5 + classes], likewise, score = object × class
 * - `yolox`    [1, N, 5 + classes], offsets in the grids of strides 8, 16, 32
 * - `detr`     logits [1, N, classes] and boxes [1, N, 4], centre and size as shares, score = sigmoid
 * - `end2end`  [1, N, 6], corners in pixels, score, class; overlapping boxes are already gone
 */
export const heads = ['yolov8', 'yolov5', 'yolox', 'detr', 'end2end'] as const
export type Head = (typeof heads)[number]

export type Size = { width: number; height: number }
export type Output = { dims: readonly number[]; data: ArrayLike<number> }
/** Something found: its box in pixels, its class as the model counts them. */
export type Found = { box: Box; score: number; classIndex: number }

/** Where a picture lies in the model's input: scaled by `scale`, then moved by `left` and `top`. */
export type Letterbox = Size & { scale: number; left: number; top: number; input: Size }

const grey = 114 / 255
/** More boxes than this are not compared with each other: the best ones are kept. */
const mostCandidates = 1000

/** How a picture is fitted into a model's input; `width` and `height` are those it is to be resized to. */
export function letterbox(picture: Size, input: Size): Letterbox {
  const scale = Math.min(input.width / picture.width, input.height / picture.height)
  const width = Math.min(input.width, Math.round(picture.width * scale))
  const height = Math.min(input.height, Math.round(picture.height * scale))
  return { scale, width, height, left: (input.width - width) >> 1, top: (input.height - height) >> 1, input }
}

/** The input of a model, its margins grey, for any number of pictures of the same letterbox. */
export const newPlanes = ({ input }: Letterbox): Float32Array<ArrayBuffer> =>
  new Float32Array(3 * input.width * input.height).fill(grey)

const share = Float32Array.from({ length: 256 }, (_, value) => value / 255)

/**
 * Writes a picture into the planes of a model's input.
 * @param pixels `box.width × box.height` pixels of three bytes, rows top down without padding
 */
export function fillPlanes(planes: Float32Array, pixels: Uint8Array, box: Letterbox, order: 'rgb' | 'bgr'): void {
  const { width, height, left, top, input } = box
  const plane = input.width * input.height
  const red = order === 'rgb' ? 0 : 2
  const blue = 2 - red
  for (let y = 0, from = 0; y < height; y++) {
    const start = (top + y) * input.width + left
    for (let to = start; to < start + width; to++, from += 3) {
      planes[to] = share[pixels[from + red] as number] as number
      planes[to + plane] = share[pixels[from + 1] as number] as number
      planes[to + 2 * plane] = share[pixels[from + blue] as number] as number
    }
  }
}

type Dims = readonly number[]

/** The output with the boxes of a `detr` head, and the one with the scores. */
function detrOutputs<T extends { dims: Dims }>(outputs: readonly T[]): { boxes: T; logits: T } | null {
  if (outputs.length < 2) return null
  const [first, second] = outputs as [T, T]
  const boxes = second.dims[2] === 4 ? second : first
  const logits = boxes === second ? first : second
  const fits = boxes.dims.length === 3 && boxes.dims[2] === 4 && logits.dims.length === 3
  return fits && boxes.dims[1] === logits.dims[1] ? { boxes, logits } : null
}

/** Cells of the grids of a `yolox` head; a model with one grid only has any stride. */
function yoloxStrides(input: Size, boxes: number): readonly number[] | null {
  const cells = (stride: number) => Math.floor(input.width / stride) * Math.floor(input.height / stride)
  for (const strides of [
    [8, 16, 32],
    [8, 16, 32, 64],
  ])
    if (strides.reduce((sum, stride) => sum + cells(stride), 0) === boxes) return strides
  const stride = Math.round(Math.sqrt((input.width * input.height) / boxes))
  return stride >= 1 && cells(stride) === boxes ? [stride] : null
}

/** Whether outputs of these shapes can be read with this head. */
export function fitsHead(head: Head, outputs: readonly { dims: Dims }[], input: Size): boolean {
  if (head === 'detr') return detrOutputs(outputs) !== null
  const dims = outputs[0]?.dims
  if (dims?.length !== 3 || dims[0] !== 1) return false
  const [, rows = 0, columns = 0] = dims
  if (head === 'yolov8') return rows > 4 && columns > 0
  if (head === 'end2end') return columns === 6 && rows > 0
  return columns > 5 && rows > 0 && (head === 'yolov5' || yoloxStrides(input, rows) !== null)
}

/** How many classes a model tells apart; null where its shapes do not say. */
export function classCount(head: Head, outputs: readonly { dims: Dims }[]): number | null {
  const dims = head === 'detr' ? detrOutputs(outputs)?.logits.dims : outputs[0]?.dims
  if (!dims || head === 'end2end') return null
  const [, rows = 0, columns = 0] = dims
  if (head === 'yolov8') return rows - 4
  return head === 'detr' ? columns : columns - 5
}

/**
 * The head that these shapes speak for; null when none fits. YOLOX with a single grid looks like YOLOv5, so this is an
 * offer that a person confirms, never a decision.
 */
export function guessHead(outputs: readonly { dims: Dims }[], input: Size): Head | null {
  const fitting = heads.filter((head) => fitsHead(head, outputs, input))
  const [, rows = 0, columns = 0] = outputs[0]?.dims ?? []
  const likely: Head[] = []
  if (outputs.length >= 2) likely.push('detr')
  if (columns === 6 && rows <= 1000) likely.push('end2end')
  if (rows < columns) likely.push('yolov8')
  if ((yoloxStrides(input, rows)?.length ?? 0) > 1) likely.push('yolox')
  return [...likely, 'yolov5' as const].find((head) => fitting.includes(head)) ?? null
}

/**
 * Reads the outputs of one picture.
 * @param minScore boxes below are left out
 * @returns boxes in pixels of the model's input, best first, overlapping ones included
 * @throws Error when the shapes do not fit the head
 */
export function decodeOutputs(head: Head, outputs: readonly Output[], input: Size, minScore: number): Found[] {
  if (!fitsHead(head, outputs, input)) throw new Error(`The outputs of the model do not fit the head ${head}.`)
  const found: Found[] = []
  const keep = (cx: number, cy: number, w: number, h: number, score: number, classIndex: number) => {
    // Not a number compares as false: such boxes fall out here.
    if (score >= minScore && w > 0 && h > 0 && Number.isFinite(cx + cy + w + h))
      found.push({ box: [cx - w / 2, cy - h / 2, w, h], score: Math.min(1, score), classIndex })
  }
  readers[head](outputs, input, minScore, keep)
  return found.sort((a, b) => b.score - a.score).slice(0, mostCandidates)
}

type Keep = (cx: number, cy: number, w: number, h: number, score: number, classIndex: number) => void
type Read = (outputs: readonly Output[], input: Size, minScore: number, keep: Keep) => void

const readers: Record<Head, Read> = {
  yolov8([output], _input, minScore, keep) {
    const { data, dims } = output as Output
    const [, rows = 0, count = 0] = dims
    // Class by class, as the numbers lie in memory.
    const best = new Float32Array(count)
    const classes = new Uint16Array(count)
    for (let row = 4, at = 4 * count; row < rows; row++)
      for (let i = 0; i < count; i++, at++) {
        const score = data[at] as number
        if (score > (best[i] as number)) {
          best[i] = score
          classes[i] = row - 4
        }
      }
    const value = (row: number, i: number) => data[row * count + i] as number
    for (let i = 0; i < count; i++)
      if ((best[i] as number) >= minScore)
        keep(value(0, i), value(1, i), value(2, i), value(3, i), best[i] as number, classes[i] as number)
  },
  yolov5([output], _input, minScore, keep) {
    const { data, dims } = output as Output
    const [, count = 0, columns = 0] = dims
    for (let i = 0, at = 0; i < count; i++, at += columns) {
      const object = data[at + 4] as number
      if (object < minScore) continue
      const [score, classIndex] = bestOf(data, at + 5, at + columns)
      const value = (column: number) => data[at + column] as number
      keep(value(0), value(1), value(2), value(3), score * object, classIndex)
    }
  },
  yolox([output], input, minScore, keep) {
    const { data, dims } = output as Output
    const [, count = 0, columns = 0] = dims
    let at = 0
    for (const stride of yoloxStrides(input, count) ?? [])
      for (let y = 0; y < Math.floor(input.height / stride); y++)
        for (let x = 0; x < Math.floor(input.width / stride); x++, at += columns) {
          const object = data[at + 4] as number
          if (object < minScore) continue
          const [score, classIndex] = bestOf(data, at + 5, at + columns)
          const value = (column: number) => data[at + column] as number
          const size = (column: number) => Math.exp(value(column)) * stride
          keep((value(0) + x) * stride, (value(1) + y) * stride, size(2), size(3), score * object, classIndex)
        }
  },
  detr(outputs, { width, height }, minScore, keep) {
    const { boxes, logits } = detrOutputs(outputs) as { boxes: Output; logits: Output }
    const [, count = 0, columns = 0] = logits.dims
    // The sigmoid rises: the greatest logit is the greatest score.
    const least = Math.log(minScore / (1 - minScore))
    for (let i = 0; i < count; i++) {
      const [logit, classIndex] = bestOf(logits.data, i * columns, (i + 1) * columns, Number.NEGATIVE_INFINITY)
      if (logit < least) continue
      const value = (column: number) => boxes.data[i * 4 + column] as number
      const score = 1 / (1 + Math.exp(-logit))
      keep(value(0) * width, value(1) * height, value(2) * width, value(3) * height, score, classIndex)
    }
  },
  end2end([output], _input, minScore, keep) {
    const { data, dims } = output as Output
    const [, count = 0] = dims
    for (let at = 0; at < count * 6; at += 6) {
      const score = data[at + 4] as number
      if (score < minScore) continue
      const [left, top, right, bottom] = [0, 1, 2, 3].map((column) => data[at + column] as number) as [
        number,
        number,
        number,
        number,
      ]
      keep(
        (left + right) / 2,
        (top + bottom) / 2,
        right - left,
        bottom - top,
        score,
        Math.trunc(data[at + 5] as number),
      )
    }
  },
}

function bestOf(data: ArrayLike<number>, from: number, to: number, floor = 0): [value: number, index: number] {
  let best = floor
  let index = 0
  for (let at = from; at < to; at++)
    if ((data[at] as number) > best) {
      best = data[at] as number
      index = at - from
    }
  return [best, index]
}

/**
 * Greedy non-maximum suppression among boxes of the same kind: of those that overlap by more than `limit` the best stays.
 * @param found best first
 */
export function suppressOverlaps<T extends { box: Box }>(
  found: readonly T[],
  kindOf: (one: T) => unknown,
  limit: number,
): T[] {
  const kept: T[] = []
  for (const next of found)
    if (kept.every((better) => kindOf(better) !== kindOf(next) || iou(better.box, next.box) <= limit)) kept.push(next)
  return kept
}

/** A box in the model's input as pixels of the picture, cut at its edges; null when nothing of it lies inside. */
export function fromLetterbox([x, y, w, h]: Box, { scale, left, top }: Letterbox, picture: Size): Box | null {
  const x1 = Math.max(0, (x - left) / scale)
  const y1 = Math.max(0, (y - top) / scale)
  const x2 = Math.min(picture.width, (x + w - left) / scale)
  const y2 = Math.min(picture.height, (y + h - top) / scale)
  return x2 > x1 && y2 > y1 ? [x1, y1, x2 - x1, y2 - y1] : null
}
