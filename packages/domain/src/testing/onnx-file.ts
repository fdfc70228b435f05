/**
 * Writes ONNX files (onnx.proto, a protocol buffer) for tests and measurements: detectors whose answers are known exactly,
 * without anybody's weights.
 */
import type { Head } from '../detection.ts'

type Bytes = ArrayLike<number>

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const byte = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest ? byte | 0x80 : byte)
  } while (rest)
  return bytes
}
function joined(...parts: Bytes[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
/** A field of bytes, or an embedded message. */
export const part = (field: number, bytes: Bytes) => joined(varint(field * 8 + 2), varint(bytes.length), bytes)
/** @param value ASCII, as all names here are */
const text = (field: number, value: string) =>
  part(
    field,
    Uint8Array.from(value, (letter) => letter.charCodeAt(0)),
  )
const whole = (field: number, value: number) => joined(varint(field * 8), varint(value))

const float = 1
const int64 = 7
export type Weights = {
  name: string
  dims: number[]
  floats?: Float32Array
  ints?: number[]
  /** Says that the numbers are in another file. */
  elsewhere?: string
}
function tensor({ name, dims, floats, ints = [], elsewhere }: Weights) {
  const numbers = floats
    ? new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength)
    : new Uint8Array(new BigInt64Array(ints.map(BigInt)).buffer)
  const place = elsewhere && [part(13, joined(text(1, 'location'), text(2, elsewhere))), whole(14, 1)]
  return joined(
    ...dims.map((size) => whole(1, size)),
    whole(2, floats ? float : int64),
    text(8, name),
    ...(place || [part(9, numbers)]),
  )
}

export type Node = {
  op: string
  in: string[]
  out: string[]
  /** Whole numbers and lists of them, or a whole graph. */
  attributes?: Record<string, number | number[] | Uint8Array>
  domain?: string
}
function node({ op, in: inputs, out, attributes = {}, domain }: Node) {
  return joined(
    ...inputs.map((name) => text(1, name)),
    ...out.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => part(5, attribute(name, value))),
    ...(domain ? [text(7, domain)] : []),
  )
}
function attribute(name: string, value: number | number[] | Uint8Array) {
  if (typeof value === 'number') return joined(text(1, name), whole(3, value), whole(20, 2))
  if (value instanceof Uint8Array) return joined(text(1, name), part(6, value), whole(20, 5))
  return joined(text(1, name), ...value.map((one) => whole(8, one)), whole(20, 7))
}

export type Shape = { name: string; dims: (number | string)[]; type?: number }
function shape({ name, dims, type = float }: Shape) {
  const sizes = dims.map((size) => part(1, typeof size === 'number' ? whole(1, size) : text(2, size)))
  return joined(text(1, name), part(2, part(1, joined(whole(1, type), part(2, joined(...sizes))))))
}

export type Graph = { nodes: Node[]; weights?: Weights[]; inputs: Shape[]; outputs: Shape[] }
export const graph = ({ nodes, weights = [], inputs, outputs }: Graph) =>
  joined(
    ...nodes.map((one) => part(1, node(one))),
    text(2, 'g'),
    ...weights.map((one) => part(5, tensor(one))),
    ...inputs.map((one) => part(11, shape(one))),
    ...outputs.map((one) => part(12, shape(one))),
  )

/** A whole file. */
export const onnxFile = (of: Graph & { opset?: number; metadata?: Record<string, string> }) =>
  joined(
    whole(1, 8),
    text(2, 'sightline tests'),
    part(7, graph(of)),
    part(8, joined(text(1, ''), whole(2, of.opset ?? 13))),
    ...Object.entries(of.metadata ?? {}).map(([name, value]) => part(14, joined(text(1, name), text(2, value)))),
  )

/** Side of the cells that the detector below looks at, in pixels of its input. */
export const cellSide = 32

