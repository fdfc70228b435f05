import { expect, test } from 'vitest'
import { loadLanguage } from '../../i18n/index.ts'
import { liveFigure } from './live-figure.ts'

test('live counts are whole numbers, a mean says that it is one, a time has its unit', async () => {
  await loadLanguage('en')
  expect([0.03, 0.6, 12].map((value) => liveFigure('pplcnt', 'total', value))).toEqual([
    'Total 0',
    'Total 1',
    'Total 12',
  ])
  expect(liveFigure('pplcntavg', 'moving_average_count', 2)).toBe('Average 2.0')
  expect(liveFigure('intrdtec', 'violation', 2)).toBe('Intrusions 2')
  expect(liveFigure('phydist', 'violation', 2)).toBe('Violations 2')
  expect(liveFigure('loiterdtec', 'dwell_time', 75.4)).toBe('Dwell time 1 min 15 s')
  await loadLanguage('fr')
  expect(liveFigure('pplcntavg', 'moving_average_count', 2.04)).toMatch(/2,0$/)
})
