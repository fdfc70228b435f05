/** Runs of neighbouring values, without the gaps between them. */
function runs(values: readonly (number | null)[]): [index: number, value: number][][] {
  const all: [number, number][][] = []
  let run: [number, number][] = []
  values.forEach((value, index) => {
    if (value !== null) run.push([index, value])
    else if (run.length > 0) {
      all.push(run)
      run = []
    }
  })
  return run.length > 0 ? [...all, run] : all
}

/** SVG paths of a sparkline from zero to the greatest value; null is a gap. */
export function sparkPaths(
  values: readonly (number | null)[],
  width: number,
  height: number,
): { line: string; area: string } {
  const top = Math.max(1, ...values.map((value) => value ?? 0))
  const step = values.length > 1 ? width / (values.length - 1) : width
  const at = ([index, value]: [number, number]) => [index * step, height - 3 - (value / top) * (height - 10)] as const
  const parts = runs(values).map((run) => {
    const points = run.map(at)
    const [first, ...rest] = points
    if (!first) return { line: '', area: '' }
    let [px, py] = first
    let line = `M${px.toFixed(1)},${py.toFixed(1)}`
    for (const [x, y] of rest) {
      const middle = ((px + x) / 2).toFixed(1)
      line += `C${middle},${py.toFixed(1)} ${middle},${y.toFixed(1)} ${x.toFixed(1)},${y.toFixed(1)}`
      px = x
      py = y
    }
    return { line, area: `${line}L${px.toFixed(1)},${height}L${first[0].toFixed(1)},${height}Z` }
  })
  return { line: parts.map((part) => part.line).join(''), area: parts.map((part) => part.area).join('') }
}
