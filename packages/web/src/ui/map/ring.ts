/**
 * A ring that crosses the 180th meridian goes on beyond ±180°, as MapLibre draws it, instead of back across the whole map.
 * One that goes around a pole stays as it is.
 * @param ring of [longitude, latitude] in degrees, closed
 */
export function unwrapped<P extends readonly number[]>(ring: readonly P[]): P[] {
  let turns = 0
  const shifted = ring.map((point, index) => {
    const step = index === 0 ? 0 : (point[0] as number) - (ring[index - 1]?.[0] as number)
    if (Math.abs(step) > 180) turns -= Math.sign(step)
    return (turns === 0 ? point : [(point[0] as number) + 360 * turns, ...point.slice(1)]) as P
  })
  return turns === 0 ? shifted : [...ring]
}
