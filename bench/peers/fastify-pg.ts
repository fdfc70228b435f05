/**
 * The usual way to take events in: Fastify with a schema, pg, PostgreSQL with one index. `POST /one` stores an event with
 * an INSERT of its own, `POST /hundred` a list with one INSERT from arrays. No roll-up, no repeats told apart, no tenants.
 * Forked with a data folder; runs a PostgreSQL of its own with the product's settings, and says its port.
 */
import Fastify from 'fastify'
import pg from 'pg'
import { startEmbedded } from '../../packages/server/src/db/embedded.ts'
import type { plainEvent } from '../events.ts'

type Plain = ReturnType<typeof plainEvent>
const body = {
  type: 'object',
  required: ['channel_id', 'usecase_key', 'ts', 'meta'],
  properties: {
    channel_id: { type: 'integer' },
    usecase_key: { type: 'string' },
    ts: { type: 'integer' },
    uuid: { type: 'string' },
    zone: { type: 'string' },
    meta: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        violation: { type: 'integer' },
        non_violation: { type: 'integer' },
      },
    },
  },
} as const
const usecaseNumbers: Record<string, number> = { ppedtec: 1 }

const server = await startEmbedded({ dataDir: process.argv[2] as string })
const pool = new pg.Pool({ ...server.connection, max: 16 })
await pool.query(`create table event (ts timestamptz not null, channel_id int not null, usecase smallint not null,
  total smallint not null, violation smallint not null, non_violation smallint not null, payload jsonb)`)
await pool.query('create index on event (channel_id, ts)')

const app = Fastify({ bodyLimit: 8_000_000 })
app.post<{ Body: Plain }>('/one', { schema: { body } }, async ({ body: event }, reply) => {
  const { total, violation, non_violation } = event.meta
  await pool.query({
    name: 'one',
    text: 'insert into event values (to_timestamp($1 / 1000.0), $2, $3, $4, $5, $6, null)',
    values: [event.ts, event.channel_id, usecaseNumbers[event.usecase_key] ?? 0, total, violation, non_violation],
  })
  return reply.code(201).send({ stored: 1 })
})
app.post<{ Body: Plain[] }>(
  '/hundred',
  { schema: { body: { type: 'array', items: body } } },
  async (request, reply) => {
    const events = request.body
    await pool.query({
      name: 'hundred',
      text: `insert into event select to_timestamp(a / 1000.0), b, c, d, e, f, null
      from unnest($1::bigint[], $2::int[], $3::smallint[], $4::smallint[], $5::smallint[], $6::smallint[]) t (a, b, c, d, e, f)`,
      values: [
        events.map((event) => event.ts),
        events.map((event) => event.channel_id),
        events.map((event) => usecaseNumbers[event.usecase_key] ?? 0),
        events.map((event) => event.meta.total),
        events.map((event) => event.meta.violation),
        events.map((event) => event.meta.non_violation),
      ],
    })
    return reply.code(201).send({ stored: events.length })
  },
)
app.get('/count', async () => (await pool.query('select count(*)::int as count from event')).rows[0])

async function stop() {
  await app.close()
  await pool.end()
  await server.stop()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('disconnect', stop)
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.((app.server.address() as { port: number }).port)
