import type { Nimble } from '@sightline/contract'
import type { Handlers } from '../mount.ts'
import { override } from './handlers.ts'
import { nimbleEntity, readNimble } from './store.ts'

export const setting: Handlers<'setting'> = {
  nimbleGet: async ({ nimble_id }, { app, scope }) =>
    document(await nimbleEntity(await app.db.as(scope, (trx) => readNimble(trx, scope, nimble_id)))),

  nimbleSet: async ({ nimble_id, version, ...configuration }, ctx) =>
    document(await override(ctx, nimble_id, configuration, version)),
}

const document = (nimble: Nimble) => ({
  nimble_id: nimble.nimble_id,
  name: nimble.name,
  mode: nimble.mode,
  ...(nimble.address !== null && { address: nimble.address }),
  ...(nimble.port !== null && { port: nimble.port }),
  connection_timeout: nimble.connection_timeout,
  wait_between_retry: nimble.wait_between_retry,
  retry_times: nimble.retry_times,
  pipelines: nimble.pipelines,
  sinks: nimble.sinks,
  sources: nimble.sources,
  version: nimble.version,
})
