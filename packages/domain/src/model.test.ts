import { expect, test } from 'vitest'
import { classNames, suggestLabels } from './model.ts'

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
