import { expect, test } from 'vitest'
import { type DiagnosisFacts, diagnose, diagnosisSteps } from './diagnosis.ts'

const well: DiagnosisFacts = {
  heard: true,
  source: { state: 'streaming', cause: null, lastFrameAt: 1, failedAt: null },
  report: { version: 3, state: 'running', detectorState: 'ok', cause: null },
  desiredVersion: 3,
  fps: 4.96,
  expectedFps: 5,
  recordAgeMs: 4000,
  isStarting: false,
  journalEvents: 0,
  onlineMs: 30_000,
  view: null,
  stillCause: null,
}
const said = (facts: Partial<DiagnosisFacts>) =>
  Object.fromEntries(
    diagnose({ ...well, ...facts }).map(({ step, level, text_id }) => [step, `${level} ${text_id}`]),
  ) as Record<(typeof diagnosisSteps)[number], string>

test('a channel that works is good at every step that exists, with its figures', () => {
  const checks = diagnose(well)
  expect(checks.map(({ step }) => step)).toEqual(diagnosisSteps)
  expect(checks.map(({ level }) => level)).toEqual(['good', 'good', 'good', 'good', 'off', 'good', 'off'])
  expect(checks[1]?.args).toEqual({ fps: 5, expected_fps: 5 })
})

test('the first broken step is named, and what lies behind it is unknown, not bad', () => {
  const offline = { state: 'offline', cause: 'bad_credentials', lastFrameAt: null, failedAt: 1 } as const
  expect(said({ source: offline, fps: 0, recordAgeMs: null })).toMatchObject({
    source: 'error bad_credentials',
    decode: 'unknown earlier_step',
    inference: 'unknown earlier_step',
    event: 'unknown earlier_step',
  })
  expect(said({ fps: 0 })).toMatchObject({ source: 'good camera_sends', decode: 'error no_pictures' })
  expect(said({ recordAgeMs: null })).toMatchObject({ inference: 'good analysis_runs', event: 'error no_records' })
  expect(said({ recordAgeMs: null, isStarting: true }).event).toBe('unknown first_record')
})

test('nothing is said of a camera whose edge server is away; what was counted waits there', () => {
  expect(said({ heard: false })).toMatchObject({
    source: 'error nimble_unreachable',
    event: 'unknown earlier_step',
    storage: 'warning journal_holds',
  })
})

test('a missing model or calibration is the analysis’s, which waits and did not fail', () => {
  for (const needed of ['needs_model', 'needs_calibration'] as const) {
    const report = { version: 3, state: 'applied', detectorState: needed, cause: needed } as const
    expect(said({ report, fps: null, recordAgeMs: null })).toMatchObject({
      source: 'good camera_sends',
      decode: 'off decode_waits',
      inference: `warning ${needed}`,
      event: 'unknown earlier_step',
    })
  }
})

test('a camera that looks elsewhere is the camera’s, and no step behind it is in doubt', () => {
  expect(said({ view: 'moved' })).toMatchObject({ source: 'warning camera_moved', event: 'good records_arrive' })
  expect(said({ view: 'same' }).source).toBe('good camera_sends')
})

test('an analysis that the portal holds back waits like one that lacks a model', () => {
  const report = { version: 3, state: 'applied', detectorState: 'ok', cause: 'faces_off' } as const
  expect(said({ report, fps: null, recordAgeMs: null })).toMatchObject({
    decode: 'off decode_waits',
    inference: 'warning faces_off',
    event: 'unknown earlier_step',
  })
})

test('a model that fails at work does not say that no picture is taken', () => {
  const report = { version: 3, state: 'running', detectorState: 'needs_model', cause: 'model_crashed:SIGSEGV' } as const
  expect(said({ report })).toMatchObject({
    decode: 'good pictures_enough',
    inference: 'warning model_crashed:SIGSEGV',
    event: 'unknown earlier_step',
  })
})

test('while pictures are left out no step says that enough are analysed', () => {
  const report = { version: 3, state: 'running', detectorState: 'degraded', cause: 'analysis_behind:60' } as const
  for (const fps of [4, 2])
    expect(said({ report, fps })).toMatchObject({
      decode: 'warning pictures_left_out',
      inference: 'warning analysis_behind:60',
      event: 'good records_arrive',
    })
})

test('a picture that could not be taken of a stream that runs is the camera’s, and breaks no step behind it', () => {
  expect(said({ stillCause: 'stalled' })).toMatchObject({
    source: 'warning stalled',
    decode: 'good pictures_enough',
    event: 'good records_arrive',
  })
  const offline = { state: 'offline', cause: 'unreachable', lastFrameAt: null, failedAt: 1 } as const
  expect(said({ source: offline, stillCause: 'stalled' }).source).toBe('error unreachable')
})

test('too few pictures, a quality that fell and records that wait are warnings', () => {
  expect(said({ fps: 3.4 }).decode).toBe('warning pictures_few')
  const report = { version: 3, state: 'running', detectorState: 'degraded', cause: 'degraded:black' } as const
  expect(said({ report }).inference).toBe('warning degraded:black')
  expect(said({ journalEvents: 501 }).storage).toBe('warning journal_waits')
  expect(said({ desiredVersion: 4 }).decode).toBe('warning older_version')
})
