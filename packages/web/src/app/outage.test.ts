import type { StreamMessage } from '@sightline/contract'
import { expect, test } from 'vitest'
import { toldOf } from './outage.ts'

type HealthMessage = Extract<StreamMessage, { type: 'health' }>
const message = (camera: number, more: Partial<HealthMessage>): HealthMessage => ({
  type: 'health',
  device_id: `camera ${camera}`,
  site_id: 'site',
  health: 'offline',
  cause: 'timeout',
  before: 'healthy',
  outage_seconds: null,
  ...more,
})
const kinds = (list: HealthMessage[]) => toldOf(list).map(({ kind, cameras }) => [kind, cameras.length])

test('forty cameras that go together are one line, those that come back another', () => {
  const gone = Array.from({ length: 40 }, (_, camera) => message(camera, {}))
  expect(kinds(gone)).toEqual([['offline', 40]])
  const back = gone.slice(0, 3).map((one) => ({ ...one, health: 'healthy' as const, outage_seconds: 60 }))
  expect(kinds([...gone, ...back])).toEqual([
    ['offline', 37],
    ['back', 3],
  ])
})

test('a new camera, a small trouble, and an edge server that is away are no outage of a camera', () => {
  expect(
    kinds([
      message(1, { health: 'healthy', before: 'unknown', cause: null }),
      message(2, { health: 'needs attention' }),
      message(3, { health: 'unknown', cause: 'nimble_unreachable' }),
    ]),
  ).toEqual([])
})
