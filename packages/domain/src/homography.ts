/**
 * From the picture to the ground: four points of the floor, marked in the picture and measured in metres, say where every
 * other point of the floor is (Hartley & Zisserman 2004, section 4.1).
 */
import type { Point } from './geometry.ts'
import { side } from './geometry.ts'

/** Row by row; scaled so that the third coordinate is positive on the visible side of the horizon. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number]

/** Four points in 0…1 of the picture, and where each is on the floor, in metres. */
export type Calibration = { image: readonly Point[]; world: readonly Point[] }

/** A triangle of three of the points must cover at least this share of what all of them span. */
const leastTriangle = 0.01

/**
 * The mapping from picture (0…1) to floor (metres) of exactly four pairs of points. Null when there is none that makes
 * sense: other than four points, three of them in a line, or points in an order that turns the floor inside out.
 */
export function homographyOf({ image, world }: Calibration): Homography | null {
  if (image.length !== 4 || world.length !== 4 || isDegenerate(image) || isDegenerate(world)) return null
  const rows = image.flatMap(([x, y], i) => {
    const [u, v] = world[i] as Point
    return [
      [x, y, 1, 0, 0, 0, -u * x, -u * y, u],
      [0, 0, 0, x, y, 1, -v * x, -v * y, v],
    ]
  })
  const solved = solve(rows)
  if (!solved) return null
  const matrix = [...solved, 1]
  const depths = image.map((point) => depthOf(matrix, point))
  if (!depths.every((depth) => Math.sign(depth) === Math.sign(depths[0] as number) && Math.abs(depth) > 1e-9))
    return null
  const sign = Math.sign(depths[0] as number)
  return matrix.map((value) => value * sign) as unknown as Homography
}

function isDegenerate(points: readonly Point[]): boolean {
  const spread = (axis: 0 | 1) => {
    const values = points.map((point) => point[axis])
    return Math.max(...values) - Math.min(...values)
  }
  const span = spread(0) * spread(1)
  return points.some((_, left) => {
    const [a, b, c] = points.filter((_point, i) => i !== left) as [Point, Point, Point]
    return !(Math.abs(side(a, b, c)) / 2 >= leastTriangle * span) || span === 0
  })
}

/** Gauss–Jordan with row exchange of 8 equations with 8 unknowns; null when they have no single answer. */
function solve(rows: number[][]): number[] | null {
  const size = rows.length
  for (let column = 0; column < size; column++) {
    let best = column
    for (let row = column; row < size; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[best]![column]!)) best = row
    const pivot = rows[best] as number[]
    rows[best] = rows[column] as number[]
    rows[column] = pivot
    if (Math.abs(pivot[column]!) < 1e-10) return null
    for (let row = 0; row < size; row++) {
      if (row === column) continue
      const factor = rows[row]![column]! / pivot[column]!
      for (let k = column; k <= size; k++) rows[row]![k]! -= factor * pivot[k]!
    }
  }
  return rows.map((row, i) => row[size]! / row[i]!)
}

const depthOf = (m: readonly number[], [x, y]: Point): number => m[6]! * x + m[7]! * y + m[8]!

/** Where a point of the picture lies on the floor, in metres; null at and above the horizon. */
export function toGround(matrix: Homography, point: Point): Point | null {
  const depth = depthOf(matrix, point)
  if (depth <= 1e-9) return null
  const [x, y] = point
  return [(matrix[0] * x + matrix[1] * y + matrix[2]) / depth, (matrix[3] * x + matrix[4] * y + matrix[5]) / depth]
}

/**
 * How far off on the floor, in metres, a point is that is off by one pixel in the picture, in the worst direction: the
 * greater singular value of the mapping's derivative. Infinite at and above the horizon.
 * @param width and height of the picture in pixels
 */
export function groundError(matrix: Homography, point: Point, width: number, height: number): number {
  const ground = toGround(matrix, point)
  if (!ground) return Number.POSITIVE_INFINITY
  const depth = depthOf(matrix, point)
  const [u, v] = ground
  const a = (matrix[0] - u * matrix[6]) / depth / width
  const b = (matrix[1] - u * matrix[7]) / depth / height
  const c = (matrix[3] - v * matrix[6]) / depth / width
  const d = (matrix[4] - v * matrix[7]) / depth / height
  const sum = a * a + b * b + c * c + d * d
  const product = a * d - b * c
  return Math.sqrt((sum + Math.sqrt(Math.max(0, sum * sum - 4 * product * product))) / 2)
}

/** Points as a pipeline writes them, `x,y x,y …`; null when the text is anything else. */
export function parsePoints(text: string): Point[] | null {
  const pairs = text.trim().split(/\s+/)
  const points = pairs.map((pair) => /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)$/.exec(pair)?.slice(1).map(Number))
  return points.every((point) => point !== undefined) ? (points as unknown as Point[]) : null
}

export const formatPoints = (points: readonly Point[]): string => points.map((point) => point.join(',')).join(' ')
