import { expect, test } from 'vitest'
import { type PieceReport, type Presence, pieceStep, pipelineReport } from './piece.ts'

const report = (version: number | null, step: PieceReport['step'], cause: string | null = null): PieceReport => ({
  ...{ version, step, cause },
})

test.each<[string, PieceReport | null, Presence, string, string | null]>([
  ['was never sent', null, 'new', 'saved', null],
  ['waits for an edge server that is away', report(2, 'running'), 'away', 'saved', 'nimble_unreachable'],
  ['was not told of yet', null, 'online', 'sent', null],
  ['was told of, but not in which version', report(null, 'running'), 'online', 'sent', null],
  ['is there in an older version', report(2, 'running'), 'online', 'sent', 'version_behind'],
  ['is there in a newer version', report(4, 'running'), 'online', 'sent', 'version_ahead'],
  ['runs', report(3, 'running'), 'online', 'running', null],
  ['is refused', report(3, 'refused', 'no_zone'), 'online', 'refused', 'no_zone'],
])('a piece in version 3 that %s', (_, told, presence, step, cause) => {
  expect(pieceStep(3, told, presence)).toEqual({ step, cause })
})

test.each<[string, (PieceReport | null)[], PieceReport | null]>([
  ['nobody runs', [], null],
  ['one that was not told of runs', [report(3, 'running'), null], null],
  [
    'runs beside one that is refused for its zones',
    [report(3, 'refused', 'no_zone'), report(3, 'running', 'frozen')],
    report(3, 'running'),
  ],
  ['one still runs in an older version', [report(3, 'running'), report(2, 'running')], report(2, 'running')],
  [
    'one runs in a version that it does not say',
    [report(3, 'running'), report(null, 'stopped')],
    report(null, 'running'),
  ],
  ['waits for its model', [report(3, 'applied', 'model_missing')], report(3, 'applied', 'model_missing')],
  [
    'all refuse',
    [report(3, 'refused'), report(3, 'refused', 'not_understood')],
    report(3, 'refused', 'not_understood'),
  ],
])('a pipeline that %s', (_, users, told) => {
  expect(pipelineReport(users)).toEqual(told)
})
