import type { EventSeries } from '@sightline/contract'
import { isZone, type UsecaseKey } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import type { Env } from '../env.ts'
import { type Handlers, reply } from '../mount.ts'
import { invalid, notFound } from '../refusal.ts'
import { readChart } from './chart.ts'
import { findEvent, listEvents } from './list.ts'
import { metricsAsked, oneUsecase, type SelectedChannel, selectChannels } from './select.ts'
import { readStats } from './stats.ts'
import { bucketBorders, defaultFrequency, frequencyMs, type Period, readPeriod } from './time.ts'

const mediaPath = (env: Pick<Env, 'apiBase'>) => `${env.apiBase}/media`

export const event: Handlers<'event'> = {
  async range(input, { app, scope }) {
    if (input.timezone !== undefined && !isZone(input.timezone)) throw invalid({ timezone: ['timezone_invalid'] })
    const period = readPeriod(input, Date.now())
    const { event_limit: limit, event_offset: offset } = input
    return app.db.as(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, input)
      if (input.type === 2) return chart(trx, channels, period, input)
      const query = { channels, period, kinds: input.kind, metrics: input.usecase_meta_key, limit, offset }
      const { events, total } = await listEvents(trx, { ...query, details: input.details }, mediaPath(app.env))
      return reply(events, { page: { limit, offset, total, next_page_token: null } })
    })
  },

  async stats(input, { app, scope }) {
    const end = Date.now()
    const period = { start: end - frequencyMs[input.frequency], end }
    return app.db.as(scope, async (trx) => {
      const channels = await selectChannels(trx, scope, input)
      const usecase = oneUsecase(input, channels)
      const metrics = metricsAsked(usecase, input.usecase_meta_key)
      const figures = await readStats(trx, { usecase, metrics, channels, period })
      return { usecase_key: usecase, frequency: input.frequency, ...instants(period), ...figures }
    })
  },

  async id({ event_uuid }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      const found = await findEvent(trx, await selectChannels(trx, scope, {}), event_uuid, mediaPath(app.env))
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
