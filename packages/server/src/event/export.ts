import { type EventEntity, mostExportRows } from '@sightline/contract'
import type { RecordKind } from '@sightline/contract/edge'
import { type MetricId, metricsOf, usecases } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { invalid } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { byteOrderMark, type Cell, csvLine, type Separator } from './csv.ts'
import { countEvents, type ListQuery, listEvents } from './list.ts'
import { type Selection, selectChannels } from './select.ts'
import type { Period } from './time.ts'

export type Export = Selection & {
  period: Period
  kind?: RecordKind[] | undefined
  view: ListQuery['view']
  separator: Separator
}

const rowsAtOnce = 500

/**
 * Events as lines of CSV, newest first, read piece by piece as they are taken. Each piece is read within reach anew.
 * @throws Refusal 400 when there are more than `mostExportRows`, 404 for a channel out of reach
 */
export async function startExport(
  { db }: Pick<Services, 'db'>,
  scope: Scope,
  { period, kind, view, separator, ...selection }: Export,
): Promise<AsyncIterable<string>> {
  const query = (channels: ListQuery['channels'], after: string | undefined): ListQuery => ({
    ...{ channels, period, view, after },
    ...{ kinds: kind, metrics: selection.usecase_meta_key, details: true, limit: rowsAtOnce, offset: 0 },
  })
  const { metrics, names, hasPeople } = await db.as(scope, async (trx) => {
    const channels = await selectChannels(trx, scope, selection)
    if ((await countEvents(trx, query(channels, undefined), mostExportRows + 1)) > mostExportRows)
      throw invalid({ start: [`export_too_many:${mostExportRows}`] })
    const hasPeople = channels.some(({ usecase_key }) => usecase_key === 'fcrecog')
    return { metrics: columnsOf(channels), names: await namesOf(trx, channels), hasPeople }
  })
  const read = (after: string | undefined) =>
    db.as(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, selection)
      return (await listEvents(trx, query(channels, after), '')).events
    })
  return lines(read, { metrics, names, hasPeople }, separator)
}

async function* lines(
  read: (after: string | undefined) => Promise<EventEntity[]>,
  table: Table,
  separator: Separator,
): AsyncIterable<string> {
  const { metrics, hasPeople } = table
  yield byteOrderMark + csvLine([...heads, ...(hasPeople ? ['person'] : []), ...metrics], separator)
  let after: string | undefined
  do {
    const events = await read(after)
    yield events.map((event) => csvLine(cellsOf(event, table), separator)).join('')
    after = events.length < rowsAtOnce ? undefined : events.at(-1)?.event_uuid
  } while (after)
}

/** What the columns are, and what the rows are called. */
type Table = {
  metrics: readonly MetricId[]
  names: ReadonlyMap<string, Names>
  /** Whether faces are recognised in some of it. */
  hasPeople: boolean
}
type Names = { channel: string; device: string; site: string; timezone: string }

const heads = [
  'event_id',
  'kind',
  'site',
  'camera',
  'analytic',
  'use_case',
  'observed_at_utc',
  'observed_at_site',
  'timezone',
  'ended_at_utc',
  'length_s',
  'zone',
  'direction',
  'watched_s',
  'picture',
  'clip',
]

function cellsOf(event: EventEntity, { metrics, hasPeople, ...table }: Table): Cell[] {
  const { observed_at, occasion, details } = event
  const names = table.names.get(event.channel_id)
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const ended = occasion?.ended_at ?? null
  return [
    event.event_uuid,
    event.kind,
    names?.site ?? null,
    names?.device ?? null,
    names?.channel ?? null,
    usecases[event.usecase_key].name,
    observed_at,
    names ? siteTime(observed_at, names.timezone) : null,
    names?.timezone ?? null,
    ended,
    ended === null ? null : (Date.parse(ended) - Date.parse(observed_at)) / 1000,
    text(details?.zone) ?? text(details?.line),
    text(details?.direction),
    // Only windows measure time, so that it is never counted twice.
    event.kind === 'window' ? event.observed_ms / 1000 : null,
    event.snapshot_url && 'yes',
    event.clip_url && 'yes',
    ...(hasPeople ? [occasion?.person ?? null] : []),
    ...metrics.map((metric) => occasion?.peak[metric] ?? event.metrics[metric] ?? null),
  ]
}

/** `2026-03-08 01:30:00 -05:00`: two moments of the night in which the clock is set back differ in their offset. */
function siteTime(at: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    timeZoneName: 'longOffset',
  }).formatToParts(new Date(at))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((item) => item.type === type)?.value ?? ''
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00'
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')} ${offset}`
}

const columnsOf = (channels: ListQuery['channels']): MetricId[] => [
  ...new Set(channels.flatMap(({ usecase_key }) => [...metricsOf(usecase_key), ...usecases[usecase_key].lineMetrics])),
]

async function namesOf(trx: Trx, channels: ListQuery['channels']): Promise<Map<string, Names>> {
  if (channels.length === 0) return new Map()
  const rows = await trx
    .selectFrom('channel')
    .innerJoin('device', (on) =>
      on.onRef('device.tenant_id', '=', 'channel.tenant_id').onRef('device.id', '=', 'channel.device_id'),
    )
    .innerJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'channel.tenant_id').onRef('site.id', '=', 'channel.site_id'),
    )
    .select(['channel.uid', 'channel.name as channel', 'device.name as device', 'site.name as site', 'site.timezone'])
    .where('channel.tenant_id', 'in', [...new Set(channels.map(({ tenant_id }) => tenant_id))])
    .where(
      'channel.id',
      'in',
      channels.map(({ id }) => id),
    )
    .execute()
  return new Map(rows.map(({ uid, ...names }) => [uid, names]))
}
