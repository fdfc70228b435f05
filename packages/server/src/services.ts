import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from './bus.ts'
import type { Db } from './db/database.ts'
import type { Demo } from './demo/supervisor.ts'
import type { Env } from './env.ts'
import type { EventWriter } from './event/ingest.ts'
import type { Geocoder } from './geo/geocoder.ts'
import type { Jobs } from './job/run.ts'
import type { Links } from './nimble/links.ts'
import type { Passwords } from './password.ts'
import type { Secrets } from './secrets.ts'
import type { Audiences } from './stream/audience.ts'
import type { Wire } from './wire.ts'

export type { JobHandle } from './job/run.ts'

/** What handlers and jobs work with. Made once by `main.ts`, or by a test. */
export type Services = {
  env: Env
  db: Db
  bus: Bus
  audiences: Audiences
  wire: Wire
  events: EventWriter
  links: Links
  secrets: Secrets
  passwords: Passwords
  log: FastifyBaseLogger
  demo: Demo
  jobs: Jobs
  /** Null: this instance has none. */
  geocoder: Geocoder | null
}
