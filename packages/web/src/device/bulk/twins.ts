import { type ImportOutcome, type ImportRow, streamKey } from '@sightline/contract'
import { endpointUuid, folded } from '@sightline/domain'

/**
 * Outcomes of a whole table, where the portal judged it in several calls and could not know of the rows of the others: a
 * row that is the same camera as a valid one before it, or has its name in its site, is not valid.
 * @param site the name of that to which rows go that name none
 */
export function withoutTwins(
  rows: readonly ImportRow[],
  outcomes: readonly ImportOutcome[],
  site: string,
): ImportOutcome[] {
  const cameras = new Map<string, number>()
  const names = new Set<string>()
  return outcomes.map((outcome) => {
    const cells = rows[outcome.row]
    if (outcome.outcome !== 'valid' || !cells) return outcome
    const endpoint = endpointUuid(cells.UUID)
    const keys = [streamKey(cells.stream_address.trim()), ...(endpoint ? [endpoint] : [])]
    const twin = keys.map((key) => cameras.get(key)).find((row) => row !== undefined)
    const name = JSON.stringify([cells.site_name.trim() || site, cells.device_name.trim()].map(folded))
    const errors: ImportOutcome['errors'] = {
      ...(twin !== undefined && { stream_address: [`row_twice:${twin + 1}`] }),
      ...(names.has(name) && { device_name: ['name_taken'] }),
    }
    if (Object.keys(errors).length > 0) return { ...outcome, outcome: 'failed', errors }
    for (const key of keys) cameras.set(key, outcome.row)
    names.add(name)
    return outcome
  })
}

/** An outcome of one call under its place in the whole table, and so the row that it says is the same camera. */
export function placed(outcome: ImportOutcome, positions: readonly number[]): ImportOutcome {
  const { stream_address } = outcome.errors
  const inTable = (id: string) =>
    id.replace(/^row_twice:(\d+)$/, (_, row: string) => `row_twice:${(positions[Number(row) - 1] as number) + 1}`)
  return {
    ...outcome,
    row: positions[outcome.row] as number,
    errors: { ...outcome.errors, ...(stream_address && { stream_address: stream_address.map(inTable) }) },
  }
}
