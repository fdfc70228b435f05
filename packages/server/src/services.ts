import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from './bus.ts'

/** What handlers and jobs work with. Made once by `main.ts`, or by a test. */
export type Services = {
  bus: Bus
  log: FastifyBaseLogger
}
