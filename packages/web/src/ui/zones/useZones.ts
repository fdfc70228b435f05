import type { Zone, ZoneDraft } from '@sightline/contract'
import type { PipelineElements } from '@sightline/domain'
import { useCallback, useMemo, useState } from 'react'
import { amend, calibrationOf, change, type Drawing, type History, historyOf, redo, undo } from './editing.ts'

export type Zones = {
  drawings: Drawing[]
  active: Drawing | null
  select(key: string): void
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
  /** What a changed rectangle on the floor says in the pipeline; undefined when nobody touched it. */
  calibration(): PipelineElements | undefined
}

const drawingOf = (zone: Zone): Drawing => ({
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
  open: false,
})

const floorIn = (drawings: readonly Drawing[]) => drawings.find(({ kind }) => kind === 'floor')

/** The shapes of one picture while they are edited. Both arguments are read once. */
export function useZones(initial: readonly Zone[] | Drawing[], floor: Drawing | null = null): Zones {
  // The floor lies under everything.
  const [first] = useState<Drawing[]>(() => [
    ...(floor ? [floor] : []),
    ...initial.map((item) => ('key' in item ? item : drawingOf(item))),
  ])
  const [history, setHistory] = useState<History>(() => historyOf(first))
  const [activeKey, setActiveKey] = useState<string | null>(
    () => first.find(({ kind }) => kind !== 'floor')?.key ?? null,
  )
  const { now, past, future } = history

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
    isChanged: JSON.stringify(now) !== JSON.stringify(first),
    drafts: (aspectRatio) =>
      now.flatMap(({ key: _key, name: _name, open: _open, metres: _metres, kind, points, ...rest }) =>
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
      ),
    calibration() {
      const [before, after] = [floorIn(first), floorIn(now)]
      return JSON.stringify(before) === JSON.stringify(after) ? undefined : calibrationOf(after)
    },
  }
}
