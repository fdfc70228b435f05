import { describe, expect, test } from 'vitest'
import { cards, cardsOf, type MetricId, metricsOf, type UsecaseKey, usecaseKeys } from './usecase.ts'

/** The table of dashboard cards, row by row: ids with their labels, and the use cases they apply to. */
const table: [ids: Partial<Record<MetricId, string>>, appliesTo: string][] = [
  [{ total: 'Total' }, 'coldtec fcmsk fcrecog intrdtec phydist ppedtec pplcnt pplcntavg ppltrk emptyframecheck'],
  [{ moving_average_count: 'Average Detections' }, 'pplcntavg'],
  [{ violation: 'Violations' }, 'phydist ppedtec fcmsk'],
  [{ non_violation: 'Non-Violations' }, 'phydist ppedtec fcmsk'],
  [{ up: 'Up Count', occupancy: 'Occupancy', down: 'Down Count' }, 'pplocc'],
  [{ dwell_time: 'Dwell-time violation + tracking' }, 'loiterdtec'],
  [{ violation: 'Dwell-time violations' }, 'loiterdtec'],
  [{ violation: 'Intrusions', non_violation: 'Non-Intrusions' }, 'intrdtec'],
  [
    {
      fire: 'Fire',
      high_smoke: 'High smoke',
      intermediate_smoke: 'Intermediate smoke',
      low_smoke: 'Low smoke',
    },
    'frdtec',
  ],
  [{ total_collision: 'Total Collisions', total_near_miss: 'Total Near Miss' }, 'coldtec'],
]

describe('the dashboard cards of a use case are those of the table', () => {
  test.each(usecaseKeys)('%s', (key) => {
    const wanted = table
      .filter(([, appliesTo]) => appliesTo.split(' ').includes(key))
      .flatMap(([ids]) => Object.entries(ids))
    const shown = cardsOf(key).map(({ id, label }) => [id, label])
    expect(shown.toSorted()).toEqual(wanted.toSorted())
    expect(shown.length).toBeGreaterThan(0)
  })
})

test('a card shows only when its id is among the metrics of the use case', () => {
  for (const key of usecaseKeys) for (const { id } of cardsOf(key)) expect(metricsOf(key)).toContain(id)
})

test('what must not happen is of the violation type, what is only counted is not', () => {
  const plain: MetricId[] = ['total', 'moving_average_count', 'non_violation', 'up', 'occupancy', 'down', 'dwell_time']
  for (const { id, isViolation } of cards) expect([id, isViolation]).toEqual([id, !plain.includes(id)])
})

test('the thirteen use cases have the keys that the product is known by', () => {
  const known: UsecaseKey[] = [
    'pplcnt',
    'pplcntavg',
    'pplocc',
    'phydist',
    'ppedtec',
    'fcmsk',
    'intrdtec',
    'loiterdtec',
    'frdtec',
    'coldtec',
    'fcrecog',
    'ppltrk',
    'emptyframecheck',
  ]
  expect(usecaseKeys).toEqual(known)
})
