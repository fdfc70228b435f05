import { type Point, polygonArea } from '@sightline/domain'
import { IconArrowsMove } from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { across, centreOf, type Drawing, floorGrid, isMeasured, middles } from './editing.ts'
import classes from './zones.module.css'

type OutlineProps = { drawing: Drawing; color: string; isActive: boolean; cursor: Point | null }

/** A shape as drawn so far, to the crosshair while it is open. */
export function Outline({ drawing, color, isActive, cursor }: OutlineProps) {
  const { kind, points, open, is_active } = drawing
  const path = [...points, ...(open && isActive && cursor ? [cursor] : [])].map((point) => point.join(',')).join(' ')
  const look = {
    stroke: color,
    strokeWidth: isActive ? 2.5 : 1.75,
    strokeDasharray: open ? '5 4' : undefined,
    opacity: is_active ? 1 : 0.45,
  }
  if (kind === 'line' || open) return <polyline points={path} fill="none" {...look} />
  if (kind === 'floor')
    return (
      <>
        {floorGrid(drawing).map(([[x1, y1], [x2, y2]]) => (
          <line key={`${x1} ${y1} ${x2} ${y2}`} {...{ x1, y1, x2, y2 }} stroke={color} strokeWidth={1} opacity={0.55} />
        ))}
        <polygon points={path} fill={color} fillOpacity={isActive ? 0.12 : 0.05} {...look} />
      </>
    )
  // The whole picture is not tinted: it would only be harder to see.
  const isWhole = kind === 'zone' && polygonArea(points) > 0.95
  const opacity = kind === 'mask' ? 0.75 : isWhole ? 0 : isActive ? 0.2 : 0.12
  return <polygon points={path} fill={color} fillOpacity={opacity} {...look} />
}

/** The name at the topmost point; for lines the two sides as well, with the arrow that counts. */
export function Name({ drawing, aspectRatio, color }: { drawing: Drawing; aspectRatio: number; color: string }) {
  const { t } = useTranslation()
  const { name, label, points, kind, direction, side_a, side_b, metres } = drawing
  const top = points.reduce<Point | null>((best, point) => (!best || point[1] < best[1] ? point : best), null)
  if (!top) return null
  const sides = kind === 'line' ? across(points, aspectRatio) : null
  const place = (sign: number) =>
    sides && {
      left: `${(sides.at[0] + sign * sides.toB[0] * 0.07) * 100}%`,
      top: `${(sides.at[1] + sign * sides.toB[1] * 0.07) * 100}%`,
    }
  const arrow = { a_to_b: '→', b_to_a: '←', both: '↔' }[direction]
  return (
    <>
      <span className={classes.name} style={{ left: `${top[0] * 100}%`, top: `${top[1] * 100}%`, borderColor: color }}>
        {kind === 'floor'
          ? metres && isMeasured(drawing)
            ? t('zones.floorSize', { width: metres[0], depth: metres[1] })
            : t('zones.floor')
          : (label ?? name)}
        {sides && ` · ${side_a} ${arrow} ${side_b}`}
      </span>
      {sides && (
        <>
          <span className={classes.side} style={place(-1) ?? undefined}>
            {side_a}
          </span>
          <span className={classes.side} style={place(1) ?? undefined}>
            {side_b}
          </span>
        </>
      )}
    </>
  )
}

type HandlesProps = {
  drawing: Drawing
  color: string
  /** Whether a press between two points makes a new one. */
  canInsert: boolean
  onInsert: (after: number, at: Point, pointerId: number) => void
  onGrab: (index: number, pointerId: number) => void
  onKey: (event: KeyboardEvent, index: number) => void
  onRemove: (index: number) => void
  onMove: (from: Point, pointerId: number) => void
  onMoveKey: (event: KeyboardEvent) => void
}

/** The points of the active shape, to be dragged or moved by keys, and the places between them. */
export function Handles(props: HandlesProps) {
  const { drawing, color, canInsert, onInsert, onGrab, onKey, onRemove, onMove, onMoveKey } = props
  const { t } = useTranslation()
  const percent = (share: number) => `${share * 100}%`
  const centre = centreOf(drawing.points)
  const name = drawing.label ?? (drawing.kind === 'floor' ? t('zones.floor') : drawing.name)
  return (
    <>
      {canInsert &&
        middles(drawing).map(({ after, at: [x, y] }) => (
          <button
            key={`middle-${after}`}
            type="button"
            tabIndex={-1}
            className={classes.middle}
            style={{ left: percent(x), top: percent(y) }}
            aria-label={t('zones.insert', { n: after + 1 })}
            onPointerDown={(event) => {
              if (event.button !== 0) return
              event.stopPropagation()
              onInsert(after, [x, y], event.pointerId)
            }}
          />
        ))}
      {drawing.points.map(([x, y], index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place in the outline
          key={index}
          type="button"
          className={classes.point}
          style={{ left: percent(x), top: percent(y), color }}
          aria-label={t('zones.point', {
            zone: name,
            n: index + 1,
            x: Math.round(x * 1000) / 10,
            y: Math.round(y * 1000) / 10,
          })}
          onPointerDown={(event) => {
            // While drawing, a press on the first point closes the outline.
            if (drawing.open || event.button !== 0) return
            event.stopPropagation()
            onGrab(index, event.pointerId)
          }}
          onKeyDown={(event) => onKey(event, index)}
          onContextMenu={(event) => {
            event.preventDefault()
            onRemove(index)
          }}
        />
      ))}
      {!drawing.open && (
        <button
          type="button"
          className={classes.move}
          style={{ left: percent(centre[0]), top: percent(centre[1]), color }}
          aria-label={t('zones.move', { zone: name })}
          onPointerDown={(event) => {
            if (event.button !== 0) return
            event.stopPropagation()
            onMove(centre, event.pointerId)
          }}
          onKeyDown={onMoveKey}
        >
          <IconArrowsMove size={14} stroke={2.2} aria-hidden="true" />
        </button>
      )}
    </>
  )
}
