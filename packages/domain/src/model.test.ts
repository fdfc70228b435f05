import { expect, test } from 'vitest'
import { classNames, pastedNames, relabelled, suggestLabels } from './model.ts'

const read = (text: string) => Object.fromEntries(classNames(text))

test('names of classes are read from a Python dict, from JSON and from lists', () => {
  expect(read(`{0: 'person', 1: 'hard hat', 12: "driver's cab"}`)).toEqual({
    0: 'person',
    1: 'hard hat',
    12: "driver's cab",
  })
  expect(read('{"0": "red", "2": "blue"}')).toEqual({ 0: 'red', 2: 'blue' })
  expect(read(`['person', "car"]`)).toEqual({ 0: 'person', 1: 'car' })
  expect(read(`{0: 'it\\'s', 1: 'b'}`)).toEqual({ 0: "it's", 1: 'b' })
  expect(read(`{0: it's, 1: 'it''s', 2: "car, red", 3: bus (long)}`)).toEqual({
    ...{ 0: "it's", 1: "it's", 2: 'car, red', 3: 'bus (long)' },
  })
})

test('text that is no list of names gives none, and no name is longer than a form shows', () => {
  for (const text of ['', 'person', '{', "{0: 'open", '[]', '{a: "b"}', 'null']) expect(read(text)).toEqual({})
  expect(read(`{0: '${'x'.repeat(500)}', 99999: 'far'}`)).toEqual({ 0: 'x'.repeat(60) })
})

test('known words are suggested as labels, others are left to the person', () => {
  const names = new Map([
    [0, 'Hardhat'],
    [1, 'NO-Hardhat'],
    [2, 'Safety Vest'],
    [3, 'machinery'],
    [4, 'banana'],
    [5, 'Fumée'],
    [6, 'without_mask'],
  ])
  expect(suggestLabels(names)).toEqual({
    0: 'helmet',
    1: 'no_helmet',
    2: 'vest',
    3: 'vehicle',
    5: 'smoke',
    6: 'no_mask',
  })
})

test('pasted names are read a line each, in order or by their numbers, and as files write them', () => {
  const pasted = (text: string) => Object.fromEntries(pastedNames(text))
  expect(pasted('person\r\nbicycle\n\n2 wheeler\n')).toEqual({ 0: 'person', 1: 'bicycle', 2: '2 wheeler' })
  expect(pasted('names:\n  0: person\n  79: "hard hat"\n')).toEqual({ 0: 'person', 79: 'hard hat' })
  expect(pasted("names:\n- person\n- 'car'\n")).toEqual({ 0: 'person', 1: 'car' })
  expect(pasted('3 fork lift\n4 truck')).toEqual({ 3: 'fork lift', 4: 'truck' })
  expect(pasted('299,vest\n1000,far')).toEqual({ 299: 'vest' })
  expect(pasted("names: ['person', 'car']")).toEqual({ 0: 'person', 1: 'car' })
  expect(pasted("{5: 'person'}")).toEqual({ 5: 'person' })
  expect(pasted('[other]\nperson')).toEqual({ 0: '[other]', 1: 'person' })
  expect(pasted('  ')).toEqual({})
})

test('names without quotes are as many, and of a whole data.yaml only those under its key are read', () => {
  const pasted = (text: string) => Object.fromEntries(pastedNames(text))
  expect(pasted('names: [person, bicycle]')).toEqual({ 0: 'person', 1: 'bicycle' })
  expect(pasted("[person, 'hard hat', 12]")).toEqual({ 0: 'person', 1: 'hard hat', 2: '12' })
  expect(pasted('{0: person, 1: car}')).toEqual({ 0: 'person', 1: 'car' })
  const head = 'path: ../datasets/site # root\ntrain: images/train\nval: images/val\n\nnc: 2\n'
  const tail = '\n# Download\ndownload: https://example.com/site.zip\n'
  for (const names of [
    'names: [person, car]',
    'names: [\n  person,\n  car\n]',
    "names: ['person',\n        'car']",
    '"names": {"0": "person", "1": "car"}',
    'names: {0: person, 1: car}',
    'names:\n  0: person # who\n  1: car',
    'names:\r\n  # Classes\r\n  0: person\r\n  1: "car"',
    'names:\n- person\n- car',
  ]) {
    expect(pasted(head + names + tail), names).toEqual({ 0: 'person', 1: 'car' })
    expect(pasted(names), names).toEqual({ 0: 'person', 1: 'car' })
  }
})

test('other names bring other suggestions, and leave what a person chose or took away', () => {
  const before = { 0: 'person', 1: 'vehicle', 2: 'helmet' } as const
  const chosen = { 0: 'person', 1: 'forklift', 7: 'fire' } as const
  expect(relabelled(chosen, before, { 1: 'vehicle', 2: 'vest', 3: 'smoke' })).toEqual({
    ...{ 1: 'forklift', 3: 'smoke', 7: 'fire' },
  })
})