/**
 * A detector of colours: each cell of 32 × 32 pixels that is purely red, green or blue is an object of class 0, 1 or 2, its
 * score the share of the cell that has the colour. Grey is nothing.
 * @param size side of its square input, a multiple of 32
 * @param names of its three classes, as a Python dict in the metadata
 * @param standing cells of this row are the feet of something so many cells tall; with the head `yolov8`
 * @param more classes beyond its three, which it never finds; with the head `yolov8`
 */
export function colourDetector(
  head: Head,
  size = 320,
  names = ['red', 'green', 'blue'],
  standing: { row: number; cells: number } | null = null,
  more = 0,
): Uint8Array<ArrayBuffer> {
  const side = size / cellSide
  const cells = side * side
  // Its own channel less the two others, at least 0.
  const colours = new Float32Array([1, -1, -1, -1, 1, -1, -1, -1, 1])
  const nodes: Node[] = [
    { op: 'Conv', in: ['images', 'colours'], out: ['c'], attributes: { kernel_shape: [1, 1] } },
    { op: 'Relu', in: ['c'], out: ['r'] },
    {
      op: 'AveragePool',
      in: ['r'],
      out: ['p'],
      attributes: { kernel_shape: [cellSide, cellSide], strides: [cellSide, cellSide] },
    },
    { op: 'Reshape', in: ['p', 'flat'], out: ['s'] },
  ]
  const weights: Weights[] = [
    { name: 'colours', dims: [3, 3, 1, 1], floats: colours },
    { name: 'flat', dims: [3], ints: [1, 3, cells] },
  ]
  /** The constant numbers of each cell, cell by cell or number by number. */
  const constants = (of: (x: number, y: number) => number[], byCell: boolean) => {
    const rows = Array.from({ length: cells }, (_, i) => of(i % side, Math.floor(i / side)))
    const count = rows[0]?.length ?? 0
    const floats = Float32Array.from({ length: cells * count }, (_, i) =>
      byCell ? (rows[Math.floor(i / count)]?.[i % count] ?? 0) : (rows[i % cells]?.[Math.floor(i / cells)] ?? 0),
    )
    weights.push({ name: 'boxes', dims: byCell ? [1, cells, count] : [1, count, cells], floats })
  }
  const at = (x: number) => (x + 0.5) * cellSide
  const outputs: Shape[] = []
  if (head === 'yolov8') {
    const tall = (y: number) => (y === standing?.row ? standing.cells : 1)
    constants((x, y) => [at(x), at(y - (tall(y) - 1) / 2), cellSide, tall(y) * cellSide], false)
    if (more > 0) weights.push({ name: 'more', dims: [1, more, cells], floats: new Float32Array(more * cells) })
    const parts = ['boxes', 's', ...(more > 0 ? ['more'] : [])]
    nodes.push({ op: 'Concat', in: parts, out: ['output0'], attributes: { axis: 1 } })
    outputs.push({ name: 'output0', dims: [1, 7 + more, cells] })
  } else {
    nodes.push({ op: 'Transpose', in: ['s'], out: ['t'], attributes: { perm: [0, 2, 1] } })
    if (head === 'detr') {
      constants((x, y) => [(x + 0.5) / side, (y + 0.5) / side, 1 / side, 1 / side], true)
      weights.push({ name: 'half', dims: [1], floats: new Float32Array([0.5]) })
      weights.push({ name: 'twenty', dims: [1], floats: new Float32Array([20]) })
      nodes.push(
        { op: 'Sub', in: ['t', 'half'], out: ['u'] },
        { op: 'Mul', in: ['u', 'twenty'], out: ['logits'] },
        { op: 'Identity', in: ['boxes'], out: ['pred_boxes'] },
      )
      outputs.push({ name: 'logits', dims: [1, cells, 3] }, { name: 'pred_boxes', dims: [1, cells, 4] })
    } else if (head === 'end2end') {
      constants((x, y) => [x, y, x + 1, y + 1].map((edge) => edge * cellSide), true)
      nodes.push(
        { op: 'ReduceMax', in: ['t'], out: ['score'], attributes: { axes: [2], keepdims: 1 } },
        { op: 'ArgMax', in: ['t'], out: ['class'], attributes: { axis: 2, keepdims: 1 } },
        { op: 'Cast', in: ['class'], out: ['classes'], attributes: { to: float } },
        { op: 'Concat', in: ['boxes', 'score', 'classes'], out: ['output0'], attributes: { axis: 2 } },
      )
      outputs.push({ name: 'output0', dims: [1, cells, 6] })
    } else {
      constants((x, y) => (head === 'yolox' ? [0.5, 0.5, 0, 0, 1] : [at(x), at(y), cellSide, cellSide, 1]), true)
      nodes.push({ op: 'Concat', in: ['boxes', 't'], out: ['output0'], attributes: { axis: 2 } })
      outputs.push({ name: 'output0', dims: [1, cells, 8] })
    }
  }
  const dict = `{${names.map((name, i) => `${i}: '${name}'`).join(', ')}}`
  return onnxFile({
    nodes,
    weights,
    inputs: [{ name: 'images', dims: [1, 3, size, size] }],
    outputs,
    metadata: { names: dict },
  })
}

