import { expect, it } from 'vitest'
import { channelSid, nameShapes, withSidPrefix } from './naming.ts'

it.each([
  ['People counting', [], 'channel/people-counting'],
  ['Entrée Nord_2', [], 'channel/entree-nord-2'],
  ['大門', [], 'channel/channel'],
  ['Gate', ['channel/gate', 'channel/gate-2'], 'channel/gate-3'],
])('stream name of the channel %s, taken %j', (name, taken, sid) => {
  expect(channelSid(name, (value) => taken.includes(value))).toBe(sid)
})

it('adds the prefix once', () => {
  expect(withSidPrefix('gate')).toBe('channel/gate')
  expect(withSidPrefix('channel/gate')).toBe('channel/gate')
})

it('numbers shapes per kind and never gives a number again', () => {
  const first = nameShapes(['zone', 'line', 'zone', 'mask'], {})
  expect(first.names).toEqual(['zone1', 'line1', 'zone2', 'mask1'])
  expect(nameShapes(['zone', 'line'], first.numbers)).toEqual({
    names: ['zone3', 'line2'],
    numbers: { zone: 3, line: 2, mask: 1 },
  })
})
