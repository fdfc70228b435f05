import type { LinkZone } from '@sightline/contract/edge'
import { expect, test } from 'vitest'
import { withNames } from './names.ts'

const zone = (change: Partial<LinkZone>) => ({ name: 'zone1', label: null, kind: 'zone', ...change }) as LinkZone
const door = zone({ name: 'line1', kind: 'line', side_a: 'street', side_b: 'shop' })

test('an event keeps the names that its zone, its line and the sides of that had when it happened', () => {
  const zones = [zone({ label: 'Loading dock' }), zone({ name: 'zone2' }), door]
  expect(withNames({ zone: 'zone1' }, zones)).toEqual({ zone: 'zone1', zone_label: 'Loading dock' })
  expect(withNames({ zone: 'zone2' }, zones)).toEqual({ zone: 'zone2' })
  const up = { line: 'line1', direction: 'up' }
  expect(withNames(up, zones)).toEqual({ ...up, from_side: 'street', to_side: 'shop' })
  const down = { line: 'line1', direction: 'down' }
  expect(withNames(down, zones)).toEqual({ ...down, from_side: 'shop', to_side: 'street' })
  expect(withNames(up, [{ ...door, side_a: 'a', side_b: 'b' }])).toEqual(up)
  expect(withNames(null, zones)).toBeNull()
})
