/** What edge servers report, written as the link writes it. */
import type { Insertable, Selectable } from 'kysely'
import type { Database, Db } from '../db/database.ts'

type Row<T extends keyof Database> = Selectable<Database[T]>
type Given<T extends keyof Database> = Partial<Insertable<Database[T]>>

export const states = (db: Db) => ({
  nimble: (of: Row<'nimble'>, state: Row<'nimble_state'>['state'], given: Given<'nimble_state'> = {}) =>
    db.ingest((trx) =>
      trx
        .insertInto('nimble_state')
        .values({ ...emptyLink, tenant_id: of.tenant_id, nimble_id: of.id, state, ...given })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'nimble_id']).doUpdateSet({ state, ...given }))
        .execute(),
    ),

  source: (of: Row<'source'>, state: Row<'source_state'>['state'], given: Given<'source_state'> = {}) =>
    db.ingest((trx) =>
      trx
        .insertInto('source_state')
        .values({ ...emptyStream, ...failed(state), tenant_id: of.tenant_id, source_id: of.id, state, ...given })
        .onConflict((conflict) =>
          conflict.columns(['tenant_id', 'source_id']).doUpdateSet({ state, ...failed(state), ...given }),
        )
        .execute(),
    ),

  channel: (of: Row<'channel'>, state: Row<'channel_state'>['state'], given: Given<'channel_state'> = {}) =>
    db.ingest((trx) =>
      trx
        .insertInto('channel_state')
        .values({ ...emptyChannel, version: of.version, tenant_id: of.tenant_id, channel_id: of.id, state, ...given })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'channel_id']).doUpdateSet({ state, ...given }))
        .execute(),
    ),
})

const emptyLink = {
  last_contact_at: null,
  cause: null,
  clock_offset_ms: null,
  engine_version: null,
  protocol: null,
  capacity: null,
  journal_events: null,
  applied_version: null,
}
/** Offline is a camera of which no fresh connection brought a picture. */
const failed = (state: Row<'source_state'>['state']) => ({ failed_at: state === 'offline' ? new Date() : null })
const emptyStream = {
  cause: null,
  codec: null,
  width: null,
  height: null,
  fps: null,
  last_frame_at: null,
  version: null,
}
const emptyChannel = {
  detector_state: 'ok' as const,
  cause: null,
  fps: null,
  expected_fps: null,
  pipeline_version: null,
}
