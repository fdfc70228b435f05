import { Readable } from 'node:stream'
import type { EventSeries } from '@sightline/contract'
import { isZone, type UsecaseKey } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import type { Env } from '../env.ts'
import { type FileAnswer, type Handlers, reply } from '../mount.ts'
import { invalid, notFound } from '../refusal.ts'
import { readChart } from './chart.ts'
import { collectEvidence } from './evidence.ts'
import { startExport } from './export.ts'
import { readHistogram } from './histogram.ts'
import { findEvent, findNeighbours, listEvents } from './list.ts'
import { oldestAccepted } from './partitions.ts'
import { metricsAsked, oneUsecase, type SelectedChannel, selectChannels } from './select.ts'
import { readStats } from './stats.ts'
import { bucketBorders, defaultFrequency, frequencyMs, type Period, readPeriod } from './time.ts'

/** The first day of which single events of any of the channels are kept. */
async function keptFrom(trx: Trx, channels: readonly SelectedChannel[]): Promise<string | null> {
  const oldest = await oldestAccepted(trx, Date.now())
  const starts = [...new Set(channels.map(({ tenant_id }) => tenant_id))].flatMap((tenant) => oldest.get(tenant) ?? [])
  return starts.length === 0 ? null : new Date(Math.min(...starts)).toISOString()
}

const mediaPath = (env: Pick<Env, 'apiBase'>) => `${env.apiBase}/media`

export const event: Handlers<'event'> = {
  async range(input, { app, scope }) {
    if (input.timezone !== undefined && !isZone(input.timezone)) throw invalid({ timezone: ['timezone_invalid'] })
    const period = readPeriod(input, Date.now())
    const { event_limit: limit, event_offset: offset } = input
    return app.db.read(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, input)
      if (input.type === 2) return chart(trx, channels, period, input)
      const { view, details, is_counted: isCounted, page_token: after } = input
      const asked = { channels, period, kinds: input.kind, metrics: input.usecase_meta_key, view, after, isCounted }
      const { events, total } = await listEvents(trx, { ...asked, limit, offset, details }, mediaPath(app.env))
      const next_page_token = events.length < limit ? null : (events.at(-1)?.event_uuid ?? null)
      // Galleries are listed oldest first.
      const listed = view === 'gallery' ? events.toReversed() : events
      return reply(listed, { page: { limit, offset, total, next_page_token } })
    })
  },

  async kept(input, { app, scope }) {
    const { start } = instants(readPeriod(input, Date.now()))
    return app.db.read(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, input)
      return { timezone: commonZone(channels), start, kept_from: await keptFrom(trx, channels) }
    })
  },

  async histogram(input, { app, scope }) {
    if (input.timezone !== undefined && !isZone(input.timezone)) throw invalid({ timezone: ['timezone_invalid'] })
    const period = readPeriod(input, Date.now())
    return app.db.read(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, input)
      const timezone = input.timezone ?? commonZone(channels)
      const buckets = await readHistogram(trx, { channels, period, timezone, metrics: input.usecase_meta_key })
      return { timezone, ...instants(period), kept_from: await keptFrom(trx, channels), buckets }
    })
  },

  async export(input, { app, scope, note }): Promise<FileAnswer> {
    const period = readPeriod(input, Date.now())
    const rows = await startExport(app, scope, { ...input, period })
    // How its columns were called is of no interest later.
    const { words: _, ...asked } = input
    note({ object_kind: 'event', after: { ...instants(period), ...asked } })
    const name = `events-${new Date(period.start).toISOString().slice(0, 10)}.csv`
    return {
      contentType: 'text/csv; charset=utf-8',
      body: Readable.from(rows),
      headers: {
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    }
  },

  async evidence({ event_uuid }, { app, scope, principal, note }) {
    const found = await app.db.read(scope, async (trx) =>
      findEvent(trx, await selectChannels(trx, scope, {}), event_uuid, mediaPath(app.env)),
    )
    if (!found) throw notFound()
    note({ object_kind: 'event', object_id: event_uuid })
    const made_at = new Date().toISOString()
    return { event_uuid, made_at, made_by: principal.userUid, files: await collectEvidence(app, scope, found) }
  },

  async stats(input, { app, scope }) {
    const end = Date.now()
    const period = { start: end - frequencyMs[input.frequency], end }
    return app.db.read(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, input)
      const usecase = oneUsecase(input, channels)
      const metrics = metricsAsked(usecase, input.usecase_meta_key)
      const figures = await readStats(trx, { usecase, metrics, channels, period })
      return { usecase_key: usecase, frequency: input.frequency, ...instants(period), ...figures }
    })
  },

  async id({ event_uuid }, { app, scope }) {
    return app.db.read(scope, async (trx) => {
      const found = await findEvent(trx, await selectChannels(trx, scope, {}), event_uuid, mediaPath(app.env))
      if (!found) throw notFound()
      return found
    })
  },

  async neighbours({ event_uuid }, { app, scope }) {
    return app.db.read(scope, async (trx) => {
      const found = await findNeighbours(trx, await selectChannels(trx, scope, {}), event_uuid)
      if (!found) throw notFound()
      return found
    })
  },
}

const instants = ({ start, end }: Period) => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
})

async function chart(
  trx: Trx,
  channels: readonly SelectedChannel[],
  period: Period,
  input: Parameters<Handlers<'event'>['range']>[0],
): Promise<EventSeries> {
  const usecase: UsecaseKey = oneUsecase(input, channels)
  const metrics = metricsAsked(usecase, input.usecase_meta_key)
  const frequency = input.agg_frequency ?? defaultFrequency(period)
  const timezone = input.timezone ?? commonZone(channels)
  const borders = bucketBorders(period, frequency, timezone)
  const apart = input.details && (input.channel_id?.length ?? 0) > 1
  const series = await readChart(trx, { usecase, metrics, channels, frequency, borders, apart })
  return { usecase_key: usecase, agg_frequency: frequency, timezone, ...instants(period), series }
}

/** Days and hours are cut in the zone of the sites; where they have several, and the caller names none, in UTC. */
function commonZone(channels: readonly SelectedChannel[]): string {
  const [zone = 'UTC', ...others] = new Set(channels.map((channel) => channel.timezone))
  return others.length === 0 ? zone : 'UTC'
}
