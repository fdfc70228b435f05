import { polygonArea } from '@sightline/domain'
import classes from './LivePicture.module.css'

/** A zone, line or mask as drawn over the picture; points 0…1. */
export type Shape = {
  id: string
  kind: 'zone' | 'line' | 'mask'
  name: string
  points: readonly (readonly [number, number])[]
}

type Stored = Pick<Shape, 'kind' | 'name' | 'points'> & { static_id: string; label: string | null }

/** The zones of an analytic as they are drawn. */
export const shapesOf = (zones: readonly Stored[]): Shape[] =>
  zones.map(({ static_id, kind, name, label, points }) => ({ id: static_id, kind, name: label ?? name, points }))

/** A zone that is the whole picture: no name and no colour, which would lie over everything. */
const isWhole = (kind: Shape['kind'], points: Shape['points']): boolean => kind === 'zone' && polygonArea(points) > 0.95

/** Within an `<svg viewBox="0 0 1 1">`: points are shares of the picture, whatever its size on screen. */
export function Outlines({ shapes }: { shapes: readonly Shape[] }) {
  return shapes.map(({ id, kind, points }) => {
    const path = points.map((point) => point.join(',')).join(' ')
    return kind === 'line' ? (
      <polyline key={id} className={classes.line} points={path} />
    ) : (
      <polygon
        key={id}
        className={kind === 'mask' ? classes.mask : isWhole(kind, points) ? classes.whole : classes.zone}
        points={path}
      />
    )
  })
}

/** The names of the shapes, each at its first point. */
export function Names({ shapes }: { shapes: readonly Shape[] }) {
  return shapes.map(({ id, name, kind, points }) => {
    const [first] = points
    return first && !isWhole(kind, points) ? (
      <span
        key={id}
        className={classes.name}
        data-low={(first[0] < 0.5 && first[1] < 0.12) || undefined}
        style={{ left: `${first[0] * 100}%`, top: `${first[1] * 100}%` }}
      >
        {name}
      </span>
    ) : null
  })
}

/** Shapes with their names over a still picture. */
export function ShapesOver({ shapes }: { shapes: readonly Shape[] }) {
  return (
    <>
      <svg className={classes.overlay} viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        <Outlines shapes={shapes} />
      </svg>
      <Names shapes={shapes} />
    </>
  )
}
