import { nimbleUnreachable } from './health.ts'

/** How far a piece of what an edge server should run is: a stream, a pipeline, a channel. */
export type Step = 'saved' | 'sent' | 'applied' | 'running' | 'stopped' | 'refused'
/** As its edge server tells it. `version`: of the settings that it has applied; null while nobody can say. */
export type PieceReport = {
  version: number | null
  step: Extract<Step, 'applied' | 'running' | 'stopped' | 'refused'>
  cause: string | null
}
/** Whether the edge server is there; `new`: it never was. */
export type Presence = 'online' | 'away' | 'new'

/** Where a piece stands and why it is not further. Another one that is refused has no part in it. */
export function pieceStep(
  desired: number,
  report: PieceReport | null,
  presence: Presence,
): { step: Step; cause: string | null } {
  if (presence !== 'online') return { step: 'saved', cause: presence === 'new' ? null : nimbleUnreachable }
  if (!report || report.version === null) return { step: 'sent', cause: null }
  if (report.version < desired) return { step: 'sent', cause: 'version_behind' }
  // After an older backup was restored here.
  if (report.version > desired) return { step: 'sent', cause: 'version_ahead' }
  return { step: report.step, cause: report.cause }
}

const furthest = ['running', 'applied', 'stopped', 'refused'] as const

/**
 * A pipeline by the channels that run it: it is applied once each of them has it, in the oldest version that one has, and
 * then as far as the furthest of them. What holds one of them up for its own sake, its zones or its stream, is not its doing.
 * @returns null when no channel was told of yet
 */
export function pipelineReport(users: readonly (PieceReport | null)[]): PieceReport | null {
  const told = users.filter((user) => user !== null)
  const versions = told.map(({ version }) => version)
  const step = furthest.find((one) => told.some((user) => user.step === one))
  if (step === undefined || told.length < users.length) return null
  return {
    version: versions.includes(null) ? null : Math.min(...versions.map(Number)),
    step,
    cause: step === 'running' ? null : (told.find((user) => user.step === step && user.cause)?.cause ?? null),
  }
}
