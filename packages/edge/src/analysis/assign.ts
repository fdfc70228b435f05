/**
 * The cheapest one-to-one assignment of rows to columns: Kuhn–Munkres with potentials, O(n³).
 * @param cost rows × columns; a cost of `forbidden` or more is never chosen
 * @returns for each row its column, or −1
 */
export function assign(cost: readonly (readonly number[])[], forbidden: number): number[] {
  const rows = cost.length
  const columns = cost[0]?.length ?? 0
  if (rows === 0 || columns === 0) return new Array(rows).fill(-1)
  const n = Math.max(rows, columns)
  const at = (i: number, j: number) => Math.min(forbidden, cost[i - 1]?.[j - 1] ?? forbidden)
  // Row and column 0 are the algorithm's own; match[j] is the row assigned to column j.
  const rowPotential = new Float64Array(n + 1)
  const columnPotential = new Float64Array(n + 1)
  const match = new Int32Array(n + 1)
  const previous = new Int32Array(n + 1)
  for (let i = 1; i <= n; i++) {
    const least = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY)
    const done = new Uint8Array(n + 1)
    let column = 0
    match[0] = i
    do {
      done[column] = 1
      const row = match[column] as number
      let delta = Number.POSITIVE_INFINITY
      let next = 0
      for (let j = 1; j <= n; j++) {
        if (done[j]) continue
        const reduced = at(row, j) - (rowPotential[row] as number) - (columnPotential[j] as number)
        if (reduced < (least[j] as number)) {
          least[j] = reduced
          previous[j] = column
        }
        if ((least[j] as number) < delta) {
          delta = least[j] as number
          next = j
        }
      }
      for (let j = 0; j <= n; j++) {
        if (done[j]) {
          rowPotential[match[j] as number]! += delta
          columnPotential[j]! -= delta
        } else least[j]! -= delta
      }
      column = next
    } while (match[column] !== 0)
    while (column !== 0) {
      const before = previous[column] as number
      match[column] = match[before] as number
      column = before
    }
  }
  const result: number[] = new Array(rows).fill(-1)
  for (let j = 1; j <= columns; j++) {
    const row = (match[j] as number) - 1
    if (row >= 0 && row < rows && at(row + 1, j) < forbidden) result[row] = j - 1
  }
  return result
}
