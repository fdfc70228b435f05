/**
 * From camera to message: where the way of a channel is broken, from what portal and edge server know of it. The first
 * step that fails is the cause; what lies behind it cannot be judged and says so.
 */
import {
  type ChannelReport,
  isOlder,
  nimbleUnreachable,
  type SourceReport,
  sourceHealth,
  waitsForPerson,
} from './health.ts'
import { turnedCause, type View } from './view.ts'

export const diagnosisSteps = ['source', 'decode', 'inference', 'event', 'rule', 'storage', 'notify'] as const
export type DiagnosisStep = (typeof diagnosisSteps)[number]

/** `off`: nothing is set there, so nothing can fail. `unknown`: an earlier step fails, or nothing was said yet. */
export const checkLevels = ['good', 'warning', 'error', 'unknown', 'off'] as const
export type CheckLevel = (typeof checkLevels)[number]

/** What a step says: `text_id` is a message id, with its arguments by name or behind colons. */
export type Check = {
  step: DiagnosisStep
  level: CheckLevel
  text_id: string
  args: Record<string, string | number>
}

export type DiagnosisFacts = {
  /** Whether the edge server can be believed to be there, and why not. */
  heard: boolean
  source: SourceReport | null
  report: ChannelReport | null
  desiredVersion: number
  fps: number | null
  expectedFps: number | null
  /** Since the last record of the channel; null when there was none for a day. */
  recordAgeMs: number | null
  /** It runs for less time than a record takes to arrive. */
  isStarting: boolean
  /** Records that wait at the edge server. */
  journalEvents: number | null
  /** The greatest age at which a channel counts as online. */
  onlineMs: number
  /** How the camera's picture compared with the one that the zones were drawn on; null: not known. */
  view: View | null
  /** Why the camera gave no picture when it was asked for one just now; null: it gave one, or was not asked. */
  stillCause: string | null
}

/** Below this share of the wanted pictures the analysis is called slow. */
const enoughPictures = 0.7
/** So many waiting records are more than a link that works leaves behind. */
const manyWaiting = 500

/** The checks of a channel, in the order of its way. */
export function diagnose(facts: DiagnosisFacts): Check[] {
  const checks: Check[] = []
  /** An error, and what a person has to add first, make every later step but those of the portal unknown. */
  let isBroken = false
  const say = (step: DiagnosisStep, [level, text_id, args = {}]: Verdict) => {
    checks.push({ step, level, text_id, args })
    isBroken ||= level === 'error' || (step === 'inference' && isWaiting(facts))
  }
  const unlessBroken = (verdict: () => Verdict): Verdict => (isBroken ? ['unknown', 'earlier_step'] : verdict())
  say('source', sourceVerdict(facts))
  say(
    'decode',
    unlessBroken(() => decodeVerdict(facts)),
  )
  say(
    'inference',
    unlessBroken(() => inferenceVerdict(facts)),
  )
  say(
    'event',
    unlessBroken(() => eventVerdict(facts)),
  )
  say('rule', ['off', 'no_rule'])
  say('storage', storageVerdict(facts))
  say('notify', ['off', 'no_notification'])
  return checks
}

const isWaiting = ({ report }: DiagnosisFacts): boolean => report !== null && waitsForPerson(report)

/** The analysis takes fewer pictures than are wanted because it cannot keep up. */
const isBehind = ({ report }: DiagnosisFacts): boolean => report?.cause?.startsWith('analysis_behind') === true

type Verdict = [level: CheckLevel, textId: string, args?: Check['args']]

function sourceVerdict({ heard, source, view, stillCause }: DiagnosisFacts): Verdict {
  if (!heard) return ['error', nimbleUnreachable]
  if (!source) return ['unknown', 'camera_waits']
  const { health, cause } = sourceHealth(source, heard)
  if (source.state === 'refused' || health === 'offline') return ['error', cause ?? 'stalled']
  if (source.state === 'offline') return ['error', cause ?? 'stalled']
  if (source.state === 'connecting') return cause ? ['error', cause] : ['unknown', 'connecting']
  // The stream runs: that no picture could be taken of it just now stops nothing behind it.
  const fault = cause ?? stillCause ?? turnedCause(view)
  return fault ? ['warning', fault] : ['good', 'camera_sends']
}

/** Whether the edge server takes the pictures that the channel wants. */
function decodeVerdict(facts: DiagnosisFacts): Verdict {
  const { report, desiredVersion, fps, expectedFps } = facts
  if (!report) return ['unknown', 'not_applied']
  if (isOlder(report, desiredVersion)) return ['warning', 'older_version']
  if (report.state === 'refused') return ['error', report.cause ?? 'refused']
  if (report.state === 'applied' && isWaiting(facts)) return ['off', 'decode_waits']
  if (report.state === 'stopped') return ['error', report.cause ?? 'stopped']
  if (report.state === 'applied') return ['unknown', 'starting']
  if (fps === null || expectedFps === null) return ['unknown', 'no_figures']
  if (fps === 0 && expectedFps > 0) return ['error', 'no_pictures']
  const figures = { fps: round(fps), expected_fps: round(expectedFps) }
  // Whatever the figures of the last seconds are: the step behind says that pictures are left out.
  if (isBehind(facts)) return ['warning', 'pictures_left_out', figures]
  return fps < enoughPictures * expectedFps
    ? ['warning', 'pictures_few', figures]
    : ['good', 'pictures_enough', figures]
}

function inferenceVerdict(facts: DiagnosisFacts): Verdict {
  const { report } = facts
  if (!report) return ['unknown', 'not_applied']
  const { detectorState, cause } = report
  if (isWaiting(facts)) return ['warning', cause ?? detectorState]
  if (detectorState === 'degraded') return ['warning', cause ?? 'degraded']
  return report.state === 'running' ? ['good', 'analysis_runs'] : ['unknown', 'starting']
}

function eventVerdict({ recordAgeMs, isStarting, onlineMs }: DiagnosisFacts): Verdict {
  if (recordAgeMs !== null && recordAgeMs <= onlineMs) return ['good', 'records_arrive']
  return isStarting ? ['unknown', 'first_record'] : ['error', 'no_records']
}

/** Whether what was counted reaches the portal's database; judged by what waits at the edge server. */
function storageVerdict({ heard, journalEvents, recordAgeMs, onlineMs }: DiagnosisFacts): Verdict {
  if (!heard) return ['warning', 'journal_holds']
  if (journalEvents === null) return ['unknown', 'no_figures']
  if (journalEvents > manyWaiting) return ['warning', 'journal_waits', { count: journalEvents }]
  return recordAgeMs !== null && recordAgeMs <= onlineMs ? ['good', 'records_kept'] : ['unknown', 'nothing_to_keep']
}

const round = (value: number): number => Math.round(value * 10) / 10
