import { expect, test } from 'vitest'
import { isLoopbackHost, isOrdinaryIp } from './network.ts'

test.each(['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopbackHost(host)).toBe(true)
  },
)
test.each(['localhost.example.com', '128.0.0.1', '127.example.com', '::2', 'mylocalhost'])('%s is not', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})
test.each([
  ['192.168.1.2', 'private'],
  ['8.8.8.8', 'unicast'],
  ['100.64.0.9', 'carrierGradeNat'],
  ['fd00::20', 'uniqueLocal'],
  ['192.0.2.7', 'reserved'],
])('%s may be a camera', (ip, range) => {
  expect(isOrdinaryIp(ip, range)).toBe(true)
})
test.each([
  ['fd00:ec2::254', 'uniqueLocal'],
  ['100.100.100.200', 'carrierGradeNat'],
  ['168.63.129.16', 'unicast'],
  ['169.254.169.254', 'linkLocal'],
  ['127.0.0.1', 'loopback'],
  ['240.0.0.1', 'reserved'],
  ['64:ff9b::7f00:1', 'rfc6052'],
])('%s may not', (ip, range) => {
  expect(isOrdinaryIp(ip, range)).toBe(false)
})
