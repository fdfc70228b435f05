import { describe, expect, test } from 'vitest'
import { toldAddress } from './uri.ts'

const device = { scheme: 'http:', host: 'cam1.local', ip: '10.0.0.7', port: 80, path: '/' }
const credentials = { username: 'admin', password: 'p@ss:w/rd#1' }
const told = (uri: string) => toldAddress(uri, 'rtsp:', device, credentials)

describe('an address that the camera tells', () => {
  test.each([
    ['by name', 'rtsp://cam1.local/main', 'rtsp://cam1.local/main', null],
    ['by number', 'rtsp://10.0.0.7:8554/main?a=1&b=2', 'rtsp://10.0.0.7:8554/main?a=1&b=2', null],
    ['of its inner network', 'rtsp://192.168.1.5:554/main', 'rtsp://cam1.local:554/main', '192.168.1.5'],
    ['of everywhere', 'rtsp://0.0.0.0/main', 'rtsp://cam1.local/main', '0.0.0.0'],
    ['of somebody else', 'rtsp://169.254.169.254/latest', 'rtsp://cam1.local/latest', '169.254.169.254'],
    ['in IPv6', 'rtsp://[fe80::1]/main', 'rtsp://cam1.local/main', 'fe80::1'],
    ['with credentials', 'rtsp://admin:x@10.0.0.7/main', 'rtsp://10.0.0.7/main', null],
  ])('%s leads to the camera that was asked', (_what, uri, address, correctedFrom) => {
    expect(told(uri)).toEqual({ address, told: correctedFrom })
  })

  test.each(['', 'main', 'http://10.0.0.7/main', 'file:///etc/passwd', 'rtsp://', 'rtsp://10.0.0.7:99999/'])(
    'cannot be used when it is %o',
    (uri) => {
      expect(told(uri)).toEqual({ fault: 'unusable' })
    },
  )

  test('is not passed on when the password stands in it', () => {
    expect(told('rtsp://10.0.0.7/user=admin&password=p%40ss%3Aw%2Frd%231')).toEqual({ fault: 'credentials_inside' })
    const plain = { ...credentials, password: 'tlJwpbo6' }
    expect(toldAddress('rtsp://10.0.0.7/user=admin_password=tlJwpbo6', 'rtsp:', device, plain)).toEqual({
      fault: 'credentials_inside',
    })
  })
})
