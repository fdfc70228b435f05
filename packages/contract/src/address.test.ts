import { describe, expect, test } from 'vitest'
import { isSameCamera, streamKey } from './address.ts'

const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const another = '3fa85f64-5717-4562-b3fc-2c963f66afa7'

test.each([
  ['rtsp://cam.example/s', 'rtsp://cam.example:554/s'],
  ['rtsp://CAM.example/s', 'rtsp://cam.EXAMPLE/s'],
  ['rtsp://10.0.0.7', 'rtsp://10.0.0.7/'],
  ['rtsp://[FD00::7]/s', 'rtsp://[fd00:0::7]:554/s'],
])('%s and %s are one stream', (one, other) => {
  expect(streamKey(one)).toBe(streamKey(other))
})

test.each([
  ['rtsp://10.0.0.7/s', 'rtsp://10.0.0.7:8554/s'],
  ['rtsp://10.0.0.7/s', 'rtsp://10.0.0.7/S'],
  ['rtsp://10.0.0.7/s?channel=1', 'rtsp://10.0.0.7/s?channel=2'],
  ['rtsp://10.0.0.7/s', 'rtsp://10.0.0.8/s'],
])('%s and %s are two streams', (one, other) => {
  expect(streamKey(one)).not.toBe(streamKey(other))
})

describe('a camera that a search found', () => {
  const camera = { uuid, host: '10.0.0.7', port: 80 }
  const device = { uuid: null, onvifPort: null, addresses: ['rtsp://10.0.0.7:8554/main'] }

  test('is known by its id alone where both have one', () => {
    expect(isSameCamera({ ...device, uuid: `urn:uuid:${uuid.toUpperCase()}`, addresses: [] }, camera)).toBe(true)
    expect(isSameCamera({ ...device, uuid: another, onvifPort: 80 }, camera)).toBe(false)
  })

  test('is known by the host of any stream where the port is not known, else by both', () => {
    expect(isSameCamera(device, camera)).toBe(true)
    expect(isSameCamera({ ...device, addresses: ['rtsp://10.0.0.8/main', 'rtsp://10.0.0.7/sub'] }, camera)).toBe(true)
    expect(isSameCamera({ ...device, addresses: ['rtsp://10.0.0.8/main'] }, camera)).toBe(false)
    expect(isSameCamera({ ...device, onvifPort: 80 }, camera)).toBe(true)
    expect(isSameCamera({ ...device, onvifPort: 8080 }, camera)).toBe(false)
  })

  test('is known where a serial number was stored as its id', () => {
    expect(isSameCamera({ ...device, uuid: 'SN-0815' }, camera)).toBe(true)
  })

  test('is known by its id alone where others answer at the same host and port, as channels of a recorder do', () => {
    expect(isSameCamera(device, camera, true)).toBe(false)
    expect(isSameCamera({ ...device, onvifPort: 80 }, { ...camera, uuid: null }, true)).toBe(false)
    expect(isSameCamera({ ...device, uuid }, camera, true)).toBe(true)
  })

  test('on loopback is not its neighbour', () => {
    const simulated = { ...camera, uuid: null, host: '127.0.0.1', port: 8001 }
    const added = { ...device, addresses: ['rtsp://127.0.0.1:8554/1'] }
    expect(isSameCamera(added, simulated)).toBe(false)
    expect(isSameCamera({ ...added, onvifPort: 8001 }, simulated)).toBe(true)
  })
})
