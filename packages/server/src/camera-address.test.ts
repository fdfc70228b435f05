import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { addressFault, ipsMeantAt, streamSchemes } from './camera-address.ts'

const none = () => false
const beside = { is_local: true, address: '127.0.0.1' }
const fault = (address: string, opener = beside) => addressFault(address, streamSchemes, none, opener)

it.each([
  'rtsp://192.168.1.20:554/stream1',
  'rtsp://10.0.0.5/',
  'rtsp://camera-3.lan/h264',
  'rtsp://[fd00::20]:554/s',
  'rtsp://100.64.0.9/s',
  'rtsp://8.8.4.4/s?channel=1',
])('takes %s', (address) => {
  expect(fault(address)).toBeNull()
})

it.each([
  ['rtsp://127.0.0.1:8554/x', 'address_refused'],
  ['rtsp://localhost/x', 'address_refused'],
  ['rtsp://LOCALHOST./x', 'address_refused'],
  ['rtsp://a.localhost/x', 'address_refused'],
  ['rtsp://0x7f.1/x', 'address_refused'],
  ['rtsp://2130706433/x', 'address_refused'],
  ['rtsp://%31%32%37.0.0.1/x', 'address_refused'],
  ['rtsp://[::1]/x', 'address_refused'],
  ['rtsp://[::ffff:127.0.0.1]/x', 'address_refused'],
  ['rtsp://169.254.169.254/x', 'address_refused'],
  ['rtsp://[fd00:ec2::254]/x', 'address_refused'],
  ['rtsp://100.100.100.200/x', 'address_refused'],
  ['rtsp://[fe80::1]/x', 'address_refused'],
  ['rtsp://[64:ff9b::7f00:1]/x', 'address_refused'],
  ['rtsp://[2002:7f00:1::]/x', 'address_refused'],
  ['rtsp://0.0.0.0/x', 'address_refused'],
  ['rtsp://224.0.0.1/x', 'address_refused'],
  ['rtsp://255.255.255.255/x', 'address_refused'],
  ['rtsp://admin:secret@192.168.1.2/x', 'credentials_apart'],
  ['http://192.168.1.2/x', 'stream_address'],
  ['rtsps://192.168.1.2/x', 'stream_address'],
  ['file:///etc/passwd', 'stream_address'],
  ['rtsp://192.168.1.2/x y', 'stream_address'],
  ['rtsp://192.168.1.2/x\r\nHost: y', 'stream_address'],
  ['rtsp:///x', 'stream_address'],
  ['rtsp://192.168.1.2#@127.0.0.1/x', 'stream_address'],
  ['concat:rtsp://192.168.1.2/x', 'stream_address'],
])('refuses %s as %s', (address, expected) => {
  expect(fault(address)).toBe(expected)
})

it('lets a loopback camera through where it is declared, port by port', () => {
  const exempt = (host: string, port: number) => host === '127.0.0.1' && port === 8554
  expect(addressFault('rtsp://127.0.0.1:8554/x', ['rtsp:'], exempt, beside)).toBeNull()
  expect(addressFault('rtsp://127.0.0.1:8555/x', ['rtsp:'], exempt, beside)).toBe('address_refused')
})

it('refuses every address of this machine, at any port, for streams and for ONVIF, however it is written', () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const { address, family } of own) {
    const host = family === 'IPv6' ? `[${address}]` : address
    for (const port of ['', ':80', ':8554', ':55555'])
      expect([address, fault(`rtsp://${host}${port}/x`)]).toEqual([address, 'address_refused'])
    expect(addressFault(`http://${host}/onvif/device_service`, ['http:'], none, beside)).toBe('address_refused')
    if (family === 'IPv6') continue
    const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    for (const other of [String(number), `0x${number.toString(16)}`, `[::ffff:${address}]`])
      expect(fault(`rtsp://${other}/x`)).toBe('address_refused')
  }
})

it.each([
  ['the local one', { is_local: true, address: '127.0.0.1' }, ['192.168.1.10', '172.17.0.1', '8.8.4.4', 'fd00::10']],
  [
    'one next door',
    { is_local: false, address: '192.168.1.20' },
    ['192.168.1.10', '172.17.0.1', '8.8.4.4', 'fd00::10'],
  ],
  ['one on the internet', { is_local: false, address: '8.8.8.8' }, ['8.8.4.4']],
  ['one dialled by its name', { is_local: false, address: 'edge.example.com' }, ['8.8.4.4']],
  ['one that dials the portal', { is_local: false, address: null }, ['8.8.4.4']],
])('of the addresses of this machine, %s is told those that mean it there', (_, nimble, told) => {
  const own = ['127.0.0.1', '::1', '192.168.1.10', '172.17.0.1', '169.254.3.4', 'fe80::1', '8.8.4.4', 'fd00::10']
  expect(ipsMeantAt(nimble, own)).toEqual(told)
})

describe('an address of this machine', () => {
  const own = ['192.168.1.10', '8.8.4.4', '100.64.0.5', 'fd00::10']
  const faultAt = (ip: string, address: string | null) =>
    addressFault(
      `rtsp://${ip.includes(':') ? `[${ip}]` : ip}/x`,
      streamSchemes,
      none,
      { is_local: false, address },
      own,
    )

  it.each(own)('%s is no camera beside it, nor where that cannot be ruled out', (ip) => {
    for (const address of ['192.168.77.20', '127.0.0.1', 'edge.example.com', null])
      expect([address, faultAt(ip, address)]).toEqual([address, 'address_refused'])
  })

  it('may be another machine where the edge server is dialled at a public address, unless it is public itself', () => {
    for (const ip of ['192.168.1.10', 'fd00::10']) expect([ip, faultAt(ip, '1.1.1.1')]).toEqual([ip, null])
    for (const ip of ['8.8.4.4', '127.0.0.1', 'localhost', '169.254.169.254', '0.0.0.0', '224.0.0.1'])
      expect([ip, faultAt(ip, '1.1.1.1')]).toEqual([ip, 'address_refused'])
  })
})
