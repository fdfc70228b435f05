import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Services } from './services.ts'

const readySeconds = 1

/**
 * For load balancers and supervisors, outside the API. `live` never touches the database; `ready` asks it, and stops
 * saying yes as soon as the portal begins to stop.
 */
export function serveHealth(app: FastifyInstance, { db }: Pick<Services, 'db'>): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.get('/health/live', { config: { access: 'public' } }, () => ({ status: 'ok' }))
  app.get('/health/ready', { config: { access: 'public' } }, async (_request, reply) => {
    const isReady = !isStopping && (await answersInTime(db))
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable' })
  })
}

async function answersInTime(db: Services['db']): Promise<boolean> {
  const asked = db
    .instance((trx) => sql`select 1`.execute(trx))
    .then(
      () => true,
      () => false,
    )
  return Promise.race([asked, new Promise<false>((done) => setTimeout(done, readySeconds * 1000, false).unref())])
}
