import type { EventEntity } from '@sightline/contract'
import { expect, test } from 'vitest'
import { bundlesOf } from './bundles.ts'

const at = (second: number) => new Date(Date.UTC(2026, 10, 22, 12) + second * 1000).toISOString()
type Change = { device?: string; clip?: string; end?: number | null; isInstant?: boolean; metric?: string }

/** Named by the second in which it began. */
const event = (second: number, { device = 'a', clip, end = second + 10, isInstant = false, metric }: Change = {}) =>
  ({
    ...{ event_uuid: `${second}`, device_id: device, observed_at: at(second), clip_url: clip ?? null, kind: 'open' },
    metrics: { [metric ?? 'violation']: 1 },
    occasion: { is_instant: isInstant, ended_at: end === null || isInstant ? null : at(end) },
  }) as unknown as EventEntity
const names = (events: EventEntity[]) => bundlesOf(events).map((bundle) => bundle.map(({ event_uuid }) => event_uuid))

test('what overlaps before one camera is one item, also with another camera in between, and without clips', () => {
  const events = [event(30), event(28, { device: 'b' }), event(25), event(24, { end: null }), event(10)]
  expect(names(events)).toEqual([['30', '25', '24'], ['28'], ['10']])
})

test('what was filmed together belongs together although it was over', () => {
  expect(names([event(30, { clip: 'x' }), event(12, { clip: 'x' }), event(11)])).toEqual([['30', '12'], ['11']])
})

test('what goes on for hours does not swallow them, and a moment overlaps with nothing after it', () => {
  expect(names([event(2000), event(1000), event(0, { end: null })])).toEqual([['2000'], ['1000'], ['0']])
  expect(names([event(30), event(29, { isInstant: true })])).toEqual([['30'], ['29']])
  expect(names([event(30, { isInstant: true }), event(29)])).toEqual([['30', '29']])
})

test('the gravest speaks for all', () => {
  expect(names([event(30, { metric: 'total' }), event(29, { metric: 'fire' })])).toEqual([['29', '30']])
})

test('none is lost, and records without an occasion stand alone', () => {
  const records = [event(30), event(29)].map((one) => ({ ...one, occasion: null }))
  expect(names(records)).toEqual([['30'], ['29']])
})
