/**
 * The structure of an ONNX file (onnx.proto, a protocol buffer): what the portal wants to know of it, and what keeps it
 * from being run at all. Read before the runtime sees the file; weights are passed over, never copied. No length in the
 * file is believed.
 */
import type { TensorShape } from '@sightline/contract'
import { classNames } from '@sightline/domain'
import { Fault } from '../apart-messages.ts'

export type ModelStructure = {
  opset: number
  inputs: TensorShape[]
  outputs: TensorShape[]
  /** Class names by number, as the file's metadata has them; may be empty. */
  names: Map<number, string>
}

/** Versions of the standard operators that the runtime is tested with. */
const opsets = { least: 7, most: 24 }
/** Operators of these are in the runtime itself; any other needs a library of somebody's, which is never loaded. */
const knownDomains = new Set(['', 'ai.onnx', 'ai.onnx.ml', 'com.microsoft'])
const deepest = 12
const mostNodes = 100_000
const mostNameBytes = 64 * 1024
const mostShapes = 64

const float = 1
const elementTypes: Record<number, string> = {
  ...{ 1: 'float32', 2: 'uint8', 3: 'int8', 4: 'uint16', 5: 'int16', 6: 'int32', 7: 'int64', 8: 'string' },
  ...{ 9: 'bool', 10: 'float16', 11: 'float64', 12: 'uint32', 13: 'uint64', 16: 'bfloat16' },
}

/** @throws Fault */
export function readStructure(file: Uint8Array): ModelStructure {
  if (file[0] === 0x50 && file[1] === 0x4b) throw new Fault('model_is_archive')
  const model = fieldsOf(file)
  // The runtime would merge a second graph with the first.
  const [graph, ...others] = model.bytes(7)
  if (!graph || others.length > 0 || model.bytes(8).length === 0) throw new Fault('not_onnx')
  const opset = opsetOf(model)
  if (opset < opsets.least || opset > opsets.most)
    throw new Fault(`model_opset:${opset}:${opsets.least}:${opsets.most}`)

  const functions = model.bytes(25)
  const domains = new Set([...knownDomains, ...functions.map((one) => fieldsOf(one).text(10))])
  const count = { nodes: 0 }
  for (const one of functions.map(fieldsOf)) {
    for (const node of one.bytes(7)) checkNode(node, domains, count, 0)
    for (const attribute of one.bytes(11)) checkAttribute(attribute, domains, count, 0)
  }
  checkGraph(graph, domains, count, 0)

  const body = fieldsOf(graph)
  const weights = new Set(body.bytes(5).map((tensor) => fieldsOf(tensor).text(8)))
  const shapes = (field: number) => body.bytes(field).slice(0, mostShapes).map(shapeOf)
  const properties = new Map(
    model.bytes(14).map((entry) => {
      const { text } = fieldsOf(entry)
      return [text(1), text(2)] as const
    }),
  )
  return {
    opset,
    // Old files list their weights among the inputs.
    inputs: shapes(11).filter(({ name }) => !weights.has(name)),
    outputs: shapes(12),
    names: classNames(properties.get('names') ?? ''),
  }
}

/** The picture that a model wants: one input of float32, [1, 3, height, width]; open sizes become the usual 640. */
export function inputSizeOf({ inputs }: ModelStructure): { width: number; height: number } {
  const [input, ...others] = inputs
  if (!input || others.length > 0) throw new Fault(`model_inputs:${inputs.length}`)
  if (input.type !== elementTypes[float]) throw new Fault(`model_input_type:${input.type}`)
  const [batch, channels, height, width] = input.dims
  const isOpenOr = (size: number | string | undefined, fixed: number) => typeof size === 'string' || size === fixed
  if (input.dims.length !== 4 || !isOpenOr(batch, 1) || !isOpenOr(channels, 3))
    throw new Fault(`model_input_shape:${input.dims.join(' × ')}`)
  const sides = [width, height].map((size) => (typeof size === 'number' ? size : usualSide)) as [number, number]
  if (sides.some((side) => side < 32 || side > mostSide)) throw new Fault(`model_input_size:32:${mostSide}`)
  return { width: sides[0], height: sides[1] }
}
const usualSide = 640
const mostSide = 2048

function opsetOf(model: Fields): number {
  const standard = model
    .bytes(8)
    .map(fieldsOf)
    .find((entry) => ['', 'ai.onnx'].includes(entry.text(1)))
  return standard?.number(2) ?? 0
}

type Count = { nodes: number }

