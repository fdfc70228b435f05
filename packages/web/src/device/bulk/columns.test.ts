import { expect, test } from 'vitest'
import { withoutPasswords } from './columns.ts'

const mapping = { device_name: 0, stream_address: 1, password: 2 }

test('the file of failed rows holds no password, and marks where there was one', () => {
  expect(withoutPasswords(['Gate', 'rtsp://192.0.2.1/a', 'secret'], mapping)).toEqual([
    'Gate',
    'rtsp://192.0.2.1/a',
    '****',
  ])
  expect(withoutPasswords(['Gate', 'rtsp://viewer:s@cr:t@192.0.2.1:554/a', ''], mapping)).toEqual([
    'Gate',
    'rtsp://viewer:****@192.0.2.1:554/a',
    '',
  ])
})
