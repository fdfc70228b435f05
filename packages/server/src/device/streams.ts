/** What becomes of a camera's streams when its address changes, or another camera takes its place. */
import { addressPlace, type deviceChange } from '@sightline/contract'
import type * as z from 'zod'
import { addressFault, type Opener, streamSchemes } from '../camera-address.ts'
import type { Trx } from '../db/database.ts'
import { invalid, Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import {
  channelsOfSources,
  deleteSource,
  insertSources,
  nextStreamNumber,
  type StreamRow,
  updateSource,
} from '../source/store.ts'
import type { DeviceRow } from './store.ts'

type Change = Pick<z.output<typeof deviceChange>, 'stream_address' | 'device_source'>
/** A stream as it is to be; `row` null: it is new. */
export type NextStream = { row: StreamRow | null; name: string; address: string; role: StreamRow['role'] }

/**
 * The streams that a camera is to have. With a list: those of the list. With an address alone: the default stream has it,
 * and what was read from the same place is read from the new one, so that nothing shows the old place any more.
 * @param rows its streams, the default first
 * @param opener the edge server that is to open them
 * @throws 400 for addresses that no camera may have, for streams that are not the camera's or stand there twice, and for
 * an address beside a list
 */
export function nextStreams(
  app: Pick<Services, 'demo'>,
  rows: readonly StreamRow[],
  change: Change,
  opener: Opener,
): NextStream[] {
  const asTheyAre = rows.map((row) => ({ row, name: row.name, address: row.address, role: row.role }))
  const errors: Record<string, string[]> = {}
  const check = (field: string, address: string) => {
    const fault = addressFault(address, streamSchemes, app.demo.isDemo, opener)
    if (fault) errors[field] = [fault]
  }
  let next: NextStream[] = asTheyAre
  if (change.device_source) {
    if (change.stream_address !== undefined) errors.stream_address = ['address_or_streams']
    const named = change.device_source.map(({ source_id }) => source_id)
    next = change.device_source.map(({ source_id, source_name, source_address, role }, i) => {
      const row = rows.find(({ uid }) => uid === source_id) ?? null
      if (source_id !== undefined && (!row || named.indexOf(source_id) < i))
        errors[`device_source.${i}.source_id`] = ['not_found']
      if (row?.address !== source_address) check(`device_source.${i}.source_address`, source_address)
      return { row, name: source_name, address: source_address, role }
    })
    if (rows[0] && !next.some(({ row }) => row === rows[0])) errors.device_source = ['default_required']
  } else if (change.stream_address !== undefined && change.stream_address !== rows[0]?.address) {
    const to = change.stream_address
    const from = rows[0] && placeOf(rows[0].address)
    check('stream_address', to)
    next = asTheyAre.map((one) => {
      if (one.row === rows[0]) return { ...one, address: to }
      return placeOf(one.address) === from ? { ...one, address: movedTo(one.address, to) } : one
    })
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return next
}

const placeOf = (address: string): string => {
  const place = addressPlace(address)
  return `${place?.host} ${place?.port}`
}

/** The path of one address at the host and port of another. */
function movedTo(address: string, to: string): string {
  const [url, { hostname, port }] = [new URL(address), new URL(to)]
  url.hostname = hostname
  url.port = port
  return url.href
}

/** @throws 409 for a stream that is left out while analytics run on it */
export async function putStreams(
  trx: Trx,
  device: DeviceRow,
  rows: readonly StreamRow[],
  next: readonly NextStream[],
): Promise<void> {
  const gone = rows.filter((row) => !next.some((one) => one.row === row))
  const used = await channelsOfSources(trx, { usecaseIds: null, channelUids: null }, gone)
  const count = [...used.values()].flat().length
  if (count > 0) throw new Refusal(409, 'Analytics run on this stream.', { code: 'source_in_use', args: { count } })
  for (const row of gone) await deleteSource(trx, row)
  for (const { row, name, address, role } of next)
    if (row && (row.name !== name || row.address !== address || row.role !== role))
      await updateSource(trx, row, { name, address, role })
  let number = nextStreamNumber(device, rows)
  for (const { row, name, address, role } of next)
    if (!row) await insertSources(trx, device, [{ source_name: name, source_address: address, role }], number++)
}
