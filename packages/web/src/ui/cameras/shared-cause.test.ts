import { expect, test } from 'vitest'
import { byCause, commonCause, isAmong, repeatedCauses } from './shared-cause.ts'

const ill = (channel_id: string, state_cause: string | null, channel_health = 'needs attention') => ({
  channel_id,
  channel_health,
  state_cause,
})
const ids = (groups: { channel_id: string }[][]) => groups.map((group) => group.map(({ channel_id }) => channel_id))

test('what ails several analytics of a camera alike is said once, and not again where the camera says it', () => {
  const channels = [
    ill('a', 'analysis_behind:120'),
    ill('b', null, 'healthy'),
    ill('c', 'analysis_behind:118'),
    ill('d', 'degraded:black'),
    ill('e', 'degraded:frozen'),
    ill('f', null),
    ill('g', null),
  ]
  expect(ids(byCause(channels, null))).toEqual([['a', 'c'], ['d'], ['e'], ['f'], ['g']])
  expect(ids(byCause([ill('a', 'no_frames', 'offline'), ill('b', 'needs_model')], 'no_frames'))).toEqual([['b']])
})

test('causes of pieces that stand together are told apart by more than a number', () => {
  const repeated = repeatedCauses(['analysis_behind:120', null, 'analysis_behind:118', 'degraded:black', null])
  expect(repeated).toEqual(['analysis_behind:120'])
  expect([
    isAmong(repeated, 'analysis_behind:118'),
    isAmong(repeated, 'degraded:black'),
    isAmong(repeated, null),
  ]).toEqual([true, false, false])
})

test('a figure is missing for a reason only where all that would count it have the same one', () => {
  const of = (...causes: (string | null)[]) => commonCause(causes.map((cause) => ill('a', cause)))
  expect(of('analysis_behind:120', 'analysis_behind:118')).toBe('analysis_behind:120')
  expect([of(), of(null), of('needs_model', null), of('needs_model', 'degraded:black')]).toEqual([
    null,
    null,
    null,
    null,
  ])
})