/**
 * An embedding model that answers the mean of red, green and blue of the picture it gets: pictures are as alike as their
 * colours.
 * @param size side of its square input
 */
export const colourEmbedder = (size = 32): Uint8Array<ArrayBuffer> =>
  onnxFile({
    nodes: [
      { op: 'GlobalAveragePool', in: ['face'], out: ['mean'] },
      { op: 'Flatten', in: ['mean'], out: ['vector'] },
    ],
    inputs: [{ name: 'face', dims: [1, 3, size, size] }],
    outputs: [{ name: 'vector', dims: [1, 3] }],
  })

/** Convolutions of about the cost of YOLOv8n (4.3 GMAC at 640), with a `yolov8` head of no meaning: for measurements. */
export function costlyDetector(size: number): Uint8Array<ArrayBuffer> {
  const nodes: Node[] = []
  const weights: Weights[] = []
  let channels = 3
  let from = 'images'
  const conv = (to: number, stride: number) => {
    const name = `w${weights.length}`
    const spread = 2 * Math.sqrt(2 / (channels * 9))
    // Knuth's multiplicative hash: the same numbers each time, without a pattern.
    const floats = Float32Array.from(
      { length: to * channels * 9 },
      (_, i) => ((Math.imul(i, 2_654_435_761) >>> 0) / 2 ** 32 - 0.5) * spread,
    )
    weights.push({ name, dims: [to, channels, 3, 3], floats })
    const attributes = { kernel_shape: [3, 3], strides: [stride, stride], pads: [1, 1, 1, 1] }
    nodes.push({ op: 'Conv', in: [from, name], out: [`c${name}`], attributes })
    nodes.push({ op: 'Relu', in: [`c${name}`], out: [`r${name}`] })
    from = `r${name}`
    channels = to
  }
  for (const [to, times] of [
    [16, 1],
    [32, 3],
    [64, 7],
    [128, 6],
    [256, 4],
  ] as const)
    for (let i = 0; i < times; i++) conv(to, i === 0 ? 2 : 1)
  // 84 rows of one number for each of the cells that YOLOv8 answers at this size.
  const cells = 21 * (size / 32) ** 2
  const last = (size / 32) ** 2
  nodes.push({ op: 'Slice', in: [from, 'zero', 'rows', 'one'], out: ['few'] })
  nodes.push({ op: 'Reshape', in: ['few', 'flat'], out: ['flatly'] })
  nodes.push({ op: 'Tile', in: ['flatly', 'times'], out: ['output0'] })
  weights.push(
    { name: 'zero', dims: [1], ints: [0] },
    { name: 'rows', dims: [1], ints: [84] },
    { name: 'one', dims: [1], ints: [1] },
    { name: 'flat', dims: [3], ints: [1, 84, last] },
    { name: 'times', dims: [3], ints: [1, 1, 21] },
  )
  return onnxFile({
    nodes,
    weights,
    inputs: [{ name: 'images', dims: [1, 3, size, size] }],
    outputs: [{ name: 'output0', dims: [1, 84, cells] }],
  })
}
