import type { Zone, ZoneDraft } from '@sightline/contract'
import { dwellFault, type PipelineElements, type UsecaseKey } from '@sightline/domain'
import { useCallback, useMemo, useState } from 'react'
import { amend, calibrationOf, change, type Drawing, type History, historyOf, redo, undo } from './editing.ts'

export type Zones = {
  drawings: Drawing[]
  active: Drawing | null
  select(key: string): void
  /** Makes the first zone whose own dwell is wrong the active one, so that its field is seen; false when all are right. */
  selectWrongDwell(usecase: UsecaseKey): boolean
  /** One undoable step; makes `key` the active shape when given. */
  set(next: Drawing[], key?: string): void
  /** Begins a step whose moves follow by `amend`. */
  step(): void
  amend(next: Drawing[]): void
  remove(key: string): void
  undo(): void
  redo(): void
  canUndo: boolean
  canRedo: boolean
  /** Whether anything differs from what it began with. */
  isChanged: boolean
  /** What the server takes; an outline still open is sent too, so that its refusal is shown. */
  drafts(aspectRatio: number): ZoneDraft[]
  /** Begins again from other stored shapes; what was drawn here is kept on top of them when that is asked for. */
  begin(stored: readonly Zone[], floor: Drawing | null, keepsMine: boolean): void
  /** What was drawn before, from a draft. */
  restore(drawn: Drawing[]): void
  /** What a changed rectangle on the floor says in the pipeline; undefined when nobody touched it. */
  calibration(): PipelineElements | undefined
}

export const drawingOf = (zone: Zone): Drawing => ({
  key: zone.static_id,
  static_id: zone.static_id,
  kind: zone.kind,
  name: zone.name,
  label: zone.label,
  points: zone.points,
  direction: zone.direction,
  side_a: zone.side_a,
  side_b: zone.side_b,
  is_active: zone.is_active,
  dwell_s: zone.dwell_s,
  open: false,
})

/** Shapes as the server takes them. @param aspectRatio of the picture that they lie on */
export const draftsOf = (drawings: readonly Drawing[], aspectRatio: number): ZoneDraft[] =>
  drawings.flatMap(({ key: _key, name: _name, open: _open, metres: _metres, kind, points, ...rest }) =>
    kind === 'floor'
      ? []
      : [
          {
            ...rest,
            kind,
            points: points.map(([x, y]): [number, number] => [x, y]),
            aspect_ratio: Math.round(aspectRatio * 1e5) / 1e5,
          },
        ],
  )

const floorIn = (drawings: readonly Drawing[]) => drawings.find(({ kind }) => kind === 'floor')

const shapesOf = (zones: readonly Zone[] | readonly Drawing[], floor: Drawing | null): Drawing[] => [
  ...(floor ? [floor] : []),
  ...zones.map((item) => ('key' in item ? item : drawingOf(item))),
]

/** The shapes of one picture while they are edited. Both arguments are read once. */
export function useZones(initial: readonly Zone[] | Drawing[], floor: Drawing | null = null): Zones {
  // The floor lies under everything.
  const [first, setFirst] = useState<Drawing[]>(() => shapesOf(initial, floor))
  const [history, setHistory] = useState<History>(() => historyOf(first))
  const [activeKey, setActiveKey] = useState<string | null>(
    () => first.find(({ kind }) => kind !== 'floor')?.key ?? null,
  )
  const { now, past, future } = history
  const isChanged = JSON.stringify(now) !== JSON.stringify(first)

  const set = useCallback((next: Drawing[], key?: string) => {
    setHistory((before) => change(before, next))
    if (key) setActiveKey(key)
  }, [])
  const steps = useMemo(
    () => ({
      select: setActiveKey,
      set,
      step: () => setHistory((before) => change(before, before.now)),
      amend: (next: Drawing[]) => setHistory((before) => amend(before, next)),
      remove: (key: string) =>
        setHistory((before) =>
          change(
            before,
            before.now.filter((it) => it.key !== key),
          ),
        ),
      undo: () => setHistory(undo),
      redo: () => setHistory(redo),
    }),
    [set],
  )
  return {
    ...steps,
    drawings: now,
    active: now.find(({ key }) => key === activeKey) ?? null,
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    isChanged,
    selectWrongDwell(usecase) {
      const wrong = now.find((drawing) => dwellFault(usecase, drawing))
      if (wrong) setActiveKey(wrong.key)
      return wrong !== undefined
    },
    begin(stored, floor, keepsMine) {
      const next = shapesOf(stored, floor)
      setFirst(next)
      if (!keepsMine || !isChanged) setHistory(historyOf(next))
    },
    restore: (drawn) => setHistory(change(historyOf(first), drawn)),
    // One that somebody else removed meanwhile is drawn anew.
    drafts: (aspectRatio) =>
      draftsOf(now, aspectRatio).map(({ static_id, ...shape }) =>
        first.some((one) => one.static_id === static_id) ? { static_id, ...shape } : shape,
      ),
    calibration() {
      const [before, after] = [floorIn(first), floorIn(now)]
      return JSON.stringify(before) === JSON.stringify(after) ? undefined : calibrationOf(after)
    },
  }
}
