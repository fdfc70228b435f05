import { expect, test } from 'vitest'
import { rangeAddresses } from './range.ts'

test.each([
  ['192.168.1.0/24', 254, '192.168.1.1', '192.168.1.254'],
  ['192.168.1.77/24', 254, '192.168.1.1', '192.168.1.254'],
  ['10.255.252.0/22', 1022, '10.255.252.1', '10.255.255.254'],
  ['172.31.255.252/30', 2, '172.31.255.253', '172.31.255.254'],
  ['192.168.0.8/31', 2, '192.168.0.8', '192.168.0.9'],
  ['10.0.0.5/32', 1, '10.0.0.5', '10.0.0.5'],
])('%s has %i addresses to ask', (range, count, first, last) => {
  const found = rangeAddresses(range)
  if ('fault' in found) throw new Error(found.fault)
  expect([found.addresses.length, found.addresses[0], found.addresses.at(-1)]).toEqual([count, first, last])
})

test.each([
  ['192.168.1.0', 'range_invalid'],
  ['192.168.1.0/33', 'range_invalid'],
  ['192.168.1.0/24/1', 'range_invalid'],
  ['192.168.1.0/-1', 'range_invalid'],
  ['192.168.1/24', 'range_invalid'],
  ['192.168.01.0/24', 'range_invalid'],
  ['fe80::/64', 'range_invalid'],
  ['', 'range_invalid'],
  ['192.168.0.0/21', 'range_too_large'],
  ['10.0.0.0/0', 'range_too_large'],
  ['8.8.8.0/24', 'range_not_private'],
  ['127.0.0.0/24', 'range_not_private'],
  ['169.254.169.0/24', 'range_not_private'],
  ['172.32.0.0/24', 'range_not_private'],
  ['100.64.0.0/24', 'range_not_private'],
  ['224.0.0.0/24', 'range_not_private'],
])('%s is refused: %s', (range, fault) => {
  expect(rangeAddresses(range)).toEqual({ fault })
})
