import { describe, expect, test } from 'vitest'
import { lastingAddresses } from '../../../simcam/src/testing/network.ts'
import { checkAddress, isCameraIp, type KnownHosts, nothingKnown, parseAddress } from './address.ts'

const demo: KnownHosts = { ...nothingKnown, simulated: [{ host: '127.0.0.1', ports: [8554] }] }
const answers =
  (...ips: string[]) =>
  async () =>
    ips
const check = (address: string, ips: string[] | null = null, known = nothingKnown) =>
  checkAddress(address, { schemes: ['rtsp:'], known, ...(ips && { resolve: answers(...ips) }) })

describe('an address names one ordinary host', () => {
  test('private and public cameras are reached at the address that was resolved', async () => {
    expect(await check('rtsp://192.168.1.20/stream1?channel=1&subtype=0')).toEqual({
      scheme: 'rtsp:',
      host: '192.168.1.20',
      ip: '192.168.1.20',
      port: 554,
      path: '/stream1?channel=1&subtype=0',
    })
    expect(await check('rtsp://cam.example:8554/a', ['10.1.2.3'])).toMatchObject({ ip: '10.1.2.3', port: 8554 })
    expect(await check('rtsp://[2001:db9::5]:7000/', ['2001:db9::5'])).toMatchObject({ ip: '2001:db9::5', port: 7000 })
    expect(await check('rtsp://[::ffff:10.0.0.9]/x', ['::ffff:10.0.0.9'])).toMatchObject({ ip: '10.0.0.9' })
  })

  test.each([
    ['another scheme', 'file:///etc/passwd'],
    ['another scheme', 'http://10.0.0.5/'],
    ['a scheme of FFmpeg', 'concat:rtsp://10.0.0.5/|file:/etc/passwd'],
    ['a scheme of FFmpeg', 'data:text/plain,hello'],
    ['a scheme of FFmpeg', 'pipe:0'],
    ['a scheme of FFmpeg', 'subfile,,start,0,end,100,,:/etc/passwd'],
    ['a scheme of FFmpeg', 'crypto:file:/etc/passwd'],
    ['a path', '/etc/passwd'],
    ['credentials', 'rtsp://admin:secret@10.0.0.5/'],
    ['a user name', 'rtsp://admin@10.0.0.5/'],
    ['a line break', 'rtsp://10.0.0.5/a\r\nSETUP rtsp://10.0.0.6/'],
    ['a line break that URL() would drop', 'rtsp://10.0.0.5/\na'],
    ['a tab', 'rt\tsp://10.0.0.5/'],
    ['a blank', 'rtsp://10.0.0.5/a b'],
    ['a backslash', 'rtsp://10.0.0.5\\@10.0.0.6/'],
    ['no host', 'rtsp:///stream1'],
    ['a percent sign in the host', 'rtsp://10.0.0.%35/'],
    ['a port out of range', 'rtsp://10.0.0.5:70000/'],
    ['port 0', 'rtsp://10.0.0.5:0/'],
    ['a zone', 'rtsp://[fe80::1%25eth0]/'],
    ['a length of a thousand', `rtsp://10.0.0.5/${'a'.repeat(1000)}`],
  ])('refused: %s: %j', async (_why, address) => {
    expect(await check(address, ['10.0.0.5'])).toEqual({ cause: 'address_refused' })
  })

  test.each([
    ['loopback', '127.0.0.1'],
    ['all of 127/8', '127.8.9.10'],
    ['IPv6 loopback', '::1'],
    ['link-local, where clouds keep their metadata', '169.254.169.254'],
    ['IPv6 link-local', 'fe80::1'],
    ['metadata in a private range', 'fd00:ec2::254'],
    ['metadata in a shared range', '100.100.100.200'],
    ['unspecified', '0.0.0.0'],
    ['IPv6 unspecified', '::'],
    ['multicast', '239.255.255.250'],
    ['IPv6 multicast', 'ff02::c'],
    ['broadcast', '255.255.255.255'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped metadata', '::ffff:a9fe:a9fe'],
    ['translated loopback (NAT64)', '64:ff9b::7f00:1'],
    ['tunnelled loopback (6to4)', '2002:7f00:1::'],
    ['reserved', '240.0.0.1'],
  ])('refused whatever name leads there: %s', async (_why, ip) => {
    expect(isCameraIp(ip, [])).toBe(false)
    expect(await check('rtsp://cam.example/', [ip])).toEqual({ cause: 'address_refused' })
  })

  test('this machine is refused at all its addresses and every port, also where a name leads there', async () => {
    const own = lastingAddresses()
    expect(own.length).toBeGreaterThan(0)
    for (const { address, family } of own) {
      const host = family === 'IPv6' ? `[${address}]` : address
      expect([address, isCameraIp(address, [])]).toEqual([address, false])
      for (const port of ['', ':8554', ':55555'])
        expect(await check(`rtsp://${host}${port}/`, [address])).toEqual({ cause: 'address_refused' })
      expect(await check('rtsp://cam.example/', ['10.0.0.5', address])).toEqual({ cause: 'address_refused' })
      if (family === 'IPv4') expect(isCameraIp(`::ffff:${address}`, [])).toBe(false)
    }
  })

  test('so is the portal at all its addresses, wherever a name leads there, and nobody else', async () => {
    const known = { ...nothingKnown, portal: ['10.0.0.9', 'fd00::9'] }
    for (const ip of ['10.0.0.9', '::ffff:10.0.0.9', 'fd00::9', 'fd00:0::0:9'])
      for (const ips of [[ip], ['10.0.0.5', ip]])
        expect([ips, await check('rtsp://cam.example:5432/', ips, known)]).toEqual([ips, { cause: 'address_refused' }])
    expect(await check('rtsp://10.0.0.9/', null, known)).toEqual({ cause: 'address_refused' })
    expect(await check('rtsp://cam.example/', ['10.0.0.8'], known)).toMatchObject({ ip: '10.0.0.8' })
    // Simulated cameras are on loopback alone.
    const both = { ...known, simulated: [{ host: '10.0.0.9', ports: [554] }] }
    expect(await check('rtsp://10.0.0.9/', null, both)).toEqual({ cause: 'address_refused' })
  })

  test('one bad answer among good ones refuses the name', async () => {
    expect(await check('rtsp://cam.example/', ['10.0.0.5', '127.0.0.1'])).toEqual({ cause: 'address_refused' })
  })

  test.each(['rtsp://2130706433/', 'rtsp://0x7f000001/', 'rtsp://0177.0.0.1/', 'rtsp://localhost/'])(
    'other ways to write loopback are refused by the real resolver: %s',
    async (address) => {
      const checked = await check(address)
      expect('cause' in checked).toBe(true)
    },
  )

  test('a name that does not resolve is not known, which is neither refused nor unreachable', async () => {
    const resolve = async () => {
      throw new Error('ENOTFOUND')
    }
    expect(await checkAddress('rtsp://cam.example/', { schemes: ['rtsp:'], resolve })).toEqual({
      cause: 'host_unknown',
    })
  })
})

describe('simulated cameras of this machine', () => {
  test('are reached at their declared host and port only', async () => {
    expect(await check('rtsp://127.0.0.1:8554/stream1', null, demo)).toMatchObject({ ip: '127.0.0.1', port: 8554 })
    expect(await check('rtsp://127.0.0.1:8555/stream1', null, demo)).toEqual({ cause: 'address_refused' })
    expect(await check('rtsp://127.0.0.2:8554/stream1', null, demo)).toEqual({ cause: 'address_refused' })
  })

  test('do not open other special addresses', async () => {
    const known = { ...nothingKnown, simulated: [{ host: '169.254.169.254', ports: [8554] }] }
    expect(await check('rtsp://169.254.169.254:8554/', null, known)).toEqual({ cause: 'address_refused' })
  })
})

test('device services are checked by the same rules with their own scheme', () => {
  expect(parseAddress('http://10.0.0.5/onvif/device_service', ['http:'])).toEqual({
    scheme: 'http:',
    host: '10.0.0.5',
    port: 80,
    path: '/onvif/device_service',
  })
})