function checkGraph(graph: Uint8Array, domains: ReadonlySet<string>, count: Count, depth: number): void {
  if (depth > deepest) throw new Fault('not_onnx')
  const fields = fieldsOf(graph)
  for (const node of fields.bytes(1)) checkNode(node, domains, count, depth)
  for (const tensor of fields.bytes(5)) checkTensor(tensor)
  for (const sparse of fields.bytes(15)) checkSparse(sparse)
}

function checkNode(node: Uint8Array, domains: ReadonlySet<string>, count: Count, depth: number): void {
  if (++count.nodes > mostNodes) throw new Fault('not_onnx')
  const fields = fieldsOf(node)
  const domain = fields.text(7)
  if (!domains.has(domain)) throw new Fault(`model_custom_operator:${wordOf(fields.text(4))}`)
  for (const attribute of fields.bytes(5)) checkAttribute(attribute, domains, count, depth)
}

function checkAttribute(attribute: Uint8Array, domains: ReadonlySet<string>, count: Count, depth: number): void {
  const value = fieldsOf(attribute)
  for (const tensor of [...value.bytes(5), ...value.bytes(10)]) checkTensor(tensor)
  for (const sparse of [...value.bytes(22), ...value.bytes(23)]) checkSparse(sparse)
  for (const graph of [...value.bytes(6), ...value.bytes(11)]) checkGraph(graph, domains, count, depth + 1)
}

function checkSparse(sparse: Uint8Array): void {
  const fields = fieldsOf(sparse)
  for (const tensor of [...fields.bytes(1), ...fields.bytes(2)]) checkTensor(tensor)
}

/** Weights in other files would be read from wherever the file says. */
function checkTensor(tensor: Uint8Array): void {
  const fields = fieldsOf(tensor)
  if (fields.number(14) !== 0 || fields.bytes(13).length > 0) throw new Fault('model_external_data')
}

function shapeOf(info: Uint8Array): TensorShape {
  const fields = fieldsOf(info)
  const tensor = fieldsOf(fieldsOf(fields.bytes(2)[0] ?? empty).bytes(1)[0] ?? empty)
  const dims = fieldsOf(tensor.bytes(2)[0] ?? empty)
    .bytes(1)
    .slice(0, mostShapes)
    .map((dim) => {
      const size = fieldsOf(dim)
      return size.has(1) ? size.number(1) : wordOf(size.text(2))
    })
  return { name: wordOf(fields.text(1)), type: elementTypes[tensor.number(1)] ?? 'unknown', dims }
}

/** Of a name that goes into a message: no colon, which separates a message's arguments. */
const wordOf = (name: string): string => name.replaceAll(':', ' ').slice(0, 60)

const empty = new Uint8Array()

type Fields = {
  has(field: number): boolean
  /** Of a field that holds bytes: each time it occurs. */
  bytes(field: number): Uint8Array[]
  text(field: number): string
  /** The last one, 0 when absent. */
  number(field: number): number
}

/** The fields of one message, by number. @throws Fault when it is none, or ends too early */
function fieldsOf(message: Uint8Array): Fields {
  const parts = new Map<number, Uint8Array[]>()
  const numbers = new Map<number, number>()
  let at = 0
  const varint = (): number => {
    // Ten groups of seven bits hold 64; above 2^53 a number only loses precision, and no size here is as great.
    let value = 0
    for (let i = 0; i < 10; i++) {
      const byte = message[at++]
      if (byte === undefined) throw new Fault('model_truncated')
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) return value
    }
    throw new Fault('not_onnx')
  }
  const skip = (length: number) => {
    if (length > message.length - at) throw new Fault('model_truncated')
    at += length
  }
  while (at < message.length) {
    const tag = varint()
    const field = Math.floor(tag / 8)
    // Of a longer one the runtime reads the lower 32 bits, and so another field than we would.
    if (field === 0 || tag >= 2 ** 32) throw new Fault('not_onnx')
    switch (tag % 8) {
      case 0:
        numbers.set(field, varint())
        break
      case 1:
        skip(8)
        break
      case 2: {
        const length = varint()
        skip(length)
        const part = message.subarray(at - length, at)
        const known = parts.get(field)
        if (known) known.push(part)
        else parts.set(field, [part])
        break
      }
      case 5:
        skip(4)
        break
      default:
        throw new Fault('not_onnx')
    }
  }
  return {
    has: (field) => numbers.has(field),
    bytes: (field) => parts.get(field) ?? [],
    text: (field) => new TextDecoder().decode((parts.get(field)?.at(-1) ?? empty).subarray(0, mostNameBytes)),
    number: (field) => numbers.get(field) ?? 0,
  }
}
