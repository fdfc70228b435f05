import { type ImportOutcome, type ImportRow, importRow } from '@sightline/contract'
import { expect, test } from 'vitest'
import { placed, withoutTwins } from './twins.ts'

const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
let count = 0
const row = (more: Partial<ImportRow> = {}): ImportRow => {
  count += 1
  return importRow.parse({ device_name: `Camera ${count}`, stream_address: `rtsp://10.0.0.${count}/s`, ...more })
}
const valid = (rows: readonly ImportRow[]) =>
  rows.map((_, row): ImportOutcome => ({ row, outcome: 'valid', device_id: null, errors: {} }))
const faults = (outcomes: readonly ImportOutcome[]) =>
  Object.fromEntries(outcomes.filter(({ outcome }) => outcome === 'failed').map(({ row, errors }) => [row, errors]))

test('over a whole table, the second of two rows with one address, id, or name in one site is told', () => {
  const rows = [
    row({ device_name: 'Gate', stream_address: 'rtsp://gate.example/s', UUID: uuid }),
    ...Array.from({ length: 1500 }, () => row()),
    row({ stream_address: 'rtsp://GATE.example:554/s' }),
    row({ UUID: `urn:uuid:${uuid.toUpperCase()}` }),
    row({ device_name: 'GATE' }),
    row({ device_name: 'gate', site_name: 'depot ' }),
    row({ device_name: 'gate', site_name: 'Elsewhere' }),
    row({ device_name: 'gate ', site_name: 'elsewhere' }),
  ]
  expect(faults(withoutTwins(rows, valid(rows), 'Depot'))).toEqual({
    1501: { stream_address: ['row_twice:1'] },
    1502: { stream_address: ['row_twice:1'] },
    1503: { device_name: ['name_taken'] },
    1504: { device_name: ['name_taken'] },
    1506: { device_name: ['name_taken'] },
  })
})

test('a row that is not added takes no other’s place', () => {
  const rows = [row({ device_name: 'Gate' }), row({ device_name: 'Gate' })]
  const [first, second] = valid(rows) as [ImportOutcome, ImportOutcome]
  const failed: ImportOutcome = { ...first, outcome: 'failed', errors: { password: ['password_left_out'] } }
  expect(withoutTwins(rows, [failed, second], 'Depot')).toEqual([failed, second])
})

test('a row of a later call is told by its place in the table, and so is the one it is the same as', () => {
  const outcome: ImportOutcome = {
    ...{ row: 2, outcome: 'failed', device_id: null },
    errors: { stream_address: ['row_twice:1'], device_name: ['name_taken'] },
  }
  expect(placed(outcome, [1000, 1002, 1007])).toEqual({
    ...{ row: 1007, outcome: 'failed', device_id: null },
    errors: { stream_address: ['row_twice:1001'], device_name: ['name_taken'] },
  })
})
