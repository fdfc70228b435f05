import { sparkPaths } from './sparkPaths.ts'

type Props = { values: readonly (number | null)[]; width?: number; height?: number; color?: string; className?: string }

/** A small line without axes: the shape of the last hours. A gap in the values is a gap in the line. */
export function Spark({ values, width = 200, height = 44, color = 'currentColor', className }: Props) {
  const { line, area } = sparkPaths(values, width, height)
  return (
    <svg className={className} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={area} fill={color} opacity={0.22} />
      <path d={line} fill="none" stroke={color} strokeWidth="1.6" vectorEffect="non-scaling-stroke" opacity={0.85} />
    </svg>
  )
}
