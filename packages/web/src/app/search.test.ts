import { expect, test } from 'vitest'
import { choice, moment, oneOf, optional, search, tableSearch, text, uuid } from './search.ts'

const id = '0199a3b0-0000-7000-8000-0000000000aa'
const { parse } = search({
  sid: uuid,
  uid: optional(uuid),
  from: optional(moment),
  tag: choice(text(3)),
  tab: choice(oneOf(['a', 'b'])),
  ...tableSearch,
})

test('an address is read to what its screen knows, and to nothing else', () => {
  const address = { sid: id, uid: id, from: '2026-03-29T01:59:59.5Z', tag: 'abc', tab: 'b', q: 'Lobby', sort: '-name' }
  expect(parse(address)).toEqual(address)
  expect(parse({ sid: id, other: '1', uid: undefined })).toEqual({ sid: id })
})

test.each([
  ['lacks what its screen is about', {}],
  ['holds no id', { sid: 'x' }],
  ['holds more than an id', { sid: `${id}0` }],
  ['holds half an id', { sid: id, uid: id.slice(0, 20) }],
  ['holds a time that is none', { sid: id, from: '2026-13-01T00:00:00Z' }],
  ['holds a time without its zone', { sid: id, from: '2026-03-29T01:59:59' }],
  ['holds a filter that is too long', { sid: id, q: 'x'.repeat(101) }],
])('an address that %s is refused', (_, address) => {
  expect(() => parse(address)).toThrow('The address needs')
})

test('a choice that nobody offers is none', () => {
  expect(parse({ sid: id, tag: 'abcd', tab: 'c' })).toEqual({ sid: id })
})
