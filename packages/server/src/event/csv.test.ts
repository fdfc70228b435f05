import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each(['=1+1', '+1', '-cmd', '@SUM(A1)', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠x', ' =1'])(
  'no spreadsheet runs %j as a formula',
  (text) => {
    expect(csvLine([text], ',')).toBe(`"'${text}"\r\n`)
  },
)

test('text keeps its quotes, separators and line ends; numbers stay numbers; unknown is empty', () => {
  expect(csvLine(['a "b", c\nd', -1.5, 0, null], ',')).toBe('"a ""b"", c\nd",-1.5,0,\r\n')
  expect(csvLine(['Entrée', -1.5], ';')).toBe('"Entrée";-1,5\r\n')
})
