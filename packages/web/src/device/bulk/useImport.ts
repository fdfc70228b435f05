import { type ImportOutcome, type ImportRow, imported, importRows, type Job } from '@sightline/contract'
import { useEffect, useRef, useState } from 'react'
import type { CallFailed } from '../../api.ts'
import { api, refresh } from '../../app/client.ts'
import { placed, withoutTwins } from './twins.ts'

const pollMs = 500
const mostFailures = 5
/** Of one call: the API takes no body above 1 MiB. */
const pieceBytes = 900_000

export type ImportState = {
  /** `judged`: every row was looked at and nothing was written; `ended`: what could be added was. */
  phase: 'idle' | 'judging' | 'judged' | 'adding' | 'ended'
  /** By position of the row. */
  outcomes: readonly ImportOutcome[]
  done: number
  total: number
  /** Why it could not go on; what was added until then stays. */
  failure: CallFailed | null
}
const idle: ImportState = { phase: 'idle', outcomes: [], done: 0, total: 0, failure: null }

type Place = { site_id: string; nimble_id: string }

const isOver = (job: Job) => !['queued', 'pending', 'running'].includes(job.state)
const count = (outcomes: readonly ImportOutcome[], ...kinds: ImportOutcome['outcome'][]) =>
  outcomes.filter(({ outcome }) => kinds.includes(outcome)).length

/** Positions of rows, as many together as one call takes. */
function* pieces(rows: readonly ImportRow[], positions: readonly number[]): Generator<number[]> {
  let piece: number[] = []
  let size = 0
  for (const position of positions) {
    const bytes = 3 * JSON.stringify(rows[position]).length
    if (piece.length > 0 && (piece.length === importRows || size + bytes > pieceBytes)) {
      yield piece
      piece = []
      size = 0
    }
    piece.push(position)
    size += bytes
  }
  if (piece.length > 0) yield piece
}

/**
 * Judges a table of cameras, then adds it: in calls of as many rows as one takes, each followed to its end.
 * @param site the name of the place's site
 */
export function useImport(place: Place, site: string) {
  const [state, setState] = useState<ImportState>(idle)
  const cancelled = useRef(false)
  const running = useRef<string | null>(null)
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])

  /** Sends the rows at these positions, piece by piece. @returns false when one call failed */
  async function each(
    rows: readonly ImportRow[],
    positions: readonly number[],
    dry_run: boolean,
    heard: (outcomes: ImportOutcome[]) => void,
  ): Promise<boolean> {
    for (const piece of pieces(rows, positions)) {
      if (cancelled.current) break
      const inTable = (outcomes: readonly ImportOutcome[]) => outcomes.map((outcome) => placed(outcome, piece))
      const result = await api.device.import.call({
        ...place,
        dry_run,
        rows: piece.map((position) => rows[position] as ImportRow),
      })
      if (!result.status) {
        setState((now) => ({ ...now, failure: result.failure }))
        return false
      }
      const { job_id, rows: outcomes } = result.data
      heard(inTable(outcomes))
      if (job_id !== null && !(await follow(job_id, (found) => heard(inTable(found))))) return false
    }
    return true
  }

  async function follow(job_id: string, heard: (outcomes: ImportOutcome[]) => void): Promise<boolean> {
    running.current = job_id
    for (let failures = 0; !isGone.current; ) {
      const answer = await api.job.get.call({ job_id })
      if (!answer.status) {
        failures += 1
        // The import goes on without us: one answer that is lost says nothing of it.
        if (failures <= mostFailures) {
          await new Promise((resolve) => setTimeout(resolve, failures * pollMs))
          continue
        }
        setState((now) => ({ ...now, failure: answer.failure }))
        return false
      }
      failures = 0
      const found = imported.safeParse(answer.data.result)
      if (found.success) heard(found.data.rows)
      if (isOver(answer.data)) return answer.data.state === 'completed'
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
    return false
  }

  const merge = (now: readonly ImportOutcome[], news: readonly ImportOutcome[]) => {
    const byRow = new Map([...now, ...news].map((outcome) => [outcome.row, outcome]))
    return [...byRow.values()].toSorted((a, b) => a.row - b.row)
  }

  return {
    state,
    reset: () => setState(idle),
    async judge(rows: readonly ImportRow[]): Promise<void> {
      cancelled.current = false
      setState({ ...idle, phase: 'judging', total: rows.length })
      const isDone = await each(rows, [...rows.keys()], true, (outcomes) =>
        setState((now) => {
          const all = withoutTwins(rows, merge(now.outcomes, outcomes), site)
          return { ...now, outcomes: all, done: all.length }
        }),
      )
      setState((now) => ({ ...now, phase: isDone ? 'judged' : 'idle' }))
    },
    /** @param positions of the rows to add */
    async add(rows: readonly ImportRow[], positions: readonly number[]): Promise<void> {
      cancelled.current = false
      setState((now) => ({ ...now, phase: 'adding', done: 0, total: positions.length, failure: null }))
      await each(rows, positions, false, (outcomes) =>
        setState((now) => {
          const all = merge(now.outcomes, outcomes)
          const own = all.filter(({ row }) => positions.includes(row))
          return { ...now, outcomes: all, done: count(own, 'created', 'failed', 'skipped') }
        }),
      )
      running.current = null
      refresh('device')
      setState((now) => ({ ...now, phase: 'ended' }))
    },
    /** What was added until now stays. */
    async cancel(): Promise<void> {
      cancelled.current = true
      if (running.current) await api.job.cancel.call({ job_id: running.current })
    },
    count: (...kinds: ImportOutcome['outcome'][]) => count(state.outcomes, ...kinds),
    rowsOf: (...kinds: ImportOutcome['outcome'][]) =>
      state.outcomes.filter(({ outcome }) => kinds.includes(outcome)).map(({ row }) => row),
  }
}
export type Importing = ReturnType<typeof useImport>
