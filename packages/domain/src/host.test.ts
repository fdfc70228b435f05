import { expect, test } from 'vitest'
import { searchableNetwork } from './host.ts'

test.each([
  ['its own network', '192.168.1.20/24', '192.168.1.0/24'],
  ['a smaller one', '10.0.5.77/28', '10.0.5.64/28'],
  ['the largest that is searched', '172.16.7.9/22', '172.16.4.0/22'],
  ['of a larger one its own part', '172.31.200.9/16', '172.31.200.0/24'],
  ['without a length, the usual', '10.1.2.3', '10.1.2.0/24'],
  ['none of a single address', '10.1.2.3/32', null],
  ['none of this machine', '127.0.0.1/8', null],
  ['none that is not private', '172.32.0.1/24', null],
  ['none of IPv6', 'fd00::2/64', null],
  ['none of what is no address', 'eth0', null],
])('a search address by address begins at the network of the edge server: %s', (_what, address, network) => {
  expect(searchableNetwork(address)).toBe(network)
})
