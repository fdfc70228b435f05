import { expect, test } from 'vitest'
import { isAdded } from './discover.ts'

test('of hosts that cannot be used a search leaves out those that were added by a stream of theirs', () => {
  const known = [
    { addresses: ['rtsp://192.168.1.20/stream', 'rtsp://192.168.1.20:8554/small'] },
    { addresses: ['rtsp://Gate.Example.org:554/'] },
  ]
  expect(['192.168.1.20', 'gate.example.org', '192.168.1.2'].map((host) => isAdded(host, known))).toEqual([
    true,
    true,
    false,
  ])
})
