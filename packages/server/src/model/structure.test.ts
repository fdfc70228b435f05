import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colourDetector, graph, onnxFile, part } from '../../../domain/src/testing/onnx-file.ts'
import { Fault } from '../apart-messages.ts'
import { inputSizeOf, readStructure } from './structure.ts'

const input = { name: 'images', dims: [1, 3, 64, 64] as (number | string)[] }
const output = { name: 'out', dims: [1, 3, 64, 64] }
const relu = { op: 'Relu', in: ['images'], out: ['out'] }
const plain = (of: Partial<Parameters<typeof onnxFile>[0]> = {}) =>
  onnxFile({ nodes: [relu], inputs: [input], outputs: [output], ...of })
const elsewhere = { name: 'w', dims: [1], elsewhere: '../../instance.key' }
/** What the runtime would merge with the graph before it. */
const more = graph({ nodes: [], weights: [elsewhere], inputs: [], outputs: [] })
/** A function of its own, with a default of an attribute. */
const withDefault = (tensor: Uint8Array) => part(25, part(11, part(5, tensor)))
/** A graph inside an attribute, as branches and loops have them. */
const inside = (body: Uint8Array) => ({ op: 'If', in: ['x'], out: ['out'], attributes: { then_branch: body } })
const nested = (depth: number): Uint8Array =>
  graph({ nodes: depth === 0 ? [relu] : [inside(nested(depth - 1))], inputs: [], outputs: [output] })

test('inputs, outputs, version and class names are read; weights that old files list as inputs are not', () => {
  const weights = [{ name: 'w', dims: [1], floats: new Float32Array(1) }]
  const dims = ['batch', 3, 'height', 'width']
  const file = plain({
    inputs: [
      { ...input, dims },
      { name: 'w', dims: [1] },
    ],
    weights,
    metadata: { names: "{0: 'person'}" },
  })
  const structure = readStructure(file)
  expect(structure).toEqual({
    opset: 13,
    inputs: [{ name: 'images', type: 'float32', dims }],
    outputs: [{ name: 'out', type: 'float32', dims: [1, 3, 64, 64] }],
    names: new Map([[0, 'person']]),
  })
  expect(inputSizeOf(structure)).toEqual({ width: 640, height: 640 })
})

test.each<[string, Uint8Array, string]>([
  ['nothing', new Uint8Array(), 'not_onnx'],
  ['a script', Buffer.from('#!/bin/sh\necho'), 'not_onnx'],
  ['an archive, as PyTorch writes it', Buffer.from('PK\u0003\u0004 whatever'), 'model_is_archive'],
  ['half of a model', colourDetector('yolov8').subarray(0, 900), 'model_truncated'],
  ['operators of tomorrow', plain({ opset: 99 }), 'model_opset:99:7:24'],
  ['operators without a version', part(7, graph({ nodes: [relu], inputs: [input], outputs: [output] })), 'not_onnx'],
  ['weights in another file', plain({ weights: [elsewhere] }), 'model_external_data'],
  [
    'the same in a branch',
    plain({ nodes: [inside(graph({ nodes: [relu], weights: [elsewhere], inputs: [], outputs: [output] }))] }),
    'model_external_data',
  ],
  ['the same in a second graph', Buffer.concat([plain(), part(7, more)]), 'not_onnx'],
  [
    'the same under a tag of more than 32 bits',
    Buffer.concat([plain(), Buffer.of(0xba, 0x80, 0x80, 0x80, 0x20), part(7, more).subarray(1)]),
    'not_onnx',
  ],
  [
    "the same as a function's default",
    Buffer.concat([plain(), withDefault(part(13, Buffer.from('x')))]),
    'model_external_data',
  ],
  [
    'an operator from a library',
    plain({ nodes: [{ ...relu, op: 'Evil:1', domain: 'evil.corp' }] }),
    'model_custom_operator:Evil 1',
  ],
  ['branches without end', plain({ nodes: [inside(nested(20))] }), 'not_onnx'],
  ['two inputs', plain({ inputs: [input, { name: 'sizes', dims: [1, 2], type: 7 }] }), 'model_inputs:2'],
  ['half precision', plain({ inputs: [{ ...input, type: 10 }] }), 'model_input_type:float16'],
  [
    'pictures of one colour',
    plain({ inputs: [{ ...input, dims: [1, 1, 64, 64] }] }),
    'model_input_shape:1 × 1 × 64 × 64',
  ],
  ['huge pictures', plain({ inputs: [{ ...input, dims: [1, 3, 100_000, 100_000] }] }), 'model_input_size:32:2048'],
])('%s: refused with its reason', (_, bytes, fault) => {
  expect(() => inputSizeOf(readStructure(bytes))).toThrow(new Fault(fault))
})

test('whatever the bytes, there is a structure or a reason, and never more than the file is long', () => {
  const whole = colourDetector('yolov5', 64)
  const changed = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 })
    .map((edits) => {
      const bytes = whole.slice()
      for (const [at, value] of edits) bytes[at] = value
      return bytes
    })
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 300 })), (bytes) => {
      try {
        expect(readStructure(bytes).inputs.length).toBeLessThan(bytes.length)
      } catch (error) {
        expect(error).toBeInstanceOf(Fault)
      }
    }),
    { numRuns: 500 },
  )
})
