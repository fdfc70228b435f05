import type { nimble, Reply } from '@sightline/contract'
import type { Period } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'

type Stats = Omit<Reply<typeof nimble.stats>, 'nimble_id'>

/** An answer has at most this many points. */
const mostPoints = 300
/** Edge servers report this often. */
const reportSeconds = 10

/** Load and health of an edge server over time, in equal steps; a step in which it reported nothing has no point. */
export async function nimbleStats(
  trx: Trx,
  nimble: { tenant_id: number; id: number },
  { start, end }: Period,
): Promise<Stats> {
  const seconds = (end - start) / 1000
  const stepSeconds = Math.max(reportSeconds, Math.ceil(seconds / mostPoints))
  const points = await trx
    .selectFrom('nimble_stat')
    .select((eb) => [
      sql<Date>`date_bin(make_interval(secs => ${stepSeconds}), at, ${new Date(start)})`.as('step'),
      eb.fn.avg<number | null>('cpu').as('cpu'),
      sql<number | null>`avg(memory_bytes)::float8`.as('memory_bytes'),
      sql<number | null>`min(disk_free_bytes)::float8`.as('disk_free_bytes'),
      sql<number | null>`max(queue)`.as('queue'),
      eb.fn.avg<number | null>('inference_ms').as('inference_ms'),
      eb.fn.avg<number | null>('fps').as('fps'),
      eb.fn.avg<number | null>('expected_fps').as('expected_fps'),
      sql<number | null>`max(drops)`.as('drops'),
      sql<number | null>`max(reconnects)`.as('reconnects'),
      eb.fn.avg<number | null>('clock_offset_ms').as('clock_offset_ms'),
    ])
    .where('tenant_id', '=', nimble.tenant_id)
    .where('nimble_id', '=', nimble.id)
    .where('at', '>=', new Date(start))
    .where('at', '<', new Date(end))
    .groupBy('step')
    .orderBy('step')
    .execute()
  return {
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    step_s: stepSeconds,
    points: points.map(({ step, ...point }) => ({ at: step.toISOString(), ...point })),
  }
}
