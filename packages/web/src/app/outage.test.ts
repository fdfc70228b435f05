import type { StreamMessage } from '@sightline/contract'
import { expect, test } from 'vitest'
import { toldOf } from './outage.ts'

type Outage = Extract<StreamMessage, { type: 'outage' }>
const message = (camera: number, more: Partial<Outage> = {}): Outage => ({
  type: 'outage',
  step: 'offline',
  device_id: `camera ${camera}`,
  site_id: 'site',
  cause: 'timeout',
  seconds: 300,
  ...more,
})
const steps = (list: Outage[]) => toldOf(list).map(({ step, cameras }) => [step, cameras.length])

test('forty cameras that go together are one line, those that come back another', () => {
  const gone = Array.from({ length: 40 }, (_, camera) => message(camera))
  expect(steps(gone)).toEqual([['offline', 40]])
  const back = gone.slice(0, 3).map((one) => ({ ...one, step: 'back' as const }))
  expect(steps([...gone, ...back])).toEqual([
    ['offline', 37],
    ['back', 3],
  ])
})
