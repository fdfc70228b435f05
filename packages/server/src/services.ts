import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from './bus.ts'
import type { Demo } from './demo/supervisor.ts'
import type { Env } from './env.ts'
import type { Links } from './nimble/links.ts'
import type { Secrets } from './secrets.ts'

/** What handlers and jobs work with. Made once by `main.ts`, or by a test. */
export type Services = {
  env: Env
  bus: Bus
  links: Links
  secrets: Secrets
  log: FastifyBaseLogger
  demo: Demo
}
