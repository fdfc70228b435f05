import { type EventEntity, mostExportRows } from '@sightline/contract'
import type { RecordKind } from '@sightline/contract/edge'
import { type MetricId, metricsOf, type UsecaseKey, usecases } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { invalid } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { byteOrderMark, type Cell, csvLine, type Separator } from './csv.ts'
import { type Content, contentOf, countEvents, type ListQuery, listEvents } from './list.ts'
import { type Selection, selectChannels } from './select.ts'
import type { Period } from './time.ts'

export type Export = Selection & {
  period: Period
  kind?: RecordKind[] | undefined
  view: ListQuery['view']
  separator: Separator
  words?: Readonly<Record<string, string>> | undefined
}

const rowsAtOnce = 500

/**
 * Events as lines of CSV, newest first, read piece by piece as they are taken. Each piece is read within reach anew.
 * @throws Refusal 400 when there are more than `mostExportRows`, 404 for a channel out of reach
 */
export async function startExport(
  { db }: Pick<Services, 'db'>,
  scope: Scope,
  { period, kind, view, separator, words = {}, ...selection }: Export,
): Promise<AsyncIterable<string>> {
  const query = (channels: ListQuery['channels'], after: string | undefined): ListQuery => ({
    ...{ channels, period, view, after },
    ...{ kinds: kind, metrics: selection.usecase_meta_key, details: true, limit: rowsAtOnce, offset: 0 },
  })
  const table = await db.as(scope, async (trx) => {
    const channels = await selectChannels(trx, scope, selection)
    if ((await countEvents(trx, query(channels, undefined), mostExportRows + 1)) > mostExportRows)
      throw invalid({ start: [`export_too_many:${mostExportRows}`] })
    const watching = new Set(channels.map(({ usecase_key }) => usecase_key))
    return {
      metrics: columnsOf(channels),
      told: contents.filter(({ usecases }) => usecases.some((key) => watching.has(key))),
      names: await namesOf(trx, channels),
    }
  })
  const read = (after: string | undefined) =>
    db.as(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, selection)
      return (await listEvents(trx, query(channels, after), '')).events
    })
  return lines(read, { ...table, say: (code, otherwise = code) => words[code] ?? otherwise }, separator)
}

async function* lines(
  read: (after: string | undefined) => Promise<EventEntity[]>,
  table: Table,
  separator: Separator,
): AsyncIterable<string> {
  const { metrics, told, say } = table
  const columns = [...heads, ...told.map(({ head }) => head), ...metrics]
  yield byteOrderMark +
    csvLine(
      columns.map((head) => say(head)),
      separator,
    )
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
  /** Columns that some of it fills. */
  told: typeof contents
  /** The word for a code. */
  say: (code: string, otherwise?: string) => string
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

type Told = Content & { person: string | null }
/** What only some use cases say of what happened; `group`: of the codes that it is one of. */
const contents: readonly { head: keyof Told; usecases: readonly UsecaseKey[]; group?: string }[] = [
  { head: 'from_side', usecases: ['pplcnt', 'pplocc', 'intrdtec'] },
  { head: 'to_side', usecases: ['pplcnt', 'pplocc', 'intrdtec'] },
  { head: 'finding', usecases: ['emptyframecheck'], group: 'finding' },
  { head: 'item', usecases: ['ppedtec'], group: 'item' },
  { head: 'distance_m', usecases: ['phydist', 'coldtec'] },
  { head: 'time_to_collision_s', usecases: ['coldtec'] },
  { head: 'person', usecases: ['fcrecog'] },
  { head: 'likeness', usecases: ['fcrecog'] },
]

function cellsOf(event: EventEntity, { metrics, told, say, ...table }: Table): Cell[] {
  const { observed_at, occasion } = event
  const names = table.names.get(event.channel_id)
  const content: Told = { ...contentOf(event.details), person: occasion?.person ?? null }
  const ended = occasion?.ended_at ?? null
  // Without metrics somebody set the levels.
  const counted = Object.keys(event.metrics).length > 0 ? event.metrics : (event.levels ?? {})
  const coded = (value: Cell, group: string | undefined) =>
    group && typeof value === 'string' ? say(`${group}.${value}`, value) : value
  return [
    event.event_uuid,
    coded(event.kind, 'kind'),
    names?.site ?? null,
    names?.device ?? null,
    names?.channel ?? null,
    say(`usecase.${event.usecase_key}`, usecases[event.usecase_key].name),
    observed_at,
    names ? siteTime(observed_at, names.timezone) : null,
    names?.timezone ?? null,
    ended,
    ended === null ? null : (Date.parse(ended) - Date.parse(observed_at)) / 1000,
    content.zone,
    coded(content.direction, 'direction'),
    // Only windows measure time, so that it is never counted twice.
    event.kind === 'window' ? event.observed_ms / 1000 : null,
    event.snapshot_url && say('yes'),
    event.clip_url && say('yes'),
    ...told.map(({ head, group }) => coded(content[head], group)),
    ...metrics.map((metric) => occasion?.peak[metric] ?? counted[metric] ?? null),
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
